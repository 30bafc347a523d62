/**
 * The contract of a checker that waits for signals instead of connecting, such as `heartbeat`.
 *
 * @module
 */

import type { EpochMs, Json } from '../model.ts'

/** A signal sent to a monitor from outside (a heartbeat). */
export interface Signal {
  readonly kind: 'success' | 'start' | 'fail' | 'log'
  readonly at: EpochMs
  readonly exit_code?: number | undefined
  readonly run_id?: string | undefined
  readonly message?: string | undefined
  readonly duration_ms?: number | undefined
}

/** What a push checker gets besides its memo. */
export interface Terms<S> {
  readonly settings: S
  /** The monitor's `interval_sec`, in ms: the expected interval of signals. */
  readonly period_ms: number
  /** Number of consecutive deadlines to miss before failing (`fail_threshold`). Default 1. */
  readonly missed_limit?: number
}

/** Why deadlines move; see `PushRules.resetDeadline`. */
export type DeadlineReset =
  | { readonly at: EpochMs; readonly reason: 'resumed' | 'absence' }
  | { readonly at: EpochMs; readonly reason: 'clock_set'; readonly by_ms: number }

/** Pure functions over the memo. */
export interface PushRules<S> {
  /** The memo of a monitor that waits for its first signal since `at`. Default: none. */
  begin?(at: EpochMs): Json
  /** The memo after a signal. */
  receive(memo: Json | undefined, signal: Signal, terms: Terms<S>): Json
  /** When `run` is due next, strictly after `after`; `null` while no signal is expected. */
  dueAt(memo: Json | undefined, after: EpochMs, terms: Terms<S>): EpochMs | null
  /**
   * The memo with its deadlines moved. `resumed`: a new period begins at `at`. `absence`: a deadline
   * passed while no engine ran, until `at`, so a signal may have been lost and the deadline does not
   * count. `clock_set`: the wall clock was set by `by_ms` and now shows `at`; the
   * remaining time stays the same.
   */
  resetDeadline(memo: Json | undefined, why: DeadlineReset, terms: Terms<S>): Json | undefined
}
