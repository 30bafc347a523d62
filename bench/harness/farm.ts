/** Starts the farm of targets and stops it with the benchmark. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Stage } from './benchmark.ts'

export interface Farm {
  /** Ports on 127.0.0.1. GET answers a page of 2 kB, POST 204. */
  readonly http: number
  readonly https: number
  /** The page over HTTP/2, or over HTTP/1.1 for those who do not offer it. */
  readonly http2: number
  /** Accepts and says nothing. */
  readonly tcp: number
  /** UDP; knows 192.0.2.1 for every name. */
  readonly dns: number
  /** PEM of the certificate, which is its own root. */
  readonly ca: string
}

export async function startFarm(stage: Pick<Stage, 'onEnd'>): Promise<Farm> {
  // Beside the bundle that runs (scripts/bench.mjs).
  const file = join(dirname(process.argv[1] ?? ''), 'servers/farm.js')
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  stage.onEnd(() => {
    child.stdin.end()
    return gone
  })
  const died = gone.then(() => {
    throw new Error('the farm of targets could not be started')
  })
  died.catch(() => undefined)
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    died,
  ])) as [string]
  return JSON.parse(line) as Farm
}
