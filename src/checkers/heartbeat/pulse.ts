/**
 * The stored state of a job's signals, and the deadlines derived from it. Pure.
 *
 * @module
 */

import type { EpochMs, Json } from '../../model.ts'
import type { DeadlineReset, Signal } from '../push.ts'
import { expectedAfter } from './schedule.ts'
import type { Expected, HeartbeatTerms } from './schedule.ts'
import { isJsonObject } from '../../model/json.ts'

const MESSAGE_LIMIT = 1000

/** The memo of a heartbeat. */
export interface Pulse {
  /** When the wait for the first signal began. */
  readonly awaited_since: EpochMs | null
  /** Start of the current period; `null` before the first signal. */
  readonly base_at: EpochMs | null
  /** When the next signal is expected, as computed at the last one. */
  readonly expected: Expected | null
  readonly last_signal: Signal['kind'] | null
  readonly last_signal_at: EpochMs | null
  /** When the current run started. */
  readonly started_at: EpochMs | null
  readonly run_id: string | null
  readonly failed_at: EpochMs | null
  readonly exit_code: number | null
  /** Duration of a run that has ended and is not reported yet. */
  readonly run_ms: number | null
  readonly message: string | null
}

export interface Deadlines {
  /** End of the period: late from then on. */
  readonly expected_at: EpochMs
  /** End of the grace of the first missed signal. */
  readonly first_missed_at: EpochMs
  /** End of the grace of the last signal that may be missed: down from then on. */
  readonly missed_at: EpochMs
  /** By when a started run must end; `null` if none is running. */
  readonly finish_by: EpochMs | null
}

const SILENT: Pulse = {
  awaited_since: null,
  base_at: null,
  expected: null,
  last_signal: null,
  last_signal_at: null,
  started_at: null,
  run_id: null,
  failed_at: null,
  exit_code: null,
  run_ms: null,
  message: null,
}

export function pulseOf(memo: Json | undefined): Pulse {
  return isJsonObject(memo) ? { ...SILENT, ...(memo as Partial<Pulse>) } : SILENT
}

/** The memo of a job that waits for its first signal since `at`. */
export function begin(at: EpochMs): Json {
  return { ...SILENT, awaited_since: at }
}

/** The memo after a signal. */
export function receive(memo: Json | undefined, signal: Signal, terms: HeartbeatTerms): Json {
  const pulse = pulseOf(memo)
  const heard: Pulse = {
    ...pulse,
    last_signal: signal.kind,
    last_signal_at: signal.at,
    message: signal.message === undefined ? null : signal.message.slice(0, MESSAGE_LIMIT),
  }
  return { ...scheduled(after(pulse, heard, signal), terms) }
}

function scheduled(pulse: Pulse, terms: HeartbeatTerms): Pulse {
  if (pulse.base_at === null) return pulse
  return { ...pulse, expected: expectedAfter(pulse.base_at, terms, pulse.expected) }
}

function after(pulse: Pulse, heard: Pulse, signal: Signal): Pulse {
  if (signal.kind === 'log') return heard
  if (signal.kind === 'start') {
    return {
      ...heard,
      run_ms: null,
      base_at: pulse.base_at ?? signal.at,
      started_at: signal.at,
      run_id: signal.run_id ?? null,
    }
  }
  // The end of another run does not end the current one; an end without an id ends any run.
  const other =
    signal.run_id !== undefined && pulse.run_id !== null && signal.run_id !== pulse.run_id
  const ended: Pulse = {
    ...heard,
    started_at: other ? pulse.started_at : null,
    run_id: other ? pulse.run_id : null,
    exit_code: signal.exit_code ?? null,
    run_ms:
      signal.duration_ms ??
      (pulse.started_at === null || other ? null : signal.at - pulse.started_at),
  }
  if (signal.kind === 'success') return { ...ended, base_at: signal.at, failed_at: null }
  return { ...ended, base_at: pulse.base_at ?? signal.at, failed_at: signal.at }
}

/** The latest time of the first signal; `null` if there is no limit. */
export function firstSignalBy(pulse: Pulse, { settings }: HeartbeatTerms): EpochMs | null {
  const { first_signal_sec } = settings
  if (first_signal_sec === undefined || pulse.awaited_since === null) return null
  return pulse.base_at === null ? pulse.awaited_since + first_signal_sec * 1000 : null
}

/** `null` before the first signal: there is no period yet. */
export function deadlines(pulse: Pulse, terms: HeartbeatTerms): Deadlines | null {
  if (pulse.base_at === null) return null
  const expected = expectedAfter(pulse.base_at, terms, pulse.expected)
  const { at: expected_at, period_ms, last_at, last_period_ms } = expected
  const grace_ms = graceMs({ ...terms, period_ms })
  return {
    expected_at,
    first_missed_at: expected_at + grace_ms,
    missed_at: last_at + graceMs({ ...terms, period_ms: last_period_ms }),
    finish_by: pulse.started_at === null ? null : pulse.started_at + grace_ms,
  }
}

/** The next time at which the verdict may change. */
export function nextDue(
  memo: Json | undefined,
  now: EpochMs,
  terms: HeartbeatTerms,
): EpochMs | null {
  const pulse = pulseOf(memo)
  const due = deadlines(pulse, terms)
  if (pulse.failed_at !== null) return null
  const times =
    due === null ? [firstSignalBy(pulse, terms)] : [due.expected_at, due.missed_at, due.finish_by]
  const ahead = times.filter((at) => at !== null && at > now) as EpochMs[]
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/** See `PushRules.resetDeadline`. */
export function resetDeadline(memo: Json | undefined, why: DeadlineReset): Json | undefined {
  const pulse = pulseOf(memo)
  const { at } = why
  if (why.reason === 'clock_set') {
    const moved = (time: EpochMs | null) => (time === null ? null : time + why.by_ms)
    return {
      ...pulse,
      awaited_since: moved(pulse.awaited_since),
      base_at: moved(pulse.base_at),
      started_at: moved(pulse.started_at),
    }
  }
  if (pulse.base_at === null) return { ...pulse, awaited_since: at }
  if (why.reason === 'resumed') return { ...pulse, base_at: at, started_at: null, failed_at: null }
  // The signal may have been sent while no engine ran, so the next one is due a whole period later.
  return {
    ...pulse,
    base_at: at,
    started_at: pulse.started_at === null ? null : Math.max(pulse.started_at, at),
  }
}

function graceMs({ settings, period_ms }: HeartbeatTerms): number {
  return settings.grace_sec === undefined
    ? Math.min(Math.max(60_000, period_ms / 5), 3_600_000)
    : settings.grace_sec * 1000
}
