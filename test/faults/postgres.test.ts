/** F1, F5 and F10 on a real PostgreSQL, small. docs/reliability.md has the long runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { waitedOnMachine_ms, withDeadline } from '../support/deadlines.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'
import { runKills } from './rig/kills.ts'
import { buildPrograms } from './rig/programs.ts'
import type { Programs } from './rig/programs.ts'
import { runRestart } from './rig/restart.ts'
import { runSplit } from './rig/split.ts'

/** Once at each named point and as often at random; fewer where they take longer than this. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 12)
const FEWEST = 2
const WITHIN_MS = 15_000

/** Of a monitor while the server restarts, and the deadline of its checks. */
const INTERVAL_SEC = 20
const CHECK_MS = INTERVAL_SEC * 900

describeWithServer(postgresServer, 'engines on PostgreSQL', () => {
  let programs: Programs
  let server: PostgresServer
  beforeAll(async () => {
    programs = await buildPrograms()
    server = await startPostgres()
  })
  afterAll(async () => {
    await server.stop()
    programs.remove()
  })

  function place(schema: string) {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-postgres-fault-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
    return { programs, folder, database: { url, schema } }
  }

  it('that are killed lose nothing, leave nothing half done, and double no delivery without a cause', async () => {
    const given = { ...place('kills'), times: KILLS, within_ms: WITHIN_MS, fewest: FEWEST, seed: 3 }
    const figures = await runKills(given)
    expect(figures.problems).toEqual([])
    expect(figures.kills).toBeGreaterThanOrEqual(FEWEST)
    expect(figures.incidents).toBeGreaterThan(0)
  }, 900_000)

  it('lose no notification to a restart of the server, and tell what happened meanwhile and nothing else', async () => {
    const wrong: string[] = []
    // A target that answers too late is an outage, as any: at ten times the pace a check has less than two seconds.
    await withDeadline(
      CHECK_MS / 10,
      async (deadline_ms) => {
        const factor = CHECK_MS / deadline_ms
        const given = { ...place(`restart_${deadline_ms}`), server, away_ms: 2000 }
        const figures = await runRestart({ ...given, factor, interval_sec: INTERVAL_SEC })
        // What is lost or doubled is so on a busy machine as well.
        wrong.push(...figures.problems.filter((each) => !each.endsWith('of two outages')))
        expect(figures.incidents).toBe(2)
      },
      waitedOnMachine_ms,
    )
    expect(wrong).toEqual([])
  }, 900_000)

  it('send nothing twice but what one had begun that stood still, and then the same bytes', async () => {
    const figures = await runSplit({ ...place('split'), times: 1, factor: 10 })
    expect(figures.problems).toEqual([])
    expect(figures.taken_over).toBeGreaterThan(0)
  })
})
