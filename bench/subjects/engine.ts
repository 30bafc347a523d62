import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { CheckerSource } from '../../src/checkers/checker.ts'
import { http } from '../../src/checkers/http/index.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Store } from '../../src/store/store.ts'
import type { Benchmark, Contender, Fact, Stage } from '../harness/benchmark.ts'
import { heapBytes, inFlight } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { checkOf, CONCURRENCY } from './checking.ts'
import { undiciClient, undiciDispatch } from './http-baselines.ts'
import { fill } from './rounds.ts'
import { storesOf } from './stores.ts'

const MONITORS = 256
const CLIENT = 'undici request, fresh Client'
const DISPATCH = 'undici dispatch, fresh Client'

/** A check that costs nothing: what is left is the engine itself. */
const nothing = defineChecker({
  type: 'nothing',
  title: 'Nothing',
  description: 'Is always up.',
  fields: { host: field.host({ description: 'Any' }).required() },
  target: ({ host }) => host,
  run: () => Promise.resolve(up()),
})

interface Wanted {
  readonly name: string
  readonly store: Store
  readonly monitor: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly units: number
}

/** A running engine that checks when it is told to; a unit ends when its result is stored. */
export async function rounds(
  stage: Stage,
  { name, store, monitor, units }: Wanted,
): Promise<Contender> {
  const checkers: readonly CheckerSource[] = [http, () => nothing]
  const limits = { checks: CONCURRENCY, checksPerHost: CONCURRENCY }
  const engine: Engine = createEngine({ store, checkers, limits })
  await engine.start()
  stage.onEnd(() => engine.stop())
  const ids: number[] = []
  for (let index = 0; index < MONITORS; index++) {
    // Their own rounds would come once a day: those asked for are the only ones.
    const input = { ...monitor, name: `${index}`, interval_sec: 86_400 }
    ids.push((await engine.monitors.create(input)).id)
  }
  return {
    name,
    units,
    run: (count) =>
      inFlight(count, CONCURRENCY, async (index) => {
        const { results } = await engine.monitors.check(ids[index % MONITORS]!)
        if (results[0]?.verdict !== 'ok') throw new Error('a check failed')
      }),
  }
}

/** Heap per monitor of a running engine; the rows of the database are counted with it. */
async function bytesPerMonitor(monitors: number): Promise<number> {
  const before = heapBytes()
  const store = sqliteStore({ file: ':memory:' })
  await store.open()
  await fill(store, monitors, Date.now())
  const stored = heapBytes()
  const engine = createEngine({ store, checkers: [http] })
  await engine.start()
  const bytes = heapBytes() - stored
  await engine.stop()
  return before > stored ? NaN : bytes / monitors
}

export const engine: Benchmark = {
  name: 'engine',
  about: 'a round from order to stored result with everything in between, flat out',
  unit: 'round',
  async prepare(stage) {
    const { http: port } = await startFarm(stage)
    const origin = `http://127.0.0.1:${port}`
    const units = Math.round(1000 * stage.scale)
    const contenders: Contender[] = []
    // What a store in memory keeps is in this heap, and everybody's collections are dearer by it.
    const stores = storesOf(stage).filter(({ name }) => name !== 'memory')
    for (const { name, make } of stores) {
      const page = { type: 'http', url: `${origin}/` }
      const host = { type: 'nothing', host: 'nowhere.example' }
      contenders.push(
        await rounds(stage, { name: `http, ${name}`, store: make(), monitor: page, units }),
        await rounds(stage, { name: `nothing, ${name}`, store: make(), monitor: host, units }),
      )
    }
    const bare = (name: string, work: () => Promise<void>): Contender => ({
      name,
      units,
      run: (count) => inFlight(count, CONCURRENCY, work),
    })
    const checking = contenders.filter(({ name }) => name.startsWith('http, '))
    return {
      baseline: CLIENT,
      contenders: [
        ...contenders,
        bare('http check alone', checkOf(http(), { url: `${origin}/` })),
        bare(CLIENT, () => undiciClient(origin)),
        bare(DISPATCH, () => undiciDispatch(origin)),
      ],
      goals: checking.flatMap(({ name: of }) => [
        { of, against: CLIENT, at_most: 0.65 },
        { of, against: CLIENT, at_most: 0.45 },
        { of, against: DISPATCH, at_most: 1.3 },
      ]),
      async facts(): Promise<Fact[]> {
        const monitors = Math.round(20_000 * stage.scale)
        const value = await bytesPerMonitor(monitors)
        const name = `a running engine with ${monitors} idle http monitors`
        return [{ name, value, unit: 'bytes of heap per monitor', at_most: 1500 }]
      },
    }
  },
}
