/**
 * The contract of a checker: one plain object, built-in or your own.
 *
 * A checker *returns* its verdict and *throws* what prevented one; it does not see thresholds,
 * storage or contacts. The engine closes what it opened through `ctx.net`.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Described, FieldTable, Input, IsAnyText, Settings, Stored } from '../fields/field.ts'
import type { Problems } from '../fields/parse.ts'
import type { Logger } from '../logger.ts'
import type { EpochMs, Json, JsonObject, LocationRecord, Notice, Phase } from '../model.ts'
import type { Net } from '../net/net.ts'
import type { CauseInfo, SharedCause } from './causes.ts'
import type { FigureChart, Highlight } from './charts.ts'
import type { CheckerDescriptions } from './descriptions/index.ts'
import type { Member } from './member.ts'
import type { PushRules } from './push.ts'

export type CauseTable = Readonly<Record<string, CauseInfo>>

export interface Findings {
  /** Merged over what `ctx.measure` recorded. */
  readonly details?: JsonObject | undefined
  readonly phase?: Phase | undefined
  /** Facts to notify; the engine sends each key once. */
  readonly notices?: readonly Notice[] | undefined
  /**
   * Passed as `ctx.memo` to the next check from this location; at most 64 KiB of JSON. If omitted,
   * the previous memo stays.
   */
  readonly memo?: Json | undefined
  /** When the condition began, if not now (a missed deadline); more than a day back counts as now. */
  readonly since?: EpochMs | undefined
  /** Good, but an expected signal is overdue. Only with `up`. */
  readonly late?: boolean | undefined
}

export interface Judgement<C extends string = string> {
  readonly verdict: 'ok' | 'fail' | 'unknown'
  readonly cause_code: C | null
  readonly cause_text: string | null
  readonly findings: Findings
}

/** The target works. */
export function up(findings: Findings = {}): Judgement<never> {
  return { verdict: 'ok', cause_code: null, cause_text: null, findings }
}

/**
 * The target fails: `cause_code` is one of the checker's own causes or a shared one, `cause_text`
 * one sentence with the observed facts.
 */
export function down<const C extends string>(
  cause_code: C,
  cause_text: string,
  findings: Findings = {},
): Judgement<C> {
  return { verdict: 'fail', cause_code, cause_text, findings }
}

/** The location could not measure; no incident is opened. */
export function unknown<const C extends string>(
  cause_code: C,
  cause_text: string,
  findings: Findings = {},
): Judgement<C> {
  return { verdict: 'unknown', cause_code, cause_text, findings }
}

export interface CheckContext {
  /** The account of the monitor, for fair sharing of resources; 0 for a check without a monitor. */
  readonly account_id: number
  /** Aborts at the deadline and when the engine stops; its reason says which. */
  readonly signal: AbortSignal
  /** The monitor's `interval_sec` in ms; 0 for a check without a monitor. */
  readonly period_ms: number
  /**
   * Number of consecutive deadlines to miss before failing (`fail_threshold`), for checkers that
   * wait for signals; 1 without a monitor.
   */
  readonly missed_limit: number
  /** Milliseconds left until the deadline, never negative. */
  remaining(): number
  readonly clock: Clock
  readonly net: Net
  /** The memo of the last check from this location. */
  readonly memo: Json | undefined
  readonly location: Pick<LocationRecord, 'id' | 'name'>
  readonly log: Logger
  /** Times a step of the protocol; if the deadline passes during the step, the cause names it. */
  phase<T>(name: Phase, work: () => Promise<T>): Promise<T>
  /**
   * Runs long work in steps of a millisecond or two and returns its result. Other checks, requests
   * and timers run in between: parsing megabytes must not block them.
   */
  inTurns<T>(steps: Generator<void, T>): Promise<T>
  /**
   * State that all checks of this engine or probe share, of any type, by the symbol `key`; made on first use, and kept
   * as long as that. Nothing bounds it but what `make` returns: limit its entries, for each `account_id` and
   * in all, and keep the accounts in it apart. A check without an engine shares nothing.
   */
  shared<T extends object>(key: symbol, make: () => T): T
  /**
   * From now on `secret`, which was learned during the check, is removed from all that the check reports and logs by
   * `ctx.log`, as the secrets of its settings are; not from its memo. For a few secrets of at most 8192 characters:
   * each is looked for in many forms.
   */
  conceal(secret: string): void
  /** Records a measurement immediately, so that it is kept if the check fails later. */
  measure(details: JsonObject): void
  /**
   * Imports a package on first use; a missing package becomes an error with the install command. The time that it
   * takes lengthens the deadline of the check, by 30 s at most, and is in no measurement.
   */
  load<T>(name: string, importer: () => Promise<T>): Promise<T>
  /** Releases resources that `ctx.net` did not open; called after `run` or at the deadline. */
  onEnd(release: () => void | Promise<void>): void
}

type CommonName =
  'timeout_ms' | 'location_ids' | 'confirm_locations' | 'fail_threshold' | 'recover_threshold'

/** Of a type whose rules say nothing else. */
export const DEFAULT_INTERVAL_SEC = 60
export const DEFAULT_TIMEOUT_MS = 10_000

/** Defaults and bounds of the common settings that differ for this type. */
export interface CommonRules {
  readonly interval_sec?:
    { readonly default: number; readonly min?: number | undefined } | undefined
  readonly timeout_ms?: { readonly default: number; readonly max?: number | undefined } | undefined
  /**
   * Default 1 instead of more for a type without transient failures, such as an answer of a
   * registry.
   */
  readonly fail_threshold?:
    { readonly default: number; readonly description?: string | undefined } | undefined
  /**
   * Checked from the first location only: the answer is the same everywhere (a registry, a list).
   * `confirm_locations` is 1.
   */
  readonly singleLocation?: true | undefined
  /**
   * One result is conclusive: both thresholds are 1. A checker that waits for signals counts
   * deadlines itself (`missed_limit`).
   */
  readonly certain?: true | undefined
  /**
   * Common settings without effect in this type, and why, shown after `has no effect:`. They are
   * accepted, with a warning.
   */
  readonly noEffect?: { readonly [N in CommonName]?: string } | undefined
}

type MeasurementTable = Readonly<Record<string, string>>

export interface Checker<
  T extends FieldTable = FieldTable,
  M extends MeasurementTable = MeasurementTable,
> {
  readonly type: string
  readonly title: string
  /** One or two sentences for GET /types and the docs. */
  readonly description: string
  readonly fields: T
  /** Its own causes; causes of the transport are shared (`causes.ts`). */
  readonly causes: CauseTable
  /** The entries of `details` and their meaning, with unit. */
  readonly measurements: M
  /**
   * The entries of `details` that are numbers with a good and a bad side, of which a monitor may
   * warn. Default: all measurements.
   */
  readonly figures?: readonly (keyof M & string)[] | undefined
  /**
   * The most important entries of `details`: names of `measurements`, with dots for nested ones.
   */
  readonly highlights?: Readonly<Record<string, Highlight>> | undefined
  /**
   * The entry of `details` that is the response time, in milliseconds, for lists, charts and
   * percentiles. A check without this measurement has no response time. Default: the duration of
   * the check; none for push checkers.
   */
  readonly response?: (keyof M & string) | undefined
  /** What is charted beside the response time. Default: nothing. */
  readonly charts?: readonly FigureChart[] | undefined
  /** Events of the notices that it may return; others are dropped. */
  readonly events?: readonly string[] | undefined
  /** The event sent instead of `down` when its incident opens. */
  readonly downEvent?: string | undefined
  readonly common?: CommonRules | undefined
  /** The package that it loads on first use. */
  readonly driver?: string | undefined
  readonly push?: PushRules<Settings<T>> | undefined
  /** Judges other monitors, named by its fields `monitor_ids` and `member_tags`, in place of `run`. */
  readonly composite?:
    { judge(members: readonly Member[], settings: Settings<T>): Judgement } | undefined
  /** Rules across fields: returns the settings to store, or the problems. */
  refine?(settings: Stored<T>): { readonly settings: Stored<T> } | { readonly fields: Problems }
  /**
   * Settings, common ones included, that have no effect in this combination, with the reason; as
   * `common.noEffect`.
   */
  unused?(settings: Stored<T>): Readonly<Record<string, string>>
  /** The checked address as shown in lists and webhooks; without secrets. */
  target(settings: Stored<T>): string
  run(ctx: CheckContext, settings: Settings<T>): Promise<Judgement>
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in AnyField: `run` is contravariant in the settings
export type AnyChecker = Omit<Checker<any>, 'fields'> & { readonly fields: FieldTable }

/** A checker, or the function that creates it: `http()` and `http` are both accepted. */
export type CheckerSource<C extends AnyChecker = AnyChecker> = C | (() => C)

/** The checker type of a source. */
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
> = Omit<Checker<T>, 'type' | 'causes' | 'run' | 'measurements' | 'figures' | 'response'> & {
  readonly type: N
  readonly causes?: C | undefined
  readonly measurements?: M | undefined
  readonly figures?: readonly (keyof M & string)[] | undefined
  readonly response?: (keyof M & string) | undefined
  run(
    ctx: CheckContext,
    settings: Settings<T>,
  ): Promise<Judgement<(keyof C & string) | SharedCause>>
}

/**
 * Defines a checker of your own, equal to the built-in ones. `run` may only use declared or shared
 * causes.
 */
export function defineChecker<
  const N extends string,
  const T extends FieldTable,
  const C extends CauseTable = Record<never, never>,
  const M extends MeasurementTable = Record<never, never>,
>(definition: Definition<N, T, C, M>): Checker<T, M> & { readonly type: N } {
  const { causes = {}, measurements = {} as M } = definition
  return { ...definition, causes, measurements }
}

/** The fields of a checker, with the descriptions of a built-in one. */
export type FieldsOf<C> = C extends Checker<infer T> & { readonly type: infer N }
  ? Described<T, DescriptionsOf<N, 'settings'>>
  : FieldTable

type DescriptionsOf<N, Of extends 'settings' | 'measurements'> = N extends keyof CheckerDescriptions
  ? CheckerDescriptions[N][Of]
  : unknown

/**
 * `details` of a result, typed by the measurements of one or several checkers: each is present if
 * it was measured.
 */
export type DetailsOf<C extends AnyChecker> = IsAnyText<
  keyof AllOf<Measured<C>>,
  JsonObject,
  { readonly [K in keyof AllOf<Measured<C>>]?: Json }
>

type Measured<C extends AnyChecker> = C extends AnyChecker
  ? Figures<C['measurements'], DescriptionsOf<C['type'], 'measurements'>>
  : never

type Figures<M, D> = [keyof M, keyof D] extends [keyof D, keyof M]
  ? { readonly [K in keyof D]?: Json }
  : { readonly [K in keyof M]?: Json }

/** The intersection of all members of a union. */
type AllOf<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer A) => void
  ? A
  : never

/** The input for a monitor of this checker: `{ type, …its fields }`. */
export type CheckerInput<C> =
  C extends Pick<AnyChecker, 'type' | 'fields'>
    ? { readonly type: C['type'] } & Input<FieldsOf<C>>
    : never
