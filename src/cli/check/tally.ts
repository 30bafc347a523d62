/**
 * The summary of a series of checks, like that of `ping`. Memory grows with the kinds of causes,
 * not with the number of checks.
 *
 * @module
 */

import type { TimedOutcome } from '../../engine/api/views.ts'
import type { Verdict } from '../../model.ts'
import { decimals, table } from '../terminal.ts'

export interface Tally {
  add(outcome: TimedOutcome): void
  count(verdict: Verdict): number
  /** `took_ms`: from the first check to the end. */
  summary(subject: string, took_ms: number): string[]
}

/** Codes are a small set, unless a checker makes them up. */
const CAUSES_LIMIT = 100

export function createTally(): Tally {
  const counts = { ok: 0, fail: 0, unknown: 0 }
  const causes = new Map<string, number>()
  const times = createTimes()
  return {
    add({ verdict, cause_code, response_ms }) {
      counts[verdict] += 1
      if (verdict === 'ok' && response_ms !== null) times.add(response_ms)
      if (cause_code === null) return
      const known = causes.get(cause_code)
      if (known !== undefined || causes.size < CAUSES_LIMIT) {
        causes.set(cause_code, (known ?? 0) + 1)
      }
    },
    count: (verdict) => counts[verdict],
    summary(subject, took_ms) {
      const { ok, fail, unknown } = counts
      const all = ok + fail + unknown
      const share = all === 0 ? '' : `, ${shareOf(ok, all)} ok`
      const most = [...causes].sort(([, one], [, other]) => other - one)
      return [
        `--- ${subject}`,
        `${all} ${all === 1 ? 'check' : 'checks'} in ${(took_ms / 1000).toFixed(1)} s: ` +
          `${ok} ok, ${fail} failing, ${unknown} unknown${share}`,
        ...times.summary(),
        ...table(most.map(([code, count]) => [`  ${code}`, String(count)])),
      ]
    },
  }
}

/** Never 100 % with a failure among them. */
function shareOf(ok: number, all: number): string {
  return `${Math.floor((ok / all) * 1000) / 10} %`
}

/** Mean and deviation of numbers that are not kept (Welford, Technometrics 4(3), 1962). */
function createTimes(): { add(ms: number): void; summary(): string[] } {
  let count = 0
  let mean = 0
  let squares = 0
  let [least, most] = [Infinity, 0]
  return {
    add(ms) {
      count += 1
      const from = ms - mean
      mean += from / count
      squares += from * (ms - mean)
      least = Math.min(least, ms)
      most = Math.max(most, ms)
    },
    summary() {
      if (count === 0) return []
      const figures = [least, mean, most, Math.sqrt(squares / count)].map(decimals)
      return [`time of the good ones: min/avg/max/stddev ${figures.join('/')} ms`]
    },
  }
}
