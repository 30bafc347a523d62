/**
 * Engines under load: so many monitors of local targets, watched by so many engines on one PostgreSQL, or by
 * one on a file of SQLite. Says how many checks a second were made and stored, how late they began, and what
 * a check cost.
 *
 * `npm run bench -- load --engines 1,2,4 --monitors 6000 --interval 30 --seconds 60`
 * `npm run bench -- load --store sqlite --monitors 30000 --interval 60 --seconds 1800`
 * `npm run bench -- load --store sqlite --highest --interval 20 --settle 45 --seconds 30`
 */

import { parseArgs } from 'node:util'
import { startFarm } from './harness/farm.ts'
import { bear } from './load/bear.ts'
import type { Borne, Load } from './load/bear.ts'
import { highestRate } from './load/highest.ts'
import { postgresPremises, sqlitePremises } from './load/places.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'postgres' },
    engines: { type: 'string', default: '1' },
    monitors: { type: 'string', default: '3000' },
    interval: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '60' },
    /** Default: two intervals, at least 30. */
    settle: { type: 'string' },
    /** Looks for the highest rate that one engine keeps up with, beginning with that of `monitors`. */
    highest: { type: 'boolean', default: false },
  },
})
const monitors = Number(values.monitors)
const interval_sec = Number(values.interval)
const seconds = Number(values.seconds)
const settle_sec = Number(values.settle ?? Math.max(30, 2 * interval_sec))

const ends: (() => unknown)[] = []
const stage = { onEnd: (end: () => unknown): void => void ends.unshift(end) }

try {
  await measure()
} finally {
  for (const end of ends) await end()
}

async function measure(): Promise<void> {
  const { http: target } = await startFarm(stage)
  const isShared = values.store !== 'sqlite'
  const premises = await (isShared ? postgresPremises() : sqlitePremises())
  stage.onEnd(() => premises.end())
  const wanted = Math.round(monitors / interval_sec)
  const common = { premises, target, interval_sec, settle_sec, seconds }
  if (values.highest) return search(wanted, common)
  console.log(`${monitors} monitors every ${interval_sec} s: ${wanted} checks a second wanted`)
  const lines: object[] = []
  for (const engines of isShared ? values.engines.split(',').map(Number) : [1]) {
    const load = { ...common, engines, monitors }
    lines.push(lineOf(engines, await bear({ ...load, ...(seconds > 60 && { onMinute }) }, stage)))
  }
  console.table(lines)
}

async function search(first: number, common: Omit<Load, 'engines' | 'monitors'>): Promise<void> {
  const lines: object[] = []
  const rate = await highestRate(
    first,
    (per_second) => {
      const monitors = per_second * interval_sec
      return bear({ ...common, engines: 1, monitors, name: `rate_${per_second}` }, stage)
    },
    ({ per_second, holds }, borne) => {
      const { engines: _one, ...line } = lineOf(1, borne)
      lines.push({ wanted: per_second, holds, ...line })
      console.log(`${per_second} checks a second: ${holds ? 'holds' : 'does not hold'}`)
    },
  )
  console.table(lines)
  console.log(`The highest rate that held: ${rate} checks a second`)
}

function onMinute(minute: number, megabytes: readonly number[]): void {
  console.log(`minute ${minute}: ${megabytes.join(' ')} MiB`)
}

function lineOf(engines: number, borne: Borne): Record<string, number | string> {
  return {
    engines,
    'checks/s': Math.round(borne.per_second),
    'late p50, ms': Math.round(borne.p50_ms),
    'late p99, ms': Math.round(borne.p99_ms),
    'engine CPU, ms a check': round(borne.engine_ms),
    'database CPU, ms a check': round(borne.database_ms),
    'bytes written a check': Math.round(borne.written_bytes),
    'bytes kept a result': Math.round(borne.kept_bytes),
    'engine MiB': borne.megabytes.join(' '),
  }
}

function round(each: number): number {
  return Math.round(each * 100) / 100
}
