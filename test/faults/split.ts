/**
 * F10: four engines on one PostgreSQL; one is stopped while it sends, beyond its leases, and continued, another
 * one is cut off from the database. Options: --times 20, --factor 10.
 *
 * @module
 */

import { parseArgs } from 'node:util'
import { startPostgres } from '../support/servers/postgres.ts'
import { inFolder } from './rig/folder.ts'
import { buildPrograms } from './rig/programs.ts'
import { runSplit } from './rig/split.ts'

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '20' },
    factor: { type: 'string', default: '10' },
  },
})
const programs = await buildPrograms()
const server = await startPostgres({ settings: ['fsync=on'] })
const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
await inFolder('split', async (folder) => {
  const figures = await runSplit({
    ...{ programs, folder, database: { url, schema: 'split' } },
    times: Number(values.times),
    factor: Number(values.factor),
  })
  console.log(figures)
  return figures.problems.length === 0
})
await server.stop()
programs.remove()
