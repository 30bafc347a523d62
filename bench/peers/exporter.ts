/** blackbox_exporter of our own, asked for probes as Prometheus asks for them. */

import { Agent, get } from 'node:http'
import { required } from '../../test/support/servers/binaries.ts'
import { startServer } from '../../test/support/servers/harness.ts'
import { hello } from '../../test/support/servers/hello.ts'
import type { Contender, Stage } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { cpuMs } from '../load/processes.ts'
import { exporter } from './installed.ts'

export const BLACKBOX = 'blackbox_exporter'

export interface Probe {
  /** Settings of a module, as its configuration file has them; `ca.pem` lies beside it. */
  readonly module: Readonly<Record<string, unknown>>
  readonly target: string
}

export interface Probing extends Probe {
  readonly stage: Stage
  readonly units: number
  /** Probes at the same time. */
  readonly concurrency: number
  /** PEM. */
  readonly ca: string
}

/** What counts is the time of its process, which also reads the request and writes its metrics. */
export async function probing(options: Probing): Promise<Contender> {
  const { stage, units, concurrency } = options
  const { port, pid } = await start(options)
  // Prometheus keeps its connections too. It would ask for gzip, which is spared here.
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  stage.onEnd(() => agent.destroy())
  const query = new URLSearchParams({ module: 'bench', target: options.target })
  const ask = (): Promise<void> => probe({ agent, port, path: `/probe?${query.toString()}` })
  return {
    name: BLACKBOX,
    units,
    async run(count) {
      const from = performance.now()
      const before = cpuMs(pid)
      await inFlight(count, concurrency, ask)
      const cpu_us = (cpuMs(pid) - before) * 1000
      return { cpu_us, wall_us: (performance.now() - from) * 1000 }
    },
  }
}

async function start({ stage, module, ca }: Probing): Promise<{ port: number; pid: number }> {
  const server = await startServer({
    name: 'blackbox',
    binary: required(exporter),
    ports: ['web'],
    // YAML reads JSON.
    files: () => ({
      'ca.pem': ca,
      'blackbox.yml': JSON.stringify({ modules: { bench: { timeout: '10s', ...module } } }),
    }),
    args: ({ dir, ports }) => [
      `--config.file=${dir}/blackbox.yml`,
      `--web.listen-address=127.0.0.1:${ports.web}`,
    ],
    ready: async ({ ports }) => {
      await hello(ports.web, { send: 'GET /-/healthy HTTP/1.0\r\n\r\n', until: / 200 / })
    },
  })
  stage.onEnd(() => server.stop())
  return { port: server.ports.web, pid: server.pid }
}

interface Question {
  readonly agent: Agent
  readonly port: number
  readonly path: string
}

function probe(question: Question): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', ...question }, (response) => {
      let metrics = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => (metrics += text))
      response.once('end', () => {
        if (/^probe_success 1$/m.test(metrics)) resolve()
        else reject(new Error(`the probe failed:\n${metrics}`))
      })
    }).once('error', reject)
  })
}
