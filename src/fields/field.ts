/**
 * One setting of a checker or a contact kind. A field table is written once; TypeScript types,
 * validation, `GET /types`, OpenAPI and the documentation derive from it.
 *
 * A value has two forms: the wire form (plain JSON, stored and sent) and the form passed to `run`
 * (a compiled pattern, a parsed range), computed once per revision of a monitor.
 *
 * @module
 */

export type FieldKind =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'enum'
  | 'regex'
  | 'array'
  | 'object'
  // A string, number, boolean or null.
  | 'scalar'

export type Presence = 'required' | 'optional' | 'default'

/** The description of a field for people and client programs. */
export interface FieldInfo {
  readonly kind: FieldKind
  readonly description: string
  /** Bounds of a number, or of the length of a text or list; inclusive. */
  readonly min?: number
  readonly max?: number
  readonly enum?: readonly (string | number)[]
  /** `url`, `host`, `seconds`, …: the meaning of the value. */
  readonly format?: string
  readonly unit?: string
  /** `value`: write-only. `by_header_name`: an object of headers, some of which are secret. */
  readonly secret?: 'value' | 'by_header_name'
  /**
   * The value is part of the destination of secrets, and a change requires them again
   * (`destination.ts`): `value`, any change; `origin`, a URL with another scheme, host or port; a
   * list in ascending order of protection, a change to an earlier entry (a value that is not in it
   * is the best protected).
   */
  readonly destination?: 'value' | 'origin' | readonly (string | boolean)[]
  readonly example?: string
  /**
   * Why the field cannot be used with this host: only its default is accepted. Default: it can be
   * used.
   */
  readonly unavailable?: string | undefined
  /** Why the field has no effect here: it is accepted with a warning. Default: it has an effect. */
  readonly no_effect?: string | undefined
  /** Fields of a nested object. */
  readonly fields?: FieldTable
  /** The type of list entries. */
  readonly item?: AnyField
}

export interface Field<Wire = unknown, Value = Wire, P extends Presence = Presence> {
  readonly info: FieldInfo
  readonly presence: P
  /** The value if the field is absent, in wire form. */
  readonly fallback?: Wire | undefined
  /** Validates input and returns the wire form. Any Standard Schema. */
  readonly schema: StandardSchemaV1<unknown, Wire>
  /** Converts the wire form to the form for `run`. */
  decode(this: void, wire: Wire): Value
}

export type FieldTable = Readonly<Record<string, AnyField>>

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a Field is contravariant in Wire through `decode`: `unknown` admits none
export type AnyField = Field<any, any>

/** The field of this name. Own properties only: names are user input, such as `toString`. */
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
 * Whether a name is any string instead of a known one. `N` does not appear in the `extends`
 * position: otherwise a type built with it, such as an engine, would be invariant, and an engine
 * with known types not assignable to one of any.
 */
export type IsAnyText<N, Yes, No> = [AnyText<N>] extends [never] ? No : Yes
type AnyText<N> = N extends string
  ? ((name: N) => void) extends (name: string) => void
    ? N
    : never
  : never

/** Flattens an intersection into one object type, for readable editor hints. */
export type Flat<T> = { [K in keyof T]: T[K] }

// Here and below `keyof Pick` and `keyof Omit`: a mapping over a union of names loses the comments of `T`.

/** The input for a table: required fields must be present, all others may be omitted. */
export type Input<T extends FieldTable> = Flat<
  { readonly [K in keyof Pick<T, RequiredNames<T>>]: WireOf<T[K]> } & {
    readonly [K in keyof Omit<T, RequiredNames<T>>]?: WireOf<T[K]> | null | undefined
  }
>

/** The input of a partial update: `null` resets a field, `undefined` keeps it. */
export type Patch<T extends FieldTable> = {
  readonly [K in keyof T]?: WireOf<T[K]> | null | undefined
}

/** The wire form after validation: defaults are filled in. */
export type Stored<T extends FieldTable> = Flat<
  { readonly [K in keyof Pick<T, GivenNames<T>>]: WireOf<T[K]> } & {
    readonly [K in keyof Omit<T, GivenNames<T>>]?: WireOf<T[K]>
  }
>

/** The settings passed to `run`. */
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

/** A field that is still optional; `required()` and `default()` decide its presence. */
export interface FieldBuilder<Wire, Value = Wire> extends Field<Wire, Value, 'optional'> {
  required(): Field<Wire, Value, 'required'>
  default(value: Wire): Field<Wire, Value, 'default'>
}

/** Defines a field of your own from any Standard Schema (valibot, zod, arktype, …). */
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

/**
 * The part of the Standard Schema interface (https://standardschema.dev, version 1) that is used,
 * so that a field can use any validator that implements it.
 */
interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
