/**
 * What is remembered of a job's signals, and the deadlines that follow from it. Pure.
 *
 * @module
 */

import { isPlainObject } from '../../fields/parse.ts'
import type { EpochMs, Json } from '../../model.ts'
import type { Rearming, Signal, Terms } from '../checker.ts'

const MESSAGE_LIMIT = 1000

/** The memo of a heartbeat. */
export interface Pulse {
  /** Begin of the period under way; `null` before the first sign of life. */
  readonly base_at: EpochMs | null
  readonly last_signal: Signal['kind'] | null
  readonly last_signal_at: EpochMs | null
  /** A run is under way since then. */
  readonly started_at: EpochMs | null
  readonly run_id: string | null
  readonly failed_at: EpochMs | null
  readonly exit_code: number | null
  readonly run_ms: number | null
  readonly message: string | null
}

type HeartbeatTerms = Terms<{ readonly grace_sec?: number }>

export interface Deadlines {
  /** End of the period: late from here. */
  readonly expected_at: EpochMs
  /** End of the grace: down from here. */
  readonly missed_at: EpochMs
  /** By when a started run must end; `null` while none is under way. */
  readonly finish_by: EpochMs | null
}

const SILENT: Pulse = {
  base_at: null,
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
  return isPlainObject(memo) ? { ...SILENT, ...(memo as Partial<Pulse>) } : SILENT
}

/** The memo after a signal. */
export function receive(memo: Json | undefined, signal: Signal): Json {
  const pulse = pulseOf(memo)
  const heard: Pulse = {
    ...pulse,
    last_signal: signal.kind,
    last_signal_at: signal.at,
    message: signal.message === undefined ? null : signal.message.slice(0, MESSAGE_LIMIT),
  }
  return { ...after(pulse, heard, signal) }
}

function after(pulse: Pulse, heard: Pulse, signal: Signal): Pulse {
  if (signal.kind === 'log') return heard
  if (signal.kind === 'start') {
    return {
      ...heard,
      base_at: pulse.base_at ?? signal.at,
      started_at: signal.at,
      run_id: signal.run_id ?? null,
    }
  }
  // The end of another run leaves the one under way alone; an end without an id ends any.
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

/** `null` before the first sign of life: a job that was never set up raises no alarm. */
export function deadlines(pulse: Pulse, terms: HeartbeatTerms): Deadlines | null {
  if (pulse.base_at === null) return null
  const grace_ms = graceMs(terms)
  const expected_at = pulse.base_at + terms.period_ms
  return {
    expected_at,
    missed_at: expected_at + grace_ms,
    finish_by: pulse.started_at === null ? null : pulse.started_at + grace_ms,
  }
}

/** The next time at which the judgement may change. */
export function nextDue(
  memo: Json | undefined,
  now: EpochMs,
  terms: HeartbeatTerms,
): EpochMs | null {
  const pulse = pulseOf(memo)
  const due = deadlines(pulse, terms)
  if (due === null || pulse.failed_at !== null) return null
  const ahead = [due.expected_at, due.missed_at, due.finish_by].filter(
    (at) => at !== null && at > now,
  ) as EpochMs[]
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/** See `Passive.rearm`. */
export function rearm(memo: Json | undefined, why: Rearming): Json | undefined {
  const pulse = pulseOf(memo)
  if (pulse.base_at === null) return memo
  const { at } = why
  if (why.reason === 'clock_set') {
    const moved = (time: EpochMs | null) => (time === null ? null : time + why.by_ms)
    return { ...pulse, base_at: moved(pulse.base_at), started_at: moved(pulse.started_at) }
  }
  if (why.reason === 'resumed') return { ...pulse, base_at: at, started_at: null, failed_at: null }
  // The signal may have been sent during the outage: the next one comes a whole period later.
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
