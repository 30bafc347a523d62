/**
 * The contract of a checker: one plain object, whether it ships with watchpost or is yours.
 *
 * A checker *returns* what it judged and *throws* what prevented judging; it never sees thresholds,
 * storage or contacts. What it opened through `ctx.net` is closed for it.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { FieldTable, Input, IsAnyText, Settings, Stored } from '../fields/field.ts'
import type { Problems } from '../fields/parse.ts'
import type { Logger } from '../logger.ts'
import type {
  EpochMs,
  Json,
  JsonObject,
  LocationRecord,
  MeasurementFormat,
  Notice,
  Outcome,
  Phase,
} from '../model.ts'
import type { Net } from '../net/net.ts'
import type { CauseInfo, SharedCause } from './causes.ts'

export type CauseTable = Readonly<Record<string, CauseInfo>>

export interface Findings {
  /** Merged over what `ctx.measure` was told. */
  readonly details?: JsonObject | undefined
  readonly phase?: Phase | undefined
  /** Facts that may be news; the engine tells each key once. */
  readonly notices?: readonly Notice[] | undefined
  /** Comes back as `ctx.memo` at the next check from this location; at most 64 KiB of JSON. Left out, the old one stays. */
  readonly memo?: Json | undefined
  /** When the condition began, where that is not now (a missed deadline). */
  readonly since?: EpochMs | undefined
  /** Good, but something awaited is overdue. Only with `up`. */
  readonly late?: boolean | undefined
}

export interface Judgement<C extends string = string> {
  readonly verdict: 'ok' | 'fail' | 'unknown'
  readonly cause_code: C | null
  readonly cause_text: string | null
  readonly findings: Findings
}

/** It works. */
export function up(findings: Findings = {}): Judgement<never> {
  return { verdict: 'ok', cause_code: null, cause_text: null, findings }
}

/** It does not: `cause_code` is one of the checker's own causes or a shared one, `cause_text` one sentence with what was seen. */
export function down<const C extends string>(
  cause_code: C,
  cause_text: string,
  findings: Findings = {},
): Judgement<C> {
  return { verdict: 'fail', cause_code, cause_text, findings }
}

/** Our side could not measure; no incident comes of it. */
export function unknown<const C extends string>(
  cause_code: C,
  cause_text: string,
  findings: Findings = {},
): Judgement<C> {
  return { verdict: 'unknown', cause_code, cause_text, findings }
}

export interface CheckContext {
  /** The account of the monitor, for whatever is shared fairly; 0 for a check without a monitor. */
  readonly account_id: number
  /** Aborts at the deadline and when the engine stops; its reason says which. */
  readonly signal: AbortSignal
  /** The monitor's `interval_sec` in ms; 0 for a check without a monitor. */
  readonly period_ms: number
  /** So many deadlines in a row are to be missed (`fail_threshold`), for checkers that wait for signals; 1 without a monitor. */
  readonly missed_limit: number
  /** Milliseconds left until the deadline, never negative. */
  remaining(): number
  readonly clock: Clock
  readonly net: Net
  /** What the last check from this location left behind. */
  readonly memo: Json | undefined
  readonly location: Pick<LocationRecord, 'id' | 'name'>
  readonly log: Logger
  /** Times a step of the protocol; when the deadline passes inside, the cause names it. */
  phase<T>(name: Phase, work: () => Promise<T>): Promise<T>
  /**
   * Carries out long work in steps, each of a millisecond or two, and returns what comes of it. Between them other
   * checks, requests and timers have their turn: an answer of megabytes must not hold them up.
   */
  inTurns<T>(steps: Generator<void, T>): Promise<T>
  /** Notes what was measured as soon as it is known, so that it is kept when the check fails later. */
  measure(details: JsonObject): void
  /** Imports a package on first use; a missing one becomes a clear error with the install line. */
  load<T>(name: string, importer: () => Promise<T>): Promise<T>
  /** Releases what `ctx.net` did not open; called after `run` or at the deadline. */
  onEnd(release: () => void | Promise<void>): void
}

/** Something told to a monitor from outside (a heartbeat). */
export interface Signal {
  readonly kind: 'success' | 'start' | 'fail' | 'log'
  readonly at: EpochMs
  readonly exit_code?: number | undefined
  readonly run_id?: string | undefined
  readonly message?: string | undefined
  readonly duration_ms?: number | undefined
}

/** What a passive checker judges by besides its memo. */
export interface Terms<S> {
  readonly settings: S
  /** The monitor's `interval_sec`, in ms: how often a signal is expected. */
  readonly period_ms: number
  /** So many deadlines in a row are to be missed (`fail_threshold`). Default 1. */
  readonly missed_limit?: number
}

/** Why deadlines move; see `PushRules.resetDeadline`. */
export type DeadlineReset =
  | { readonly at: EpochMs; readonly reason: 'resumed' | 'outage' }
  | { readonly at: EpochMs; readonly reason: 'clock_set'; readonly by_ms: number }

/** For checkers that wait for signals instead of asking: pure functions over the memo. */
export interface PushRules<S> {
  /** The memo of a monitor that is awaited since `at` and has heard nothing. Default: none. */
  begin?(at: EpochMs): Json
  /** The memo after a signal. */
  receive(memo: Json | undefined, signal: Signal, terms: Terms<S>): Json
  /** When `run` should judge next, strictly after `after`; `null` while nothing is awaited. */
  dueAt(memo: Json | undefined, after: EpochMs, terms: Terms<S>): EpochMs | null
  /**
   * The memo with its deadlines moved. `resumed`: a new period begins at `at`. `outage`: a deadline passed
   * while the engine itself was away, until `at`, and nobody may be blamed for a signal that could not be
   * heard. `clock_set`: the wall clock was set by `by_ms`, and is at `at` now; as much time is left as before.
   */
  resetDeadline(memo: Json | undefined, why: DeadlineReset, terms: Terms<S>): Json | undefined
}

type CommonName =
  'timeout_ms' | 'location_ids' | 'confirm_locations' | 'fail_threshold' | 'recover_threshold'

/** Defaults and bounds of the common settings, where a type needs its own. */
export interface CommonRules {
  readonly interval_sec?:
    { readonly default: number; readonly min?: number | undefined } | undefined
  readonly timeout_ms?: { readonly default: number; readonly max?: number | undefined } | undefined
  /** One judgement is certain unless the user asks for more: a registry that answers does not err for a round. */
  readonly fail_threshold?:
    { readonly default: number; readonly description?: string | undefined } | undefined
  /** Asked from the first location only: the answer is the same everywhere (a registry, a list). `confirm_locations` is taken as 1. */
  readonly singleLocation?: true | undefined
  /** One judgement is certain: both thresholds are taken as 1. One that waits for signals counts deadlines by itself (`missed_limit`). */
  readonly certain?: true | undefined
  /** Settings that do nothing in this type, and why, behind `has no effect:`. They are taken, and whoever sets one is told. */
  readonly noEffect?: { readonly [N in CommonName]?: string } | undefined
}

type MeasurementTable = Readonly<Record<string, string>>

export interface Highlight {
  /** One to three words: `Certificate ends`. */
  readonly title: string
  /** Default: as it is. */
  readonly format?: MeasurementFormat
}

export interface Checker<
  T extends FieldTable = FieldTable,
  M extends MeasurementTable = MeasurementTable,
> {
  readonly type: string
  readonly title: string
  /** One or two sentences for GET /types and the docs. */
  readonly description: string
  readonly fields: T
  /** Its own causes; those of the transport are shared (`causes.ts`). */
  readonly causes: CauseTable
  /** Name of each entry of `details` to what it means, with its unit. */
  readonly measurements: M
  /** What people look for first in `details`: names of `measurements`, with dots into nested ones. */
  readonly highlights?: Readonly<Record<string, Highlight>> | undefined
  /**
   * Which figure of `details` is the response time, in milliseconds: what lists, charts and percentiles show. It has
   * none where a check did not measure that. Default: how long the check took; none for a checker fed by signals.
   */
  readonly response?: (keyof M & string) | undefined
  /** Soft events it may state as notices. */
  readonly events?: readonly string[] | undefined
  /** Told instead of `down` when its incident opens. */
  readonly downEvent?: string | undefined
  readonly common?: CommonRules | undefined
  /** The package it loads on first use. */
  readonly driver?: string | undefined
  readonly push?: PushRules<Settings<T>> | undefined
  /** Rules that span fields: returns the settings as they are to be stored, or what is wrong. */
  refine?(settings: Stored<T>): { readonly settings: Stored<T> } | { readonly fields: Problems }
  /** Settings, common ones as well, that do nothing beside these, with the reason: as `common.noEffect`. */
  unused?(settings: Stored<T>): Readonly<Record<string, string>>
  /** What lists and webhooks show as the checked address; free of secrets. */
  target(settings: Stored<T>): string
  run(ctx: CheckContext, settings: Settings<T>): Promise<Judgement>
}

// See AnyField: `run` is contravariant in the settings.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyChecker = Omit<Checker<any>, 'fields'> & { readonly fields: FieldTable }

/** A checker, or the function that makes it: `http()` and `http` are both taken. */
export type CheckerSource<C extends AnyChecker = AnyChecker> = C | (() => C)

/** The checker that stands behind a source. */
export type CheckerOf<S extends CheckerSource> = S extends (...args: never[]) => infer C
  ? Extract<C, AnyChecker>
  : Extract<S, AnyChecker>

export function checkerFrom<C extends AnyChecker>(source: CheckerSource<C>): C {
  return typeof source === 'function' ? source() : source
}

type Definition<
  N extends string,
  T extends FieldTable,
  C extends CauseTable,
  M extends MeasurementTable,
> = Omit<Checker<T>, 'type' | 'causes' | 'run' | 'measurements' | 'response'> & {
  readonly type: N
  readonly causes?: C | undefined
  readonly measurements?: M | undefined
  readonly response?: (keyof M & string) | undefined
  run(
    ctx: CheckContext,
    settings: Settings<T>,
  ): Promise<Judgement<(keyof C & string) | SharedCause>>
}

/** How long the target took, in ms; `null` where that was not measured. The one place that decides it. */
export function responseOf(
  checker: Pick<AnyChecker, 'response' | 'push'> | undefined,
  { verdict, duration_ms, details }: Pick<Outcome, 'verdict' | 'duration_ms' | 'details'>,
): number | null {
  if (checker?.response === undefined)
    return verdict === 'unknown' || checker?.push !== undefined ? null : duration_ms
  const figure = details[checker.response]
  return typeof figure === 'number' && figure >= 0 ? figure : null
}

/** A checker of your own, with the same rights as the built-in ones. `run` may only name causes that are declared or shared. */
export function defineChecker<
  const N extends string,
  const T extends FieldTable,
  const C extends CauseTable = Record<never, never>,
  const M extends MeasurementTable = Record<never, never>,
>(definition: Definition<N, T, C, M>): Checker<T, M> & { readonly type: N } {
  const { causes = {}, measurements = {} as M } = definition
  return { ...definition, causes, measurements }
}

/** The fields of a checker. */
export type FieldsOf<C> = C extends Checker<infer T> ? T : FieldTable

/**
 * `details` of a result, by the names of the checker's measurements, of several checkers together: each is there
 * where it was measured.
 */
export type DetailsOf<C extends AnyChecker> = IsAnyText<
  keyof AllOf<Measured<C>>,
  JsonObject,
  { readonly [K in keyof AllOf<Measured<C>>]?: Json }
>

type Measured<C extends AnyChecker> = C extends AnyChecker
  ? { readonly [K in keyof C['measurements']]?: Json }
  : never

/** All members of a union at once. */
type AllOf<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer A) => void
  ? A
  : never

/** What a user writes to have this checker run: `{ type, …its fields }`. */
export type CheckerInput<C> = C extends Checker<infer T> & { readonly type: infer N }
  ? { readonly type: N } & Input<T>
  : never
