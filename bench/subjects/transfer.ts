import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { initialState } from '../../src/incident/state.ts'
import type { FullStore } from '../../src/store/store.ts'
import { measureTurns } from '../../test/support/turns.ts'
import type { Benchmark, Fact } from '../harness/benchmark.ts'
import { withPostgres } from './stores.ts'
import type { NamedStore } from './stores.ts'

const MONITORS = 5000
const RESULTS = 200_000
const LONGEST_TURN_MS = 50
/** Of one transaction. */
const TOGETHER = 25

const still = defineChecker({
  type: 'still',
  title: 'Still',
  description: 'Is always up',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: {},
  target: (settings) => settings.host,
  run: () => Promise.resolve(up()),
})

function engineOn(store: FullStore): Engine {
  return createEngine({ store, checkers: [still], logger: false })
}

async function furnish(store: FullStore, count: number): Promise<Engine> {
  const engine = engineOn(store)
  await engine.open()
  const { id } = await engine.monitors.create({ type: 'still', host: 'a.test' })
  const record = await store.monitors.get(id)
  const [location] = await store.locations.list()
  if (record === undefined || location === undefined) throw new Error('there is no monitor')
  const now = Date.now()
  const machine = initialState(now)
  const monitors = [record]
  while (monitors.length < count) monitors.push(await store.monitors.create({ ...record, machine }))
  const each = RESULTS / MONITORS
  const resultsOf = (index: number) =>
    Array.from({ length: each }, (_, n) => {
      const at = now - (each - n) * 3_600_000 + index
      return {
        ...{ location_id: location.id, round: at, started_at: at, lag_ms: 2, duration_ms: 31 },
        ...{ verdict: 'ok' as const, cause_code: null, cause_text: null, phase: null },
        phases: { resolve_ms: 1, connect_ms: 9, first_byte_ms: 20, transfer_ms: 1 },
        ...{ remote_ip: '192.0.2.1', details: { status: 200, bytes: 5120 } },
      }
    })
  for (let from = 0; from < count; from += TOGETHER)
    await store.commit(
      monitors.slice(from, from + TOGETHER).map(({ id: monitor_id, revision }, index) => ({
        ...{ monitor_id, revision, at: now, results: resultsOf(index) },
        availability: [{ at: now - each * 3_600_000, availability: 'up' as const }],
      })),
    )
  return engine
}

async function factsOf({ name, make }: NamedStore, count: number): Promise<readonly Fact[]> {
  const source = await furnish(make(), count)
  const lines: string[] = []
  const out = await measured(async () => {
    for await (const line of source.export({ history: true })) lines.push(line)
  })
  await source.stop()
  const target = engineOn(make())
  const into = await measured(() => target.import(() => lines))
  await target.stop()
  const characters = lines.reduce((sum, { length }) => sum + length, 0)
  return [
    { name: `size of the export, ${name}`, value: characters / 2 ** 20, unit: 'MiB' },
    ...facts('export', name, out, lines.length),
    ...facts('import', name, into, lines.length),
  ]
}

type Measured = Awaited<ReturnType<typeof measured>>

async function measured(work: () => Promise<unknown>) {
  const from = performance.now()
  const { longest_ms, cpu_ms } = await measureTurns(work)
  return { longest_ms, cpu_ms, took: (performance.now() - from) / 1000 }
}

function facts(what: string, name: string, { longest_ms, cpu_ms, took }: Measured, lines: number) {
  const of = `${what}, ${name}`
  return [
    { name: `longest turn of ${of}`, value: longest_ms, unit: 'ms', at_most: LONGEST_TURN_MS },
    { name: `processor for ${of}`, value: (cpu_ms * 1000) / lines, unit: 'µs per line' },
    { name: `time for ${of}`, value: took, unit: 's' },
  ]
}

export const transfer: Benchmark = {
  name: 'transfer',
  about: `export and import of ${MONITORS} monitors with ${RESULTS} results; one run in each store`,
  unit: 'line',
  async prepare(stage) {
    const stores = await withPostgres(stage)
    return {
      contenders: [],
      async facts() {
        const count = Math.max(100, Math.round(MONITORS * stage.scale))
        const all: Fact[] = []
        for (const named of stores) all.push(...(await factsOf(named, count)))
        return all
      },
    }
  },
}
