import { http } from '../../src/checkers/http/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { DAY_MS } from '../../src/model/time.ts'
import type { FullStore } from '../../src/store/store.ts'
import type { Benchmark, Contender, Fact, Stage } from '../harness/benchmark.ts'
import { fill, goodRound } from './rounds.ts'
import { storesOf, withPostgres } from './stores.ts'
import type { NamedStore } from './stores.ts'

const MONITORS = 20
const DAYS = 90
/** Rounds of all monitors in one transaction: a history is not lived through here. */
const TOGETHER = 25
/** A step of retention in the engine takes this many rows, and other work waits for no more than one. */
const STEP_ROWS = 500
const STEPS = 50
const LONGEST_PAUSE_MS = 50

/** The same number of rounds on each of 90 days, and an outage on every tenth. */
async function fillDays(store: FullStore, rows: number): Promise<void> {
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
}

async function opened(stage: Stage, store: FullStore): Promise<Engine> {
  const engine = createEngine({ store, checkers: [http] }) as Engine
  stage.onEnd(() => engine.stop())
  await engine.open()
  return engine
}

/** The longest of the steps in which the oldest days go, in milliseconds of the clock. */
async function longestPause(store: FullStore): Promise<number> {
  const results_before = Date.now() - (DAYS / 2) * DAY_MS
  let longest = 0
  for (let step = 0; step < STEPS; step++) {
    const begun = performance.now()
    await store.prune({
      ...{ results_before, notifications_before: 0, history_before: 0, hours_before: 0 },
      ...{ audit_before: 0, revoked_before: 0, idempotency_before: 0 },
      limit: STEP_ROWS,
    })
    longest = Math.max(longest, performance.now() - begun)
  }
  return longest
}

/** Not the one in memory: with its rows in the heap, the others would pay for its collections. */
async function storesFor(stage: Stage): Promise<readonly NamedStore[]> {
  const stores = stage.rows === undefined ? await withPostgres(stage) : storesOf(stage)
  return stores.filter(({ name }) => name !== 'memory')
}

export const history: Benchmark = {
  name: 'history',
  about: '90 days of uptime, and the last 100 results, of one monitor among 20',
  unit: 'report',
  async prepare(stage) {
    const rows = stage.rows ?? Math.round(90_000 * stage.scale)
    const contenders: Contender[] = []
    const stores = (await storesFor(stage)).map(({ name, make }) => ({ name, store: make() }))
    for (const { name: of, store } of stores) {
      await store.open()
      await fillDays(store, rows)
      const engine = await opened(stage, store)
      const contender = (what: string, read: () => Promise<unknown>): Contender => ({
        name: `${what}, ${of}`,
        units: 500,
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
      async facts(): Promise<Fact[]> {
        const facts: Fact[] = [{ name: 'raw rows in each store', value: rows, unit: 'rows' }]
        for (const { name: of, store } of stores) {
          const value = await longestPause(store)
          const name = `longest step of retention, ${of}`
          facts.push({ name, value, unit: 'ms', at_most: LONGEST_PAUSE_MS })
        }
        return facts
      },
    }
  },
}
