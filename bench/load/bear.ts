/** Engines under load, for as long as is asked: what they made, how late, and what it took. */

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { initialState } from '../../src/incident/state.ts'
import type { Stage } from '../harness/benchmark.ts'
import { newMonitor } from '../subjects/rounds.ts'
import { storeAt } from './places.ts'
import type { Made, Place, Premises } from './places.ts'
import { cpuMs, memoryOf, writtenBy } from './processes.ts'

export interface Load {
  readonly engines: number
  /** Of what is stored. Default: the number of engines. */
  readonly name?: string
  readonly premises: Premises
  /** Port of what is watched. */
  readonly target: number
  readonly monitors: number
  readonly interval_sec: number
  /** Before anything counts: leases are dealt out, and what was overdue at the start is made up for. */
  readonly settle_sec: number
  readonly seconds: number
  /** Of each engine, once a minute. */
  readonly onMinute?: (minute: number, megabytes: readonly number[]) => void
}

export interface Borne extends Made {
  readonly per_second: number
  readonly engine_ms: number
  readonly database_ms: number
  readonly written_bytes: number
  readonly kept_bytes: number
  readonly megabytes: readonly number[]
}

/** Figures per check, but for `megabytes` and `per_second`. */
export async function bear(load: Load, stage: Pick<Stage, 'onEnd'>): Promise<Borne> {
  const { engines, premises, name = `${engines}` } = load
  const place = premises.place(name)
  await fill(place, load)
  const children: ChildProcess[] = []
  for (let engine = 0; engine < engines; engine++) children.push(await startEngine(place, stage))
  await pause(load.settle_sec)
  const since = Date.now()
  const before = await spent(children, premises)
  await watch(children, load)
  const after = await spent(children, premises)
  const until = Date.now()
  const megabytes = children.map(({ pid }) => memoryOf(pid))
  for (const child of children) await stop(child)
  const made = await premises.made(place, since, until)
  const all = await premises.made(place, 0, Number.MAX_SAFE_INTEGER)
  const each = (from: number, to: number): number => (to - from) / made.count
  const logged = premises.cpu() === 0 ? 'written' : 'logged'
  return {
    ...made,
    per_second: made.count / ((until - since) / 1000),
    engine_ms: each(before.engines, after.engines),
    database_ms: each(before.database, after.database),
    written_bytes: each(before[logged], after[logged]),
    kept_bytes: (await premises.size(place)) / all.count,
    megabytes,
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

/** Lets them work. */
async function watch(
  children: readonly ChildProcess[],
  { seconds, onMinute }: Load,
): Promise<void> {
  for (let left = seconds, minute = 1; left > 0; left -= 60, minute++) {
    await pause(Math.min(60, left))
    onMinute?.(
      minute,
      children.map(({ pid }) => memoryOf(pid)),
    )
  }
}

async function fill(place: Place, { monitors, interval_sec, target: port }: Load): Promise<void> {
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

async function startEngine(place: Place, stage: Pick<Stage, 'onEnd'>): Promise<ChildProcess> {
  const file = join(dirname(process.argv[1] ?? ''), 'servers/engine.js')
  const child = spawn(process.execPath, [file, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  stage.onEnd(() => stop(child))
  await once(child.stdout, 'data')
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.stdin?.end()
  await gone
}

function pause(sec: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, sec * 1000))
}
