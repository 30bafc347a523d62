/**
 * `check --watch`: repeats a check, prints a line for each, and a summary.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import type { TimedOutcome } from '../../engine/api/views.ts'
import { EXIT } from '../command.ts'
import { stopSignal } from '../stop-signal.ts'
import { decimals, say, sayJson } from '../terminal.ts'
import type { Line } from '../terminal.ts'
import { createTally } from './tally.ts'
import { oneLine, verdictWord } from './verdict.ts'

export interface Watch {
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
    // One that was cut off says nothing about the target.
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
