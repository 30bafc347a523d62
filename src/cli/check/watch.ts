/**
 * `check --watch`: repeats a check, prints a line for each, and a summary like that of `ping`. Memory grows with
 * the kinds of causes, not with the number of checks.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import type { TimedOutcome } from '../../engine/api/views.ts'
import { EXIT } from '../command.ts'
import { stopSignal } from '../stop-signal.ts'
import { decimals, say, sayJson, table } from '../terminal.ts'
import type { Line } from '../terminal.ts'
import { oneLine, verdictWord } from './verdict.ts'
import type { Verdict } from '../../model.ts'

interface Watch {
  /** From the begin of one check to that of the next; a check that takes longer is followed at once. */
  readonly every_sec: number
  /** Ends by itself after so many. */
  readonly count: number
  readonly subject: string
  /** A JSON document per line, and nothing else. */
  readonly json: boolean
  check(signal: AbortSignal): Promise<TimedOutcome>
}

/**
 * Runs until the count is reached, a signal arrives, or stdout is closed. Resolves with the exit
 * code.
 */
export async function watch({ every_sec, count, subject, json, check }: Watch): Promise<number> {
  const stop = new AbortController()
  const end = (): void => stop.abort()
  void stopSignal(systemClock).then(end)
  process.stdout.once('error', end)

  // A function, since the value changes behind every await.
  const stopped = (): boolean => stop.signal.aborted
  const tally = createTally()
  const began = systemClock.monotonic()
  for (let made = 0; made < count && !stopped(); made++) {
    if (made > 0) await pauseUntil(began + made * every_sec * 1000, stop.signal)
    if (stopped()) break
    const outcome = await check(stop.signal)
    // An aborted check has no result.
    if (stopped()) break
    tally.add(outcome)
    if (json) sayJson(outcome)
    else say(lineOf(outcome))
  }
  if (!json) {
    say()
    for (const line of tally.summary(subject, systemClock.monotonic() - began)) say(line)
  }
  if (tally.count('fail') > 0) return EXIT.failing
  return tally.count('ok') > 0 && tally.count('unknown') === 0 ? EXIT.ok : EXIT.unknown
}

async function pauseUntil(at: number, signal: AbortSignal): Promise<void> {
  const left_ms = Math.max(0, at - systemClock.monotonic())
  await systemClock.sleep(left_ms, signal).catch(() => undefined)
}

const WORD_CHARACTERS = 7

function lineOf(outcome: TimedOutcome): Line {
  const { started_at, response_ms, remote_ip, cause_code, cause_text } = outcome
  const { text, tone } = verdictWord(outcome)
  const took = (response_ms === null ? '-' : `${decimals(response_ms)} ms`).padStart(11)
  const cause = cause_code === null ? '' : `  ${cause_code}: ${oneLine(cause_text ?? '')}`
  const place = `  ${remote_ip ?? '-'}`
  return [`${started_at}  `, { text: text.padEnd(WORD_CHARACTERS), tone }, took + place + cause]
}

interface Tally {
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
