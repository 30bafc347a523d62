/**
 * What `watchpost serve` mounts, on a server of this process, with one monitor of a port of ours.
 *
 * @module
 */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tcp } from '../../../src/checkers/tcp.ts'
import { siteOf } from '../../../src/cli/serve/site.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { silentLogger } from '../../../src/logger.ts'
import { createMetrics } from '../../../src/metrics/metrics.ts'
import { memoryStore } from '../../../src/store/memory.ts'

export interface ServedSite {
  readonly url: string
  readonly key: string
  readonly monitor_id: number
  /** Connections that the checked port has taken. */
  checks(): number
  close(): Promise<void>
}

export async function servedSite(trust_proxy?: string): Promise<ServedSite> {
  let checks = 0
  const target = createServer((socket) => {
    checks++
    socket.on('error', () => undefined).end()
  })
  const port = await listen(target)
  const engine = createEngine({ store: memoryStore(), checkers: [tcp] })
  await engine.start()
  const { key } = await engine.keys.create()
  const { id } = await engine.monitors.create({
    type: 'tcp',
    name: 'Port',
    host: '127.0.0.1',
    port,
    interval_sec: 3600,
  })
  const settings = {
    secret_key: undefined,
    base_url: undefined,
    manage_contacts: false,
    public_tag: undefined,
    trust_proxy,
    languages: ['en'] as const,
    time_zone: undefined,
  }
  const site = siteOf({ engine, metrics: createMetrics(engine) }, settings, silentLogger)
  const server = createHttpServer((req, res) => site(req, res))
  const url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    key,
    monitor_id: id,
    checks: () => checks,
    async close() {
      server.closeAllConnections()
      server.close()
      target.close()
      await engine.stop()
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The cookie of a session, or the status that refused it. */
export async function signedIn(
  { url }: ServedSite,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | number> {
  const response = await fetch(`${url}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ key }),
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
    redirect: 'manual',
  })
  await response.arrayBuffer()
  const [cookie] = response.headers.getSetCookie()
  return cookie?.split(';')[0] ?? response.status
}
