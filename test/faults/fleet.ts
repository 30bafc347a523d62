/**
 * A fleet: PostgreSQL, Redis, two engines and three probes as processes of the command line; one engine and one
 * probe are killed in the middle, the probe comes back. Options: --monitors 1000, --minutes 3, --seed 1,
 * --slack 5 (seconds beyond the takeover time that a busy machine may take).
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/clock.ts'
import { startPostgres } from '../support/servers/postgres.ts'
import { startRedis } from '../support/servers/redis.ts'
import { diceOf } from './rig/dice.ts'
import { startFarm } from './rig/farm.ts'
import { account } from './rig/fleet/account.ts'
import { startCommand } from './rig/fleet/command.ts'
import type { CommandProcess } from './rig/fleet/command.ts'
import { createMonitors } from './rig/fleet/monitors.ts'
import { playOutages } from './rig/fleet/outages.ts'
import { inFolder } from './rig/folder.ts'
import { balance } from './rig/ledger.ts'
import { bundle } from './rig/programs.ts'
import { startReceiver } from './rig/receiver.ts'
import type { Receiver } from './rig/receiver.ts'
import { postgresTables } from './rig/tables.ts'
import type { Tables } from './rig/tables.ts'

const { values } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    slack: { type: 'string', default: '5' },
  },
})
const monitors = Number(values.monitors)
const run_ms = Number(values.minutes) * 60_000
const INTERVAL_SEC = 30
/** Interval, lease of the dead engine, the beat in which it is noticed, the time over which what is overdue is spread. */
const LONGEST_GAP_MS = (INTERVAL_SEC + 10 + 3 + 5 + Number(values.slack)) * 1000
const LOCATIONS = ['a', 'b', 'c']
const PROBE_AWAY_MS = 30_000
const SETTLE_MS = 120_000
const SECRET = 'the secret of the fleet'
const PATHS = ['/calm', '/slow']
/** An incident that goes on, a notification under way. */
const OPEN = `SELECT id FROM incidents WHERE ended_at IS NULL
  UNION ALL SELECT id FROM notifications WHERE status IN ('queued', 'sending')`

const started_at = systemClock.now()
function note(text: string): void {
  const sec = ((systemClock.now() - started_at) / 1000).toFixed(1)
  console.log(`${sec.padStart(6)} s  ${text}`)
}

const { programs, remove } = await bundle({
  cli: 'src/cli/main.ts',
  receiver: 'test/faults/rig/receiver-child.ts',
})
const [postgres, redis] = await Promise.all([
  startPostgres({ settings: ['fsync=on'] }),
  startRedis(),
])
note('PostgreSQL and Redis are there')
try {
  await inFolder('fleet', play)
} finally {
  await Promise.all([postgres.stop(), redis.stop()])
  remove()
}

async function play(folder: string): Promise<boolean> {
  const database = {
    url: `postgres://postgres@127.0.0.1:${postgres.ports.postgres}/app`,
    schema: 'watchpost',
  }
  const tables = postgresTables(database)
  const half = Math.ceil(monitors / 2)
  const farm = await startFarm({ http: half, tcp: monitors - half, hosts: 50 })
  const receiver = await startReceiver(programs.receiver, join(folder, 'received.jsonl'))
  await receiver.script('/slow', [], { status: 200, delay_ms: 1000 })
  writeContacts(folder, receiver.url)
  const start = startersOf(folder, database.url)

  const engines = ['engine-1', 'engine-2'].map(start.engine)
  const urls = await Promise.all(engines.map(listening))
  const probes = LOCATIONS.map(start.probe)
  await Promise.all(probes.map((probe) => probe.says(/at work/)))
  note('two engines and three probes are at work')
  const monitor_ids = await createMonitors({
    database_url: database.url,
    urls,
    targets: farm.targets,
    interval_sec: INTERVAL_SEC,
  })
  note(`${monitors} monitors are made`)
  await settled(tables, "SELECT id FROM monitors WHERE state = 'pending'")
  note('each has been checked')

  const from = systemClock.now()
  const playing = playOutages({ targets: farm.targets, dice: diceOf(Number(values.seed)), run_ms })
  await systemClock.sleep(run_ms / 2)
  const doomed = { engine: engines[0]!, probe: probes[1]! }
  const survivor = engines[1]!
  const before = survivor.said().length
  await nextDelivery(receiver)
  await Promise.all(Object.values(doomed).map(kill))
  const taken = survivor.says(/the shards of this engine changed/, before)
  taken.then(
    () => note('the other engine has taken over'),
    () => undefined,
  )
  await systemClock.sleep(PROBE_AWAY_MS)
  const again = start.probe('b')
  await again.says(/at work/)
  note('the probe is back')
  const outages = await playing
  await systemClock.sleep(Math.max(0, from + run_ms - systemClock.now()))
  const to = systemClock.now()
  note('the targets stay up from now on')
  const left = await settled(tables, OPEN)
  note(`nothing is open${left.length === 0 ? '' : `, but ${left.length} rows are`}`)
  const alive = [survivor, probes[0]!, probes[2]!, again]
  const codes = await Promise.all(alive.map(end))

  const rounds = await account({
    ...{ tables, monitor_ids, outages, from, to, longest_gap_ms: LONGEST_GAP_MS },
  })
  const notices = await balance({
    tables,
    said: [],
    received: receiver.entries(),
    contacts: PATHS.length,
    healthy: { path: '/calm', id: 1 },
    secret: SECRET,
  })
  farm.close()
  await receiver.kill()
  const ends = codes.flatMap((code, index) =>
    code === 0 ? [] : [`${alive[index]!.name} ended with ${code}`],
  )
  const problems = [
    ...rounds.problems,
    ...notices.problems,
    ...ends,
    ...left.map(({ id }) => `${String(id)} is open in the end`),
  ]
  console.table({
    ...rounds,
    ...notices,
    longest_gap_allowed_ms: LONGEST_GAP_MS,
    problems: problems.length,
  })
  for (const problem of problems.slice(0, 50)) console.log(problem)
  console.log(problems.length === 0 ? 'The books balance.' : 'The books do not balance.')
  return problems.length === 0
}

/** Asks until there is no such row, or it takes too long; what is left then. */
async function settled(tables: Tables, query: string): Promise<readonly Record<string, unknown>[]> {
  const until = systemClock.monotonic() + SETTLE_MS
  for (;;) {
    const [rows = []] = await tables.read([query])
    if (rows.length === 0 || systemClock.monotonic() > until) return rows
    await systemClock.sleep(1000)
  }
}

/** In the middle of its second, for an engine that is killed then. */
async function nextDelivery(receiver: Receiver): Promise<void> {
  const count = (): number => receiver.entries().filter(({ path }) => path === '/slow').length
  const before = count()
  while (count() === before) await systemClock.sleep(50)
}

function writeContacts(folder: string, url: (path: string) => string): void {
  const contacts = PATHS.map((path) => ({
    ...{ kind: 'webhook', name: path, url: url(path), secret: SECRET, all_monitors: true },
  }))
  writeFileSync(join(folder, 'contacts.json'), JSON.stringify(contacts))
}

interface Starters {
  engine(name: string): CommandProcess
  probe(location: string): CommandProcess
}

function startersOf(folder: string, database_url: string): Starters {
  const env = {
    REDIS_URL: `redis://127.0.0.1:${redis.ports.redis}`,
    WATCHPOST_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  const serving = {
    ...env,
    PORT: '0',
    DATABASE_URL: database_url,
    WATCHPOST_API_KEY: randomBytes(16).toString('hex'),
    WATCHPOST_LOCATIONS: LOCATIONS.join(),
    WATCHPOST_WEBHOOK_ALLOW: '127.0.0.0/24',
    WATCHPOST_CONTACTS: join(folder, 'contacts.json'),
  }
  const program = programs.cli
  let probes = 0
  return {
    engine: (name) => startCommand({ name, program, args: ['serve'], env: serving, folder }),
    probe(location) {
      const name = `probe-${location}-${++probes}`
      return startCommand({ name, program, args: ['probe', '--location', location], env, folder })
    },
  }
}

async function listening(engine: CommandProcess): Promise<string> {
  const [, url = ''] = await engine.says(/Listening on (\S+),/)
  return url
}

async function kill(command: CommandProcess): Promise<void> {
  command.signal('SIGKILL')
  await command.ended
  note(`${command.name} was killed`)
}

function end(command: CommandProcess): Promise<number | NodeJS.Signals> {
  command.signal('SIGTERM')
  return command.ended
}
