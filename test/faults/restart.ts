/**
 * F5: PostgreSQL is stopped at once (`pg_ctl stop -m immediate`) under an engine and started again. Options:
 * --away 0,5,60 (seconds), --factor 1 (how much faster than real time the engine's clock goes), --interval 30.
 *
 * @module
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../support/servers/postgres.ts'
import { inFolder } from './rig/folder.ts'
import { buildPrograms } from './rig/programs.ts'
import { runRestart } from './rig/restart.ts'

const { values } = parseArgs({
  options: {
    away: { type: 'string', default: '0,5,60' },
    factor: { type: 'string', default: '1' },
    interval: { type: 'string', default: '30' },
  },
})
const interval_sec = Number(values.interval)
const programs = await buildPrograms()
const server = await startPostgres({ settings: ['fsync=on'] })
const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
await inFolder('restart', async (folder) => {
  let good = true
  for (const away_sec of values.away.split(',').map(Number)) {
    const own = join(folder, `away-${away_sec}`)
    mkdirSync(own)
    const figures = await runRestart({
      ...{ programs, folder: own, server, interval_sec, factor: Number(values.factor) },
      database: { url, schema: `away_${away_sec}` },
      away_ms: away_sec * 1000,
    })
    const in_time = figures.caught_up_ms <= interval_sec * 1000
    console.log({ away_sec, ...figures, in_time })
    good &&= in_time && figures.problems.length === 0
  }
  return good
})
await server.stop()
programs.remove()
