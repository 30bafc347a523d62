/**
 * What users write: monitors and contacts, by the fields of their types.
 *
 * @module
 */

import type { AnyChecker, CheckerInput, FieldsOf } from '../../checkers/checker.ts'
import type { ContactDescriptions } from '../../contacts/descriptions.ts'
import type { Described, Input, IsAnyText, Patch } from '../../fields/field.ts'
import type { CommonSettings, JsonObject, OneOffWindow, RecurringWindow } from '../../model.ts'
import type { AnyContactKind, ContactKind } from '../../webhook/contact-kind.ts'

/** Common settings of spec 2.1 as a user may write them. */
export type CommonInput = Given<Omit<CommonSettings, 'maintenance'>> & {
  /** Maintenance windows, in which no notification is sent */
  readonly maintenance?: readonly WindowInput[] | null | undefined
}

/** Over the names of `T` alone, so that its comments come along. */
type Given<T> = { readonly [K in keyof T]?: T[K] | null | undefined }

type WindowInput =
  | (Pick<OneOffWindow, 'start' | 'end'> & Partial<OneOffWindow>)
  | (Pick<RecurringWindow, 'at' | 'duration_min'> & Partial<RecurringWindow>)

/**
 * What `monitors.create` takes: one of the registered types with its own fields, and the common ones. `name` is the
 * checked address where it is left out.
 */
export type MonitorInput<C extends AnyChecker = AnyChecker> = C extends AnyChecker
  ? CheckerInput<C> & CommonInput
  : never

/**
 * What `monitors.update` takes: fields of one type, and the common ones. A `type` is not changed by it; written down,
 * it lets the compiler take the fields of that type alone.
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
  /** Told about every monitor of the account. */
  readonly all_monitors?: boolean | undefined
}

/** What `contacts.create` takes: one of the registered kinds with its own fields. */
export type ContactInput<K extends AnyContactKind = AnyContactKind> = K extends AnyContactKind
  ? IsAnyText<
      K['kind'],
      { readonly kind: string; readonly [setting: string]: unknown } & ContactCommon,
      { readonly kind: K['kind'] } & ContactCommon & Input<FieldsOfKind<K>>
    >
  : never

/** What `contacts.update` takes: fields of one kind, which `kind` may name; that is not changed by it. */
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
