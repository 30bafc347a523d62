/**
 * One setting of a checker or a contact kind. A table of fields is written once; TypeScript types,
 * validation, `GET /types`, OpenAPI and the docs tables all come from it.
 *
 * A field knows two forms of its value: the wire form (plain JSON, stored and sent) and the form in
 * which `run` gets it (a compiled pattern, a parsed range), made once per revision of a monitor.
 *
 * @module
 */

import type { StandardSchemaV1 } from './standard-schema.ts'

export type FieldKind =
  'string' | 'integer' | 'number' | 'boolean' | 'enum' | 'regex' | 'array' | 'object'

export type Presence = 'required' | 'optional' | 'default'

/** What a person or a client program is told about a field. */
export interface FieldInfo {
  readonly kind: FieldKind
  readonly description: string
  /** Bounds of a number, or of the length of a text or list; inclusive. */
  readonly min?: number
  readonly max?: number
  readonly enum?: readonly (string | number)[]
  /** `url`, `host`, `seconds`, …: what the value means beyond its kind. */
  readonly format?: string
  readonly unit?: string
  /** `value`: never shown again. `by_header_name`: an object of headers of which some are. */
  readonly secret?: 'value' | 'by_header_name'
  /**
   * The value says where secrets go, and another one needs them again (`destination.ts`): `value`, any other
   * one; `origin`, a URL with another scheme, host or port; a list, one that stands nearer to its beginning,
   * which holds the least protected first (what is not in it is protected best).
   */
  readonly destination?: 'value' | 'origin' | readonly (string | boolean)[]
  readonly example?: string
  /** Why the field cannot be used with this host: its values but the default are refused. Default: it can. */
  readonly unavailable?: string | undefined
  /** Why the field does nothing here: it is taken, and whoever sets it is warned. Default: it does something. */
  readonly no_effect?: string | undefined
  /** Fields of a nested object. */
  readonly fields?: FieldTable
  /** What a list is made of. */
  readonly item?: AnyField
}

export interface Field<Wire = unknown, Value = Wire, P extends Presence = Presence> {
  readonly info: FieldInfo
  readonly presence: P
  /** Used where the field is absent, in wire form. */
  readonly fallback?: Wire | undefined
  /** Accepts what users write, returns the wire form. Any Standard Schema will do. */
  readonly schema: StandardSchemaV1<unknown, Wire>
  /** Wire form to the form that `run` gets. */
  decode(this: void, wire: Wire): Value
}

export type FieldTable = Readonly<Record<string, AnyField>>

// `any` and not `unknown`: a Field is contravariant in Wire through `decode`, so only `any` admits them all.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyField = Field<any, any>

/** The field of this name. Names come from users: `toString` is none, though every object has it. */
export function fieldNamed(fields: FieldTable, name: string): AnyField | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

type RequiredNames<T extends FieldTable> = {
  [K in keyof T]: T[K]['presence'] extends 'required' ? K : never
}[keyof T]
type GivenNames<T extends FieldTable> = {
  [K in keyof T]: T[K]['presence'] extends 'optional' ? never : K
}[keyof T]

type WireOf<F> = F extends Field<infer W, infer _V> ? W : never
type ValueOf<F> = F extends Field<infer _W, infer V> ? V : never

/**
 * Whether a name is not known, but any text. It is written so that `N` is in no place of `extends`: a type that is made
 * with it, an engine, would be invariant by that, and an engine with known types not be taken for one of any.
 */
export type IsAnyText<N, Yes, No> = [AnyText<N>] extends [never] ? No : Yes
type AnyText<N> = N extends string
  ? ((name: N) => void) extends (name: string) => void
    ? N
    : never
  : never

/** One object type instead of an intersection, as editors and messages show it. */
export type Flat<T> = { [K in keyof T]: T[K] }

// Here and below `keyof Pick` and `keyof Omit`: a mapping over a union of names loses the comments of `T`.

/** What a user may write for a table: required fields must be there, all others may be left out. */
export type Input<T extends FieldTable> = Flat<
  { readonly [K in keyof Pick<T, RequiredNames<T>>]: WireOf<T[K]> } & {
    readonly [K in keyof Omit<T, RequiredNames<T>>]?: WireOf<T[K]> | null | undefined
  }
>

/** What a user may write to change some of it: `null` resets a field, `undefined` leaves it. */
export type Patch<T extends FieldTable> = {
  readonly [K in keyof T]?: WireOf<T[K]> | null | undefined
}

/** The wire form after validation: defaults are filled in. */
export type Stored<T extends FieldTable> = Flat<
  { readonly [K in keyof Pick<T, GivenNames<T>>]: WireOf<T[K]> } & {
    readonly [K in keyof Omit<T, GivenNames<T>>]?: WireOf<T[K]>
  }
>

/** What `run` gets. */
export type Settings<T extends FieldTable> = Flat<
  { readonly [K in keyof Pick<T, GivenNames<T>>]: ValueOf<T[K]> } & {
    readonly [K in keyof Omit<T, GivenNames<T>>]?: ValueOf<T[K]>
  }
>

/**
 * The table `T` with the comments of the members of `D`, if both have the same names; otherwise `T`. In a group, `D`
 * also defines which fields are optional.
 */
export type Described<T extends FieldTable, D> = [keyof T, keyof D] extends [keyof D, keyof T]
  ? { readonly [K in keyof D]: K extends keyof T ? DescribedField<T[K], D[K]> : never }
  : T

type DescribedField<F extends AnyField, D> = unknown extends D
  ? F
  : F extends Field<infer W, infer V, infer P>
    ? Field<{ readonly [K in keyof D]: K extends keyof W ? W[K] : never }, V, P>
    : F

/** A field under construction: still optional; `required()` and `default()` settle its presence. */
export interface FieldBuilder<Wire, Value = Wire> extends Field<Wire, Value, 'optional'> {
  required(): Field<Wire, Value, 'required'>
  default(value: Wire): Field<Wire, Value, 'default'>
}

/** Makes a field of your own from any Standard Schema (valibot, zod, arktype, …). */
export function defineField<Wire, Value = Wire>(
  info: FieldInfo,
  schema: StandardSchemaV1<unknown, Wire>,
  ...decode: [Wire] extends [Value]
    ? [decode?: (wire: Wire) => Value]
    : [decode: (wire: Wire) => Value]
): FieldBuilder<Wire, Value> {
  const base = {
    info,
    schema,
    decode: decode[0] ?? ((wire: Wire): Value => wire as unknown as Value),
  }
  return {
    ...base,
    presence: 'optional',
    required: () => ({ ...base, presence: 'required' }),
    default: (fallback) => ({ ...base, presence: 'default', fallback }),
  }
}
