import { http } from '../../src/checkers/http/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api.ts'
import { DAY_MS } from '../../src/incident/uptime.ts'
import type { Benchmark, Contender, Stage } from '../harness/benchmark.ts'
import { fill, goodRound } from './rounds.ts'
import { storesOf, withPostgres } from './stores.ts'
import type { NamedStore } from './stores.ts'

const MONITORS = 20
const DAYS = 90
/** Rounds of all monitors in one transaction: a history is not lived through here. */
const TOGETHER = 25

/** The same number of rounds on each of 90 days, and an outage on every tenth. */
async function filled(stage: Stage, { make }: NamedStore, rows: number): Promise<Engine> {
  const store = make()
  await store.open()
  const now = Date.now()
  const begin = now - DAYS * DAY_MS
  const monitors = await fill(store, MONITORS, begin)
  const perDay = Math.max(1, Math.round(rows / MONITORS / DAYS))
  for (let day = 0; day < DAYS; day++) {
    const midnight = begin + day * DAY_MS
    const outage = [
      { at: midnight, availability: 'down' as const },
      { at: midnight + 600_000, availability: 'up' as const },
    ]
    // Round by round, all monitors together, as an engine writes them.
    const rounds = Array.from({ length: perDay }, (_, index) => index)
    for (let from = 0; from < perDay; from += TOGETHER) {
      const changes = rounds.slice(from, from + TOGETHER).flatMap((index) => {
        const round = Math.floor(midnight + (index * DAY_MS) / perDay)
        const revision = 1 + day * perDay + index
        const hit = day % 10 === 0 && index === 0 ? { availability: outage } : {}
        return monitors.map((monitor) => ({
          ...goodRound({ ...monitor, revision }, round),
          ...hit,
        }))
      })
      await store.commit(changes)
    }
  }
  const engine = createEngine({ store, checkers: [http] }) as Engine
  stage.onEnd(() => engine.stop())
  await engine.open()
  return engine
}

/** A history of one's own size is that of a file: it would not fit into memory. */
async function storesFor(stage: Stage): Promise<readonly NamedStore[]> {
  if (stage.rows === undefined) return withPostgres(stage)
  return storesOf(stage).filter(({ name }) => name !== 'memory')
}

export const history: Benchmark = {
  name: 'history',
  about: '90 days of uptime, and the last 100 results, of one monitor among 20',
  unit: 'report',
  async prepare(stage) {
    const rows = stage.rows ?? Math.round(90_000 * stage.scale)
    const contenders: Contender[] = []
    for (const named of await storesFor(stage)) {
      const engine = await filled(stage, named, rows)
      const contender = (what: string, read: () => Promise<unknown>): Contender => ({
        name: `${what}, ${named.name}`,
        units: 200,
        async run(units) {
          for (let index = 0; index < units; index++) await read()
        },
      })
      contenders.push(
        contender('90 days of uptime', () => engine.monitors.uptime(3, { days: DAYS })),
        contender('last 100 results', () => engine.results.list(3, { limit: 100 })),
      )
    }
    return {
      contenders,
      goals: contenders.map(({ name: of }) => ({ of, at_most: 1000 })),
      facts: () => [{ name: 'raw rows in each store', value: rows, unit: 'rows' }],
    }
  },
}
