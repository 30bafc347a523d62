import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import type { SqliteDriverName } from '../../src/store/sqlite/index.ts'
import type { Benchmark, Contender, Fact, Stage } from '../harness/benchmark.ts'
import { fill, goodRound, T0 } from './rounds.ts'
import { withPostgres } from './stores.ts'
import type { NamedStore } from './stores.ts'

const GROUP = 64
const MONITORS = 512
const BOUNDS_US = {
  memory: undefined,
  'sqlite wasm': 40,
  'node:sqlite': 20,
  postgres: 60,
} as const

interface Writing extends Contender {
  bytesPerResult(): Promise<number>
}

async function commits(stage: Stage, { name, make }: NamedStore): Promise<Writing> {
  const store = make()
  await store.open()
  stage.onEnd(() => store.close())
  const monitors = await fill(store, MONITORS)
  let written = 0
  const run = async (units: number): Promise<void> => {
    for (let done = 0; done < units; done += GROUP) {
      const changes = Array.from({ length: GROUP }, () => {
        const monitor = monitors[written % MONITORS]!
        const turn = Math.floor(written++ / MONITORS)
        return goodRound({ ...monitor, revision: turn + 1 }, T0 + turn * 60_000)
      })
      const committed = await store.commit(changes)
      if (!committed.every(({ ok }) => ok)) throw new Error('a change was refused')
    }
  }
  return {
    name,
    units: GROUP * Math.max(1, Math.round(64 * stage.scale)),
    run,
    async bytesPerResult() {
      const before = bytesWritten()
      await run(GROUP * 16)
      return (bytesWritten() - before) / (GROUP * 16)
    },
  }
}

/** One narrow row and nothing else: what the driver itself costs. */
async function bareRows(stage: Stage, driver: SqliteDriverName): Promise<Contender> {
  const { open, pragmas, name } = await loadDriver(driver)
  const db = open(join(stage.folder, `bare-${driver}.db`))
  stage.onEnd(() => db.close())
  for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`)
  db.exec('CREATE TABLE results (id INTEGER PRIMARY KEY, monitor_id INT, at INT, ms REAL, v TEXT)')
  const insert = db.prepare('INSERT INTO results (monitor_id, at, ms, v) VALUES (?, ?, ?, ?)')
  return {
    name: `bare rows, ${name}`,
    units: GROUP * Math.max(1, Math.round(64 * stage.scale)),
    run(units) {
      for (let done = 0; done < units; done += GROUP) {
        db.exec('BEGIN IMMEDIATE')
        for (let row = 0; row < GROUP; row++) insert.run([row, T0 + done, 12.25, 'ok'])
        db.exec('COMMIT')
      }
    },
  }
}

/** Handed to write(2) so far; Linux alone tells. */
function bytesWritten(): number {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  } catch {
    return NaN
  }
}

export const store: Benchmark = {
  name: 'store',
  about: `one good round stored durably with its roll-up, in groups of ${GROUP}`,
  unit: 'result',
  async prepare(stage) {
    // One that keeps all rows in the heap would have the others pay for its collections.
    const stores = (await withPostgres(stage)).filter(({ name }) => name !== 'memory')
    const writing: Writing[] = []
    for (const each of stores) writing.push(await commits(stage, each))
    const native = stores.some(({ name }) => name === 'node:sqlite')
    const bare = [
      await bareRows(stage, 'wasm'),
      ...(native ? [await bareRows(stage, 'native')] : []),
    ]
    return {
      baseline: bare[0]!.name,
      contenders: [...writing, ...bare],
      goals: stores.flatMap(({ name: of }) => {
        const at_most = BOUNDS_US[of]
        return at_most === undefined ? [] : [{ of, at_most }]
      }),
      async facts() {
        const facts: Fact[] = []
        // What PostgreSQL writes is written by its server.
        const own = writing.filter(({ name }) => name !== 'postgres')
        for (const { name, bytesPerResult } of own) {
          const value = await bytesPerResult()
          if (Number.isNaN(value)) continue
          facts.push({ name: `${name}: written`, value, unit: 'bytes per result', at_most: 8192 })
        }
        return facts
      },
    }
  },
}
