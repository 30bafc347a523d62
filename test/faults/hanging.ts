/**
 * G8: 100 receivers that hang, on 100 hosts, and a healthy one; how long from the commit to its request.
 * Options: --receivers 100, --incidents 100, --every 300 (ms).
 *
 * @module
 */

import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Store } from '../../src/store/store.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { inFolder, percentile } from './rig/folder.ts'

const { values } = parseArgs({
  options: {
    receivers: { type: 'string', default: '100' },
    incidents: { type: 'string', default: '100' },
    every: { type: 'string', default: '300' },
  },
})
const GOAL_MS = 500

const requested = new Map<number, number>()
const server = createServer((request, response) => {
  // Those on the other addresses of this machine hang.
  if (request.socket.localAddress !== '127.0.0.1') return
  let text = ''
  request.on('data', (chunk: Buffer) => (text += chunk.toString()))
  request.on('end', () => {
    const { incident } = JSON.parse(text) as { readonly incident: { readonly id: number } }
    requested.set(incident.id, performance.now())
    response.end()
  })
})
server.listen(0, '0.0.0.0')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const bad = new Set<string>()
const checker = defineChecker({
  type: 'switched',
  title: 'Switched',
  description: 'Good or bad as the run says',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: { broken: { text: 'It is broken' } },
  target: ({ host }) => host,
  run: (_ctx, { host }) => Promise.resolve(bad.has(host) ? down('broken', 'It is') : up()),
})

const committed = new Map<number, number>()
function timed(store: Store): Store {
  return {
    ...store,
    async commit(changes) {
      const done = await store.commit(changes)
      for (const [index, one] of done.entries()) {
        if (one.ok && one.incident_id !== null && changes[index]?.open_incident !== undefined)
          committed.set(one.incident_id, performance.now())
      }
      return done
    },
  }
}

await inFolder('hanging', async (folder) => {
  const engine: Engine = createEngine({
    store: timed(sqliteStore({ file: join(folder, 'watchpost.db') })),
    checkers: [checker],
    contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.0/24'] } })],
  }) as Engine
  await engine.start()
  // The healthy one comes last.
  for (let n = Number(values.receivers); n >= 0; n--) {
    const url = `http://127.0.0.${n + 1}:${port}/`
    await engine.contacts.create({ kind: 'webhook', name: url, url, all_monitors: true })
  }
  const incidents = Number(values.incidents)
  const ids: number[] = []
  for (let n = 0; n < incidents; n++) {
    const input = { type: 'switched', host: `m${n}.test`, interval_sec: 3600, fail_threshold: 1 }
    ids.push((await engine.monitors.create(input)).id)
  }
  for (const [n, id] of ids.entries()) {
    bad.add(`m${n}.test`)
    await engine.monitors.check(id)
    await systemClock.sleep(Number(values.every))
  }
  const until = systemClock.monotonic() + 30_000
  while (requested.size < incidents && systemClock.monotonic() < until) await systemClock.sleep(50)
  const late = [...committed].map(([id, at]) => (requested.get(id) ?? Infinity) - at)
  const { outbox_depth } = await engine.health()
  const p99 = percentile(late, 0.99)
  console.table([
    {
      incidents: late.length,
      p50_ms: Math.round(percentile(late, 0.5)),
      p99_ms: Math.round(p99),
      max_ms: Math.round(Math.max(...late)),
      rows_waiting: outbox_depth,
      load: loadavg()[0]?.toFixed(1),
    },
  ])
  await engine.stop({ drainMs: 0 })
  server.closeAllConnections()
  server.close()
  return p99 < GOAL_MS
})
process.exit()
