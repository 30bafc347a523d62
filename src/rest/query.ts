/**
 * Query parameters as a table that parses and validates the values and describes them in OpenAPI. Unknown parameters
 * are ignored; all invalid values are reported at once (422, `fields.<parameter>`).
 *
 * @module
 */

import { ASCII_CONTROL } from '../model/printable.ts'
import { ValidationError } from '../errors.ts'
import { isTime, readIsoTime } from '../model/time.ts'
import type { EpochMs, JsonObject } from '../model.ts'
import { positiveInteger } from './router.ts'

export interface Param<T> {
  readonly description: string
  /** JSON Schema of one value as written in the URL. */
  readonly schema: JsonObject
  /** Used if the parameter is absent. */
  readonly fallback?: T
  /** Written as `name.key=value` or `name[key]=value`; `read` gets `key=value` texts. */
  readonly members?: true
  /** May be given repeatedly; all others at most once. */
  readonly repeatable?: true
  /** @throws BadValue */
  read(values: readonly string[]): T
}

export type QueryTable = Readonly<Record<string, Param<unknown>>>

/** The result of a table; parameters that were not sent are absent. */
export type Query<Q extends QueryTable> = {
  readonly [K in keyof Q]?: Q[K] extends Param<infer T> ? T : never
}

/** @throws ValidationError */
export function readQuery<Q extends QueryTable>(table: Q, given: URLSearchParams): Query<Q> {
  const problems: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  for (const [name, param] of Object.entries(table)) {
    const texts = (param.members === true ? membersOf(name, given) : given.getAll(name)).filter(
      (text) => text !== '',
    )
    if (texts.length === 0) {
      if (param.fallback !== undefined) values[name] = param.fallback
      continue
    }
    const isMany = param.repeatable === true || param.members === true
    if (texts.length > (isMany ? MAX_REPEATED : 1)) {
      problems[name] = 'invalid: given too often'
      continue
    }
    if (texts.some((text) => ASCII_CONTROL.test(text))) {
      problems[name] = 'invalid: control characters are not allowed'
      continue
    }
    const read = attempt(() => param.read(texts))
    if ('problem' in read) problems[name] = read.problem
    else values[name] = read.value
  }
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return values as Query<Q>
}

/** The members of an object in a query, as `key=value`. */
function membersOf(name: string, given: URLSearchParams): string[] {
  return [...given].flatMap(([written, value]) => {
    if (value === '') return []
    if (written.startsWith(`${name}.`)) return [`${written.slice(name.length + 1)}=${value}`]
    if (!written.startsWith(`${name}[`) || !written.endsWith(']')) return []
    return [`${written.slice(name.length + 1, -1)}=${value}`]
  })
}

const MAX_REPEATED = 20
const MAX_WORDS = 50

/** Thrown by `Param.read` only; never leaves {@link readQuery}. */
class BadValue extends Error {}

/** The kinds of parameters. */
export const param = {
  integer(info: {
    readonly description: string
    readonly min: number
    readonly max: number
    readonly fallback?: number
  }): Param<number> {
    const { description, min, max, fallback } = info
    return {
      description,
      schema: {
        type: 'integer',
        minimum: min,
        maximum: max,
        ...(fallback === undefined ? {} : { default: fallback }),
      },
      ...(fallback === undefined ? {} : { fallback }),
      read([text = '']) {
        if (!/^-?\d{1,15}$/.test(text)) throw new BadValue('invalid: an integer is expected')
        const value = Number(text)
        if (value < min || value > max) throw new BadValue(`out_of_range: ${min}..${max}`)
        return value
      },
    }
  },

  id(description: string): Param<number> {
    return {
      description,
      schema: { type: 'integer', minimum: 1 },
      read([text = '']) {
        const value = positiveInteger(text)
        if (value === undefined) throw new BadValue('invalid: an id is expected')
        return value
      },
    }
  },

  oneOf<const W extends string>(words: readonly W[], description: string): Param<W> {
    return {
      description,
      schema: { type: 'string', enum: words },
      read: ([text = '']) => wordOf(words, text),
    }
  },

  /** Any of several words, as a comma-separated list or repeated. */
  anyOf<const W extends string>(words: readonly W[], description: string): Param<readonly W[]> {
    return {
      description: `${description} (comma list: any of these)`,
      schema: { type: 'string', examples: [words.slice(0, 2).join(',')] },
      repeatable: true,
      read: (texts) =>
        texts.flatMap((text) => splitCommas(text)).map((text) => wordOf(words, text)),
    }
  },

  /** Words that the engine validates, as a comma-separated list or repeated. */
  words(description: string): Param<readonly string[]> {
    return {
      description: `${description} (comma list: any of these)`,
      schema: { type: 'string' },
      repeatable: true,
      read: (texts) => texts.flatMap((text) => splitCommas(text)),
    }
  },

  /** Repeated: all must match. Within one, separated by commas: any of these. `\,` is a comma of a word. */
  allOfAnyOf(description: string): Param<readonly (readonly string[])[]> {
    return {
      description: `${description} (repeat: all must hold; comma list: any of these; \`\\,\` is a comma of one)`,
      schema: { type: 'array', items: { type: 'string' } },
      repeatable: true,
      read: (texts) =>
        texts.map((text) =>
          splitCommas(text, /(?<!\\),/).map((word) => word.replaceAll('\\,', ',')),
        ),
    }
  },

  /** `name.key=value`, any number: all must match. Each key once. */
  members(description: string): Param<Readonly<Record<string, string>>> {
    return {
      description: `${description} (\`name.key=value\` or \`name[key]=value\`; repeat: all must hold)`,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      members: true,
      read(texts) {
        const entries = texts.map((text): [string, string] => {
          const at = text.indexOf('=')
          return [text.slice(0, at), text.slice(at + 1)]
        })
        if (new Set(entries.map(([key]) => key)).size < entries.length)
          throw new BadValue('invalid: a key is given twice')
        return Object.fromEntries(entries)
      },
    }
  },

  text(description: string, max: number): Param<string> {
    return {
      description,
      schema: { type: 'string', maxLength: max },
      read([text = '']) {
        if (text.length > max) throw new BadValue(`out_of_range: 1..${max} characters`)
        return text
      },
    }
  },

  flag(description: string): Param<boolean> {
    return {
      description: `${description} (1 or 0)`,
      schema: { type: 'string', enum: ['1', '0'] },
      read([text = '']) {
        const value = FLAGS.get(text)
        if (value === undefined) throw new BadValue('invalid: 1 or 0 is expected')
        return value
      },
    }
  },

  time(description: string): Param<EpochMs> {
    return {
      description: `${description} (ISO 8601, UTC where no offset is given, or Unix seconds)`,
      schema: { type: 'string', examples: ['2026-01-31T12:00:00.000Z'] },
      read: ([text = '']) => timeOf(text),
    }
  },

  /** Where the previous page ended; opaque to clients, and valid for this kind of list only. */
  cursor(list: string): Param<number> {
    return {
      description: '`next_cursor` of the page before',
      schema: { type: 'string' },
      read([text = '']) {
        const [kind, id = '', ...more] = Buffer.from(text, 'base64url')
          .toString('latin1')
          .split(':')
        const value = positiveInteger(id)
        if (kind !== list || value === undefined || more.length > 0) {
          throw new BadValue('invalid: not a cursor of this list')
        }
        return value
      },
    }
  },
}

/** The text that {@link param.cursor} reads, `null` at the end of a list. */
export function cursorOf(list: string, next: number | null): string | null {
  return next === null ? null : Buffer.from(`${list}:${next}`, 'latin1').toString('base64url')
}

/** `limit` and `cursor` of a list. */
export function paging(
  list: string,
  bounds: { readonly fallback: number; readonly max: number } = { fallback: 50, max: 200 },
): { readonly limit: Param<number>; readonly cursor: Param<number> } {
  const { fallback, max } = bounds
  return {
    limit: param.integer({ description: 'Items per page', min: 1, max, fallback }),
    cursor: param.cursor(list),
  }
}

/** A query with `cursor` under the engine's name for it. */
export function paged<T extends { readonly cursor?: number }>(
  query: T,
): Omit<T, 'cursor'> & { readonly after?: number } {
  const { cursor, ...filter } = query
  return cursor === undefined ? filter : { ...filter, after: cursor }
}

/** @throws ValidationError if `from` is after `to` */
export function requireOrder(range: { readonly from?: EpochMs; readonly to?: EpochMs }): void {
  const { from, to } = range
  if (from === undefined || to === undefined || from <= to) return
  throw new ValidationError({ from: 'invalid: it is after "to"' })
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

function timeOf(text: string): EpochMs {
  const at = /^\d{1,12}$/.test(text)
    ? Number(text) * 1000
    : // In a query, the plus of an offset arrives as a space.
      readIsoTime(text.replace(' ', '+'))
  if (at !== undefined && isTime(at)) return at
  throw new BadValue('invalid: a time from 1970 to 9999 is expected, such as 2026-01-31T12:00:00Z')
}

function wordOf<W extends string>(words: readonly W[], text: string): W {
  const word = words.find((known) => known === text.toLowerCase())
  if (word === undefined) throw new BadValue(`invalid: one of ${words.join(', ')} is expected`)
  return word
}

function splitCommas(text: string, comma: string | RegExp = ','): string[] {
  const words = text
    .split(comma)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) throw new BadValue('invalid: nothing between the commas')
  if (words.length > MAX_WORDS) throw new BadValue(`out_of_range: 1..${MAX_WORDS} words`)
  return words
}

function attempt<T>(read: () => T): { readonly value: T } | { readonly problem: string } {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof BadValue) return { problem: error.message }
    throw error
  }
}
