/**
 * A fleet under load: so many monitors of local targets, watched by so many engines on one PostgreSQL. Says
 * how many checks a second were made and stored, how late they began, and what a check cost.
 *
 * `npm run bench -- load --engines 2 --monitors 6000 --interval 30 --seconds 60`
 */

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { initialState } from '../src/incident/state.ts'
import { postgresStore } from '../src/store/postgres/index.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { startFarm } from './harness/farm.ts'
import { newMonitor } from './subjects/rounds.ts'

const { values } = parseArgs({
  options: {
    engines: { type: 'string', default: '1,2,4' },
    monitors: { type: 'string', default: '3000' },
    interval: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
  },
})
const monitors = Number(values.monitors)
const interval_sec = Number(values.interval)
const seconds = Number(values.seconds)
/** Leases are dealt out, and what was overdue is made up for. */
const SETTLE_SEC = 30
/** Of `times` in /proc. */
const TICK_MS = 10

interface Place {
  readonly url: string
  readonly schema: string
}

const ends: (() => unknown)[] = []
const onEnd = (end: () => unknown): void => void ends.unshift(end)

try {
  await measure()
} finally {
  for (const end of ends) await end()
}

async function measure(): Promise<void> {
  const farm = await startFarm({ onEnd })
  const server = await startPostgres({ settings: ['fsync=on'] })
  onEnd(() => server.stop())
  const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
  console.log(
    `${monitors} monitors every ${interval_sec} s: ${rate(monitors / interval_sec)} wanted`,
  )
  console.table(await inTurn(values.engines.split(',').map(Number), (engines) => run(engines)))

  async function run(engines: number): Promise<Record<string, number | string>> {
    const place = { url, schema: `load_${engines}` }
    await fill(place, farm)
    const children = await inTurn(Array.from({ length: engines }), () => startEngine(place))
    await pause(SETTLE_SEC)
    const since = Date.now()
    const before = { engines: cpuOf(children), postgres: postgresCpu() }
    await pause(seconds)
    const spent = {
      engines: cpuOf(children) - before.engines,
      postgres: postgresCpu() - before.postgres,
    }
    const { count, p50, p99 } = await made(place, since, Date.now())
    const megabytes = children.map(({ pid }) => memoryOf(pid)).join(' ')
    for (const child of children) await stop(child)
    return {
      engines,
      'checks/s': Math.round(count / seconds),
      'late p50, ms': Math.round(p50),
      'late p99, ms': Math.round(p99),
      'engine CPU, ms a check': round(spent.engines / count),
      'PostgreSQL CPU, ms a check': round(spent.postgres / count),
      'engine MB': megabytes,
    }
  }
}

async function fill(place: Place, { http: port }: { readonly http: number }): Promise<void> {
  const store = postgresStore(place)
  await store.open()
  await store.accounts.ensureFirst({ name: 'load', created_at: Date.now() })
  await store.locations.ensure('local')
  const target = `http://127.0.0.1:${port}/`
  for (let index = 0; index < monitors; index++) {
    const made = newMonitor(index, Date.now())
    await store.monitors.create({
      ...made,
      common: { ...made.common, interval_sec },
      settings: { ...made.settings, url: target },
      target,
      // A full round ago, so that nothing is overdue.
      machine: { ...initialState(Date.now()), last_round_at: Date.now() },
    })
  }
  await store.close()
}

async function startEngine(place: Place): Promise<ChildProcess> {
  const file = join(dirname(process.argv[1] ?? ''), 'servers/engine.js')
  const child = spawn(process.execPath, [file, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onEnd(() => stop(child))
  await once(child.stdout, 'data')
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.stdin?.end()
  await gone
}

async function made({ url, schema }: Place, from: number, to: number) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ count: string; p50: number | null; p99: number | null }>(
    `SELECT count(*) AS count,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY lag_ms) AS p50,
       percentile_cont(0.99) WITHIN GROUP (ORDER BY lag_ms) AS p99
     FROM ${schema}.results WHERE started_at BETWEEN $1 AND $2`,
    [from, to],
  )
  await client.end()
  const [row] = rows
  return { count: Number(row?.count), p50: row?.p50 ?? NaN, p99: row?.p99 ?? NaN }
}

function cpuOf(children: readonly ChildProcess[]): number {
  return children.reduce((sum, { pid }) => sum + cpuMs(pid), 0)
}

/** Of all its processes that live now: backends of engines stay as long as the engines. */
function postgresCpu(): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => contents(pid, 'comm').startsWith('postgres'))
    .reduce((sum, pid) => sum + cpuMs(pid), 0)
}

function cpuMs(pid: number | undefined): number {
  const fields = contents(pid, 'stat')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}

function memoryOf(pid: number | undefined): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(contents(pid, 'status'))?.[1] ?? 0) / 1024)
}

function contents(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

function pause(sec: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, sec * 1000))
}

function rate(checks: number): string {
  return `${Math.round(checks)} checks a second`
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
