/**
 * Engines under load: so many monitors of local targets, watched by so many engines on one PostgreSQL, or by
 * one on a file of SQLite. Says how many checks a second were made and stored, how late they began, and what
 * a check cost.
 *
 * `npm run bench -- load --engines 1,2,4 --monitors 6000 --interval 30 --seconds 60`
 * `npm run bench -- load --store sqlite --monitors 30000 --interval 60 --seconds 1800`
 */

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { initialState } from '../src/incident/state.ts'
import { startFarm } from './harness/farm.ts'
import { postgresPremises, sqlitePremises, storeAt } from './load/places.ts'
import type { Place, Premises } from './load/places.ts'
import { cpuMs, memoryOf, writtenBy } from './load/processes.ts'
import { newMonitor } from './subjects/rounds.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres' },
    engines: { type: 'string', default: '1' },
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

const ends: (() => unknown)[] = []
const onEnd = (end: () => unknown): void => void ends.unshift(end)

try {
  await measure()
} finally {
  for (const end of ends) await end()
}

async function measure(): Promise<void> {
  const farm = await startFarm({ onEnd })
  const isShared = values.store !== 'sqlite'
  const premises = await (isShared ? postgresPremises() : sqlitePremises())
  onEnd(() => premises.end())
  const wanted = Math.round(monitors / interval_sec)
  console.log(`${monitors} monitors every ${interval_sec} s: ${wanted} checks a second wanted`)
  const counts = isShared ? values.engines.split(',').map(Number) : [1]
  const rows = await inTurn(counts, (engines) => run({ engines, premises, target: farm.http }))
  console.table(rows)
}

interface Run {
  readonly engines: number
  readonly premises: Premises
  /** Port of what is watched. */
  readonly target: number
}

async function run({ engines, premises, target }: Run): Promise<Record<string, number | string>> {
  const place = premises.place(String(engines))
  await fill(place, target)
  const children = await inTurn(Array.from({ length: engines }), () => startEngine(place))
  await pause(SETTLE_SEC)
  const since = Date.now()
  const before = await spent(children, premises)
  await watch(children)
  const after = await spent(children, premises)
  const until = Date.now()
  const megabytes = children.map(({ pid }) => memoryOf(pid)).join(' ')
  for (const child of children) await stop(child)
  const { count, p50_ms, p99_ms } = await premises.made(place, since, until)
  const all = await premises.made(place, 0, Number.MAX_SAFE_INTEGER)
  const each = (from: number, to: number): number => round((to - from) / count)
  const logged = premises.cpu() === 0 ? 'written' : 'logged'
  return {
    engines,
    'checks/s': Math.round(count / ((until - since) / 1000)),
    'late p50, ms': Math.round(p50_ms),
    'late p99, ms': Math.round(p99_ms),
    'engine CPU, ms a check': each(before.engines, after.engines),
    'database CPU, ms a check': each(before.database, after.database),
    'bytes written a check': Math.round(each(before[logged], after[logged])),
    'bytes kept a result': Math.round((await premises.size(place)) / all.count),
    'engine MiB': megabytes,
  }
}

async function spent(children: readonly ChildProcess[], premises: Premises) {
  const sum = (of: (pid: number | undefined) => number): number =>
    children.reduce((total, { pid }) => total + of(pid), 0)
  return {
    engines: sum(cpuMs),
    database: premises.cpu(),
    written: sum(writtenBy),
    logged: await premises.logged(),
  }
}

/** Lets them work; in a long run, what they hold is told once a minute. */
async function watch(children: readonly ChildProcess[]): Promise<void> {
  for (let left = seconds, minute = 1; left > 0; left -= 60, minute++) {
    await pause(Math.min(60, left))
    if (seconds <= 60) continue
    const megabytes = children.map(({ pid }) => memoryOf(pid)).join(' ')
    console.log(`minute ${minute}: ${megabytes} MiB`)
  }
}

async function fill(place: Place, port: number): Promise<void> {
  const store = storeAt(place)
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

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

function pause(sec: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, sec * 1000))
}

function round(each: number): number {
  return Math.round(each * 100) / 100
}
