/**
 * An engine in a process of its own, that is going to be killed. It watches the rig's targets on an SQLite
 * file or on PostgreSQL and says on stdout what it was told had been committed. Usage: node engine.mjs '<EnginePlan>'
 */

import { writeSync } from 'node:fs'
import { defineChecker, up } from '../../../src/checkers/checker.ts'
import { http } from '../../../src/checkers/http/index.ts'
import { tcp } from '../../../src/checkers/tcp.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import type { Engine } from '../../../src/engine/api/engine.ts'
import { postgresStore } from '../../../src/store/postgres/index.ts'
import { field } from '../../../src/fields/vocabulary.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import { httpTransport } from '../../../src/webhook/transport.ts'
import { webhookContact } from '../../../src/webhook/webhook-kind.ts'
import { dying } from './dying.ts'
import { fastClock } from './fast-clock.ts'
import { countingTimers, measureEvery } from './measuring.ts'
import type { EnginePlan, Order, Said } from './plan.ts'

const plan = JSON.parse(process.argv[2] ?? '{}') as EnginePlan

function say(line: Said): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** The checkers as they are, but a second is an interval. */
const quick = { interval_sec: { default: 1, min: 1 }, timeout_ms: { default: 900 } }
/** Somebody's plugin: good, but for an error in a timer that nobody waits for. */
const later = defineChecker({
  type: 'later',
  title: 'Later',
  description: 'Throws when it is over',
  fields: { host: field.host({ description: 'Any' }).required() },
  causes: {},
  target: ({ host }) => host,
  run() {
    setTimeout(() => {
      throw new Error('thrown later')
    }, 100)
    return Promise.resolve(up())
  },
})
const measured = countingTimers(fastClock(plan.pace))
const { clock } = measured
if (plan.measure_ms !== undefined) {
  measureEvery(plan.measure_ms, measured, (sample) => say({ kind: 'measured', ...sample }))
}
const store =
  plan.database === undefined
    ? sqliteStore({ file: plan.file, clock })
    : postgresStore({ ...plan.database, connections: 4, clock })
const death = dying(plan.die, say)
const engine: Engine = createEngine({
  store: death.store(store),
  checkers: [{ ...http(), common: quick }, { ...tcp(), common: quick }, later],
  contacts: [
    webhookContact({
      guard: { allowCidrs: ['127.0.0.0/24'] },
      transport: death.transport(httpTransport()),
    }),
  ],
  clock,
  ...(plan.limits === undefined ? {} : { limits: plan.limits }),
  ...(plan.anchors === undefined ? {} : { anchors: plan.anchors }),
}) as Engine

for (const kind of ['down', 'up'] as const) {
  engine.on(kind, ({ incident, monitor }) =>
    say({ kind, incident_id: incident.id, monitor_id: monitor.id }),
  )
}
engine.on('notification', ({ id, status }) => say({ kind: 'notification', id, status }))
engine.on('error', (error) => say({ kind: 'error', message: String(error) }))

async function obey({ do: what }: Order): Promise<void> {
  if (what === 'stop') {
    await engine.stop()
    process.exit(0)
  }
  if (what === 'rest') {
    const { items } = await engine.monitors.list({ limit: 200 })
    for (const { id } of items) await engine.monitors.pause(id)
    return
  }
  const { outbox_depth } = await engine.health()
  const { items } = await engine.incidents.list({ open: true, limit: 200 })
  say({ kind: 'depth', depth: outbox_depth, open: items.length })
}

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => say({ kind: 'error', message: String(error) }))
})
// Whoever started it is gone.
process.on('disconnect', () => process.exit(0))

await engine.open()
const known = await engine.monitors.list({ limit: 1 })
if (known.items.length === 0) {
  for (const contact of plan.contacts) await engine.contacts.create(contact as never)
  for (const monitor of plan.monitors) await engine.monitors.create(monitor as never)
}
await engine.start()
say({ kind: 'ready', at: Date.now() })
