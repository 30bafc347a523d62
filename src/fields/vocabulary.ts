/**
 * The constructors of fields: `field.port()`, `field.secret()`, `field.regex()`, …
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder, FieldInfo, FieldTable, Input, Settings } from './field.ts'
import { compilePattern, parsePattern } from './pattern.ts'
import type { Pattern } from './pattern.ts'
import { parseHost, urlField } from './url.ts'
import { headersField, headerValueField } from './headers.ts'
import { textSchema } from './text.ts'
import type { TextBounds } from './text.ts'

type Extra = Pick<FieldInfo, 'description'> &
  Partial<Pick<FieldInfo, 'unit' | 'format' | 'example' | 'destination'>>

function numberSchema(bounds: { min: number; max: number }, whole: boolean) {
  return v.pipe(
    v.number(whole ? 'invalid: an integer is expected' : 'invalid: a number is expected'),
    v.check(
      (n) => Number.isFinite(n) && (!whole || Number.isSafeInteger(n)),
      whole ? 'invalid: an integer is expected' : 'invalid: a number is expected',
    ),
    v.check(
      (n) => n >= bounds.min && n <= bounds.max,
      `out_of_range: ${bounds.min}..${bounds.max}`,
    ),
  )
}

/** Every constructor returns an optional field; add `.required()` or `.default(value)`. */
export const field = {
  /** One line of text, 1 to 4096 characters unless bounds are given. */
  text(info: Extra & TextBounds): FieldBuilder<string> {
    const { description, unit, format, example, destination, ...bounds } = info
    const max = bounds.max ?? 4096
    return defineField(
      {
        kind: 'string',
        description,
        min: bounds.min ?? 1,
        max,
        ...given({ unit, format, example, destination }),
      },
      textSchema(bounds),
    )
  },

  /**
   * Write-only text: never in REST responses, logs, causes or webhooks; at most 4096 characters.
   */
  secret(info: Extra & { readonly min?: number }): FieldBuilder<string> {
    const min = info.min ?? 1
    return defineField(
      { kind: 'string', description: info.description, min, max: 4096, secret: 'value' },
      textSchema({ min }),
    )
  },

  integer(info: Extra & { readonly min: number; readonly max: number }): FieldBuilder<number> {
    return defineField({ kind: 'integer', ...info }, numberSchema(info, true))
  },

  number(info: Extra & { readonly min?: number; readonly max?: number }): FieldBuilder<number> {
    const bounds = { min: info.min ?? -Number.MAX_VALUE, max: info.max ?? Number.MAX_VALUE }
    return defineField({ kind: 'number', ...info }, numberSchema(bounds, false))
  },

  /**
   * `aliases` are accepted as well, for compatibility with types that have more than two choices.
   */
  flag(
    info: Extra &
      Pick<FieldInfo, 'unavailable'> & { readonly aliases?: Readonly<Record<string, boolean>> },
  ): FieldBuilder<boolean> {
    const { aliases = {}, ...rest } = info
    const schema = v.pipe(
      v.unknown(),
      v.transform((value) => (typeof value === 'string' ? (aliases[value] ?? value) : value)),
      v.boolean('invalid: true or false is expected'),
    )
    return defineField({ kind: 'boolean', ...rest }, schema)
  },

  /** One of several words; `aliases` are accepted as well and stored as the word they stand for. */
  oneOf<const W extends string>(
    words: readonly W[],
    info: Extra & { readonly aliases?: Readonly<Record<string, W>> },
  ): FieldBuilder<W> {
    const { aliases, ...rest } = info
    const schema = v.pipe(
      v.union(
        [v.string(), v.boolean(), v.number()],
        `invalid: one of ${words.join(', ')} is expected`,
      ),
      v.transform((value) => aliases?.[String(value).toLowerCase()] ?? matchWord(words, value)),
      v.check((value) => value !== undefined, `invalid: one of ${words.join(', ')} is expected`),
      v.transform((value) => value as W),
    )
    return defineField({ kind: 'enum', enum: words, ...rest }, schema)
  },

  /** A change requires the secrets again; see {@link FieldInfo.destination}. */
  port(info: Extra): FieldBuilder<number> {
    return defineField(
      { kind: 'integer', format: 'port', destination: 'value', min: 1, max: 65535, ...info },
      numberSchema({ min: 1, max: 65535 }, true),
    )
  },

  /**
   * Host name (IDN allowed, stored as A-labels) or IP address (brackets are removed); zone ids are
   * rejected. A change requires the secrets again; see {@link FieldInfo.destination}.
   */
  host(info: Extra): FieldBuilder<string> {
    const schema = v.pipe(
      textSchema({ max: 253, trim: true }),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const host = parseHost(dataset.value)
        if (host !== undefined) return host
        addIssue({ message: 'invalid: a host name or IP address is expected' })
        return NEVER
      }),
    )
    return defineField(
      { kind: 'string', format: 'host', destination: 'value', min: 1, max: 253, ...info },
      schema,
    )
  },

  /**
   * Absolute `http:` or `https:` URL in WHATWG spelling, without fragment, at most 2048 characters;
   * `user:pass@` only if enabled. Another scheme, host or port requires the secrets again.
   */
  url: urlField,

  /**
   * Request headers: an object of names to a text or a list of texts. Connection headers are
   * rejected; all values except those of well-known harmless headers are secrets.
   */
  headers: headersField,

  /**
   * The value of one header: Latin-1 without control characters, 1 to 1024 characters unless `max`
   * is given.
   */
  headerValue: headerValueField,

  /** Which address family a connection may take. */
  ipFamily(): FieldBuilder<'auto' | 'ipv4' | 'ipv6'> {
    return field.oneOf(['auto', 'ipv4', 'ipv6'], {
      description: 'Address family; auto takes the first address that answers',
      aliases: { any: 'auto', '4': 'ipv4', '6': 'ipv6', v4: 'ipv4', v6: 'ipv6' },
    })
  },

  /** A pattern on a linear-time engine, bare or as `/pattern/flags`; at most 1000 characters. */
  regex(info: Extra): FieldBuilder<string, Pattern> {
    const schema = v.pipe(
      textSchema({ max: 1000 }),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const parsed = parsePattern(dataset.value)
        if (parsed.ok) return dataset.value
        addIssue({ message: `invalid: ${parsed.problem}` })
        return NEVER
      }),
    )
    return defineField(
      { kind: 'regex', format: 'regex', max: 1000, ...info },
      schema,
      compilePattern,
    )
  },

  /** A list; with `commas` also accepted as one comma-separated string. */
  list<W, V>(
    item: FieldBuilder<W, V>,
    info: Extra & { readonly min?: number; readonly max: number; readonly commas?: boolean },
  ): FieldBuilder<readonly W[], readonly V[]> {
    const { commas = false, min = 0, max, ...rest } = info
    const list = v.pipe(
      v.array(v.unknown(), 'invalid: an array is expected'),
      v.check(
        (items) => items.length >= min && items.length <= max,
        `out_of_range: ${min}..${max} items`,
      ),
      v.rawTransform<unknown[], readonly W[]>(({ dataset, addIssue }) =>
        dataset.value.map((value, index) => {
          const result = item.schema['~standard'].validate(value)
          if (!(result instanceof Promise) && result.issues === undefined) return result.value
          const input = dataset.value
          const here = { type: 'array', origin: 'value', input, key: index, value } as const
          const issues = result instanceof Promise ? [{ message: 'invalid' }] : result.issues
          for (const { message, path = [] } of issues)
            addIssue({ message, path: [here, ...path.map(within(value))] })
          return undefined as W
        }),
      ),
    )
    const schema = commas ? v.pipe(v.unknown(), v.transform(splitCommas), list) : list
    return defineField({ kind: 'array', min, max, item, ...rest }, schema, (wire: readonly W[]) =>
      wire.map((value) => item.decode(value)),
    )
  },

  /** Fields under one name: `{ auth: { user, pass } }`, also written `auth.user`. */
  group<const T extends FieldTable>(fields: T, info: Extra): FieldBuilder<Input<T>, Settings<T>> {
    return defineField<Input<T>, Settings<T>>(
      { kind: 'object', fields, ...info },
      v.record(v.string(), v.unknown()) as never,
      (wire: Input<T>) => wire as never,
    )
  },
}

/** A step of a Standard Schema's path as valibot writes it. */
function within(input: unknown) {
  return (step: PropertyKey | { readonly key: PropertyKey }) => {
    const key = typeof step === 'object' ? step.key : step
    return { type: 'unknown', origin: 'value', input, key, value: undefined } as const
  }
}

function matchWord<W extends string>(
  words: readonly W[],
  value: string | boolean | number,
): W | undefined {
  const text = String(value).toLowerCase()
  return words.find((word) => word.toLowerCase() === text)
}

function splitCommas(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** The entries of `info` that are set; `exactOptionalPropertyTypes` does not allow `undefined`. */
function given<T extends object>(info: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(info).filter(([, value]) => value !== undefined),
  ) as never
}
