/**
 * The inputs of monitors and contacts, by the fields of their types.
 *
 * @module
 */

import type { AnyChecker, CheckerInput, FieldsOf } from '../../checkers/checker.ts'
import type { ContactDescriptions } from '../../contacts/descriptions.ts'
import type { Described, Input, IsAnyText, Patch } from '../../fields/field.ts'
import type {
  CommonSettings,
  CronWindow,
  JsonObject,
  OneOffWindow,
  QuietHours,
  QuietSpan,
  RecurringWindow,
  SoftEvent,
} from '../../model.ts'
import type { AnyContactKind, ContactKind } from '../../webhook/contact-kind.ts'

/** Common settings (spec 2.1) as a user may write them. */
export type CommonInput = Given<Omit<CommonSettings, 'maintenance'>> & {
  /** Maintenance windows, in which no notification is sent */
  readonly maintenance?: readonly WindowInput[] | null | undefined
}

/** Maps the names of `T`, which preserves its doc comments. */
type Given<T> = { readonly [K in keyof T]?: T[K] | null | undefined }

/** A maintenance window as a user may write it. `time_zone` defaults to UTC, `skip_checks` to false. */
export type WindowInput =
  | (Pick<OneOffWindow, 'start' | 'end'> & Partial<OneOffWindow>)
  | (Pick<CronWindow, 'cron' | 'duration_min'> & Partial<CronWindow>)
  | (Pick<RecurringWindow, 'at' | 'duration_min'> & Partial<RecurringWindow>)

/**
 * The input of `monitors.create`: a registered type with its fields, and the common ones. `name` defaults to the
 * checked address.
 */
export type MonitorInput<C extends AnyChecker = AnyChecker> = C extends AnyChecker
  ? CheckerInput<C> & CommonInput
  : never

/**
 * The input of `monitors.update`: fields of one type, and the common ones. `type` cannot be changed; if given, it
 * restricts the fields to those of that type.
 */
export type MonitorPatch<C extends AnyChecker = AnyChecker> = C extends AnyChecker
  ? IsAnyText<
      C['type'],
      JsonObject,
      { readonly type?: C['type'] | undefined } & Patch<FieldsOf<C>> & CommonInput
    >
  : never

type ContactCommon = {
  /** Name of the contact. */
  readonly name: string
  /** Receives the notifications of every monitor of the account. */
  readonly all_monitors?: boolean | undefined
  /** Hours and days in which notifications wait or are dropped; `null`: none. */
  readonly quiet?: QuietInput | null | undefined
  /** Notifications of this many seconds go out as one message; default 0: each by itself. */
  readonly group_window_sec?: number | undefined
  /** Soft events of which it is notified as well; default none. */
  readonly events?: readonly SoftEvent[] | undefined
}

/** Quiet hours as a user may write them. */
export type QuietInput = Pick<QuietHours, 'time_zone'> &
  Partial<Pick<QuietHours, 'during' | 'ended' | 'except_tags'>> & {
    readonly hours: readonly (Pick<QuietSpan, 'from' | 'to'> & Partial<QuietSpan>)[]
  }

/** The input of `contacts.create`: a registered kind with its fields. */
export type ContactInput<K extends AnyContactKind = AnyContactKind> = K extends AnyContactKind
  ? IsAnyText<
      K['kind'],
      { readonly kind: string; readonly [setting: string]: unknown } & ContactCommon,
      { readonly kind: K['kind'] } & ContactCommon & Input<FieldsOfKind<K>>
    >
  : never

/** The input of `contacts.update`: fields of one kind. `kind` restricts them and cannot be changed. */
export type ContactPatch<K extends AnyContactKind = AnyContactKind> = K extends AnyContactKind
  ? IsAnyText<
      K['kind'],
      JsonObject,
      { readonly kind?: K['kind'] | undefined } & Patch<FieldsOfKind<K>> & {
          readonly [F in keyof ContactCommon]?: ContactCommon[F] | undefined
        }
    >
  : never

/** The fields of a contact kind, with the descriptions of a built-in one. */
export type FieldsOfKind<K> =
  K extends ContactKind<infer T, infer N>
    ? Described<T, N extends keyof ContactDescriptions ? ContactDescriptions[N] : unknown>
    : never
