import { defineChecker, up } from '../../src/checkers/checker.ts'
import { systemClock } from '../../src/clock.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import type { BulkInput } from '../../src/engine/api/bulk.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { initialState } from '../../src/incident/state.ts'
import type { FullStore } from '../../src/store/store.ts'
import { measureTurns } from '../../test/support/turns.ts'
import type { Benchmark, Fact, Stage } from '../harness/benchmark.ts'
import { withPostgres } from './stores.ts'
import type { NamedStore } from './stores.ts'

const MONITORS = 10_000
const LONGEST_TURN_MS = 50

/** It answers at once: what is measured is the engine. */
const still = defineChecker({
  type: 'still',
  title: 'Still',
  description: 'Is always up',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: {},
  target: (settings) => settings.host,
  run: () => Promise.resolve(up()),
})

const ALL = { filter: { all: true } } as const
const ACTIONS: readonly BulkInput[] = [
  { action: 'pause', ...ALL },
  { action: 'resume', ...ALL },
  { action: 'tag', add_tags: ['eu', 'shop'], ...ALL },
  { action: 'check', ...ALL },
  { action: 'remove', ...ALL },
]

/** Counts the transactions that bring changes. */
function counted(store: FullStore): { readonly store: FullStore; commits: number } {
  const count = {
    commits: 0,
    store: new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const method = value.bind(target) as (...given: unknown[]) => unknown
        return (...given: unknown[]) => {
          if (name === 'commit') count.commits++
          return method(...given)
        }
      },
    }),
  }
  return count
}

async function furnish(store: FullStore, count: number): Promise<Engine> {
  const engine = createEngine({
    store,
    checkers: [still],
    logger: false,
    limits: { checks: 64 },
  }) as unknown as Engine
  await engine.open()
  const first = await engine.monitors.create({
    type: 'still',
    host: 'a.test',
    interval_sec: 86_400,
  })
  const record = await store.monitors.get(first.id)
  if (record === undefined) throw new Error('there is no monitor')
  const now = Date.now()
  const machine = initialState(now)
  // So many at once that PostgreSQL is not asked one by one.
  for (let made = 1; made < count; made += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - made) }, () =>
        store.monitors.create({ ...record, machine }),
      ),
    )
  await engine.start()
  await idle(engine)
  return engine
}

/** Until every check that was started has ended. */
async function idle(engine: Engine): Promise<void> {
  for (let calm = 0; calm < 3;) {
    await systemClock.sleep(50)
    const { checks_running } = await engine.health()
    calm = checks_running === 0 ? calm + 1 : 0
  }
}

async function factsOf({ name, make }: NamedStore, count: number): Promise<readonly Fact[]> {
  const counting = counted(make())
  const engine = await furnish(counting.store, count)
  const facts: Fact[] = []
  try {
    for (const order of ACTIONS) {
      const from = { at: performance.now(), commits: counting.commits }
      const { value, longest_ms, cpu_ms } = await measureTurns(async () => {
        const done = await engine.monitors.bulk(order)
        await idle(engine)
        return done
      })
      if (value.changed !== count) throw new Error(`${order.action}: ${JSON.stringify(value)}`)
      const of = `${order.action}, ${name}`
      const took = (performance.now() - from.at) / 1000
      facts.push(
        { name: `longest turn of ${of}`, value: longest_ms, unit: 'ms', at_most: LONGEST_TURN_MS },
        { name: `processor for ${of}`, value: (cpu_ms * 1000) / count, unit: 'µs per monitor' },
        { name: `time for ${of}`, value: took, unit: 's' },
        { name: `transactions of ${of}`, value: counting.commits - from.commits, unit: 'commits' },
      )
    }
  } finally {
    await engine.stop()
  }
  return facts
}

export const bulk: Benchmark = {
  name: 'bulk',
  about: `actions on ${MONITORS} monitors at once, beside a running engine; no rounds, one run of each`,
  unit: 'monitor',
  async prepare(stage: Stage) {
    const stores = await withPostgres(stage)
    return {
      contenders: [],
      async facts() {
        const facts: Fact[] = []
        const count = Math.max(100, Math.round(MONITORS * stage.scale))
        for (const named of stores) facts.push(...(await factsOf(named, count)))
        return facts
      },
    }
  },
}
