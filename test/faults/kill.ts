/**
 * F1: kill -9 of the engine at random and at named points, then the books. Options: --times 2000, --seed 1,
 * --runs 2, --store postgres (a server of its own), --minutes 30 (no more kills after that).
 *
 * @module
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runKills } from './rig/kills.ts'
import { buildPrograms } from './rig/programs.ts'
import { startPostgres } from '../support/servers/postgres.ts'

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'sqlite' },
    runs: { type: 'string', default: '2' },
    minutes: { type: 'string' },
  },
})
const runs = Number(values.runs)
const times = Math.ceil(Number(values.times) / runs)
const seed = Number(values.seed)
const within_ms = Number(values.minutes ?? Infinity) * 60_000

if (!['sqlite', 'postgres'].includes(values.store)) throw new Error('--store sqlite or postgres')
const server =
  values.store === 'postgres' ? await startPostgres({ settings: ['fsync=on'] }) : undefined
const programs = await buildPrograms()
const folder = mkdtempSync(join(tmpdir(), 'watchpost-kill-'))
const from = performance.now()
let kills = 0
const figures = await Promise.all(
  Array.from({ length: runs }, (_, run) => {
    const own = mkdtempSync(join(folder, 'run-'))
    const onKill = (): void => {
      if (++kills % 100 === 0) console.log(`${kills} kills, ${seconds()} s`)
    }
    const database = server && {
      url: `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`,
      schema: `run_${run}`,
    }
    return runKills({
      ...(database === undefined ? {} : { database }),
      programs,
      folder: own,
      times,
      within_ms,
      seed: seed + run * 1000,
      onKill,
    })
  }),
)
for (const one of figures) console.log(one)
console.log(`${kills} kills on ${values.store} in ${seconds()} s, seed ${seed}`)
await server?.stop()
programs.remove()
const failed = figures.some(({ problems }) => problems.length > 0)
if (failed) console.log(`The files are kept in ${folder}`)
else rmSync(folder, { recursive: true })
process.exitCode = failed ? 1 : 0

function seconds(): string {
  return ((performance.now() - from) / 1000).toFixed(1)
}
