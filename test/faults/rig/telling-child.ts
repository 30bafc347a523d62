/**
 * An engine in a process of its own whose monitors change as often as it is told to, and say so to all contacts.
 * Usage: node telling.mjs '<TellingPlan>'
 */

import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineChecker, down, up } from '../../../src/checkers/checker.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Engine } from '../../../src/engine/api/engine.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { field } from '../../../src/fields/vocabulary.ts'
import { postgresStore } from '../../../src/store/postgres/index.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { webhookContact } from '../../../src/webhook/webhook-kind.ts'
import { countingTimers, measureEvery } from './measuring.ts'
import type { TellingPlan, Told } from './telling.ts'

const plan = JSON.parse(process.argv[2] ?? '{}') as TellingPlan
/** More changes under way than this are not waited for: the run is behind, and says so. */
const MAX_UNDER_WAY = 200
const ASK_MS = 50

function say(line: Told): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const measured = countingTimers({
  ...systemClock,
  now: () => systemClock.now() + plan.ahead_ms,
})
const { clock } = measured

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

/** Tells when the rows were there. */
function timed(store: Store): Store {
  return {
    ...store,
    async commit(changes) {
      const done = await store.commit(changes)
      const at = performance.timeOrigin + performance.now()
      const ids = done.flatMap((one) => (one.ok ? one.notification_ids : []))
      if (ids.length > 0) say({ kind: 'committed', at, ids })
      return done
    },
  }
}

const store =
  plan.database === undefined
    ? sqliteStore({ file: plan.file, clock })
    : postgresStore({ ...plan.database, clock })
const engine = createEngine({
  store: timed(store),
  checkers: [checker],
  contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.0/24'] } })],
  clock,
}) as Engine
engine.on('error', (error) => say({ kind: 'error', message: String(error) }))

/** One monitor after the other, so many a second, for so long. */
async function change(ids: readonly number[]): Promise<void> {
  const from = performance.now()
  const under_way = new Set<Promise<unknown>>()
  const total = Math.round(plan.changes_per_sec * plan.seconds)
  let late = 0
  for (let nth = 0; nth < total; nth++) {
    const due = from + (nth * 1000) / plan.changes_per_sec
    if (due > performance.now()) await sleep(due - performance.now())
    if (under_way.size >= MAX_UNDER_WAY) {
      late++
      await Promise.race(under_way)
    }
    const index = nth % ids.length
    const host = hostOf(index)
    if (!bad.delete(host)) bad.add(host)
    const done: Promise<unknown> = engine.monitors
      .check(ids[index] ?? 0)
      .finally(() => under_way.delete(done))
    under_way.add(done)
  }
  await Promise.all(under_way)
  say({ kind: 'changed', changes: total, late, took_ms: performance.now() - from })
}

function hostOf(index: number): string {
  return `m${index}.test`
}

async function untilNothingWaits(): Promise<void> {
  while ((await engine.health()).outbox_depth > 0) await sleep(ASK_MS)
}

async function monitors(): Promise<number[]> {
  const ids: number[] = []
  for (let index = 0; index < plan.monitors; index++) {
    const input = { type: 'switched', host: hostOf(index), interval_sec: 3600, fail_threshold: 1 }
    const { delay_min } = plan
    const delays = plan.contacts.map((_, nth) => [nth + 1, delay_min] as const)
    const contact_delay = delay_min === 0 ? {} : { contact_delay: Object.fromEntries(delays) }
    ids.push((await engine.monitors.create({ ...input, ...contact_delay })).id)
  }
  return ids
}

// Whoever started it is gone.
process.on('disconnect', () => process.exit(0))

await engine.open()
const isNew = (await engine.monitors.list({ limit: 1 })).items.length === 0
if (isNew) for (const contact of plan.contacts) await engine.contacts.create(contact as never)
const ids = isNew ? await monitors() : []
// As the engine before left them: they are checked in their turn.
if (!isNew) for (let index = 0; index < plan.monitors; index++) bad.add(hostOf(index))
measureEvery(plan.measure_ms, measured, (sample) => say({ kind: 'measured', ...sample }))
say({ kind: 'started', at: performance.timeOrigin + performance.now() })
await engine.start()
if (isNew) await change(ids)
// A change while its monitor was being checked has not been seen by that check.
if (plan.delay_min > 0) for (const id of ids) await engine.monitors.check(id)
if (plan.delay_min === 0) await untilNothingWaits()
await engine.stop()
const { user, system } = process.cpuUsage()
say({ kind: 'stopped', cpu_ms: (user + system) / 1000 })
process.exit(0)
