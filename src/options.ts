/**
 * Validates the options of public functions against a table: unknown names and invalid values are rejected by name,
 * all at once. The table has one rule per option of the TypeScript type, so that the compiler reports a missing one.
 *
 * @module
 */

import { ConfigurationError } from './errors.ts'
import { isJsonObject } from './model/json.ts'

/** Returns the problems of a value; empty if it is valid. Values are never repeated, since they may be secrets. */
export type OptionRule = (value: unknown, path: string) => readonly string[]

export type OptionTable<T> = { readonly [K in keyof T]-?: OptionRule }

/**
 * An option with the value `undefined` is absent, even if its name is unknown.
 *
 * @param caller begins the sentence: `createEngine`
 * @throws ConfigurationError
 */
export function checkOptions<T extends object>(
  caller: string,
  options: T,
  table: OptionTable<T>,
): void {
  const problems = group(table)(options, '')
  if (problems.length > 0) throw new ConfigurationError(`${caller}: ${problems.join('; ')}`)
}

/** Nested options. */
export function group<T extends object>(table: OptionTable<T>): OptionRule {
  const rules = table as Readonly<Record<string, OptionRule>>
  const names = Object.keys(rules)
  return (options, path) => {
    if (!isJsonObject(options)) return [expected(path, 'an object of options')]
    const prefix = path === '' ? '' : `${path}.`
    return Object.entries(options).flatMap(([name, value]) => {
      if (value === undefined) return []
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
      return rule?.(value, prefix + name) ?? [unknownName(prefix, name, names)]
    })
  }
}

/** For options that are validated elsewhere, or not at all. */
export const anything: OptionRule = () => []

/** Validates each entry: `anchors[2]: a text is expected`. */
export function listOf(entry: OptionRule): OptionRule {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => entry(each, `${path}[${index}]`))
      : [expected(path, 'a list')]
}

export const flag = rule('true or false', (value) => typeof value === 'boolean')
export const text = rule('a text', (value) => typeof value === 'string')
export const callback = rule('a function', (value) => typeof value === 'function')
export const bytes = rule(
  'bytes',
  // By tag: tests run in realms with an array of their own.
  (value) => Object.prototype.toString.call(value) === '[object Uint8Array]',
)
export const object = rule('an object', isJsonObject)

export function wholeNumber(min: number, max: number): OptionRule {
  return rule(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  )
}

/** Including fractions. */
export function numberBetween(min: number, max: number): OptionRule {
  return rule(
    `a number from ${min} to ${max}`,
    (value) => typeof value === 'number' && value >= min && value <= max,
  )
}

/** Valid if it matches any of the rules. */
export function eitherOf(what: string, ...rules: readonly OptionRule[]): OptionRule {
  return rule(what, (value) => rules.some((each) => each(value, '').length === 0))
}

/** `false` disables what the rule describes. */
export const falseOr =
  (given: OptionRule): OptionRule =>
  (value, path) =>
    value === false ? [] : given(value, path)

/** A mount path: the root, or a path without a trailing slash. */
export const mountPath = rule(
  'a path such as /watch, without a slash at its end,',
  (value) => typeof value === 'string' && /^(?:\/[\w.~-]+)*$/.test(value),
)

/** Requests in a window of seconds. */
export const requestCount = wholeNumber(1, 1_000_000)
export const windowSec = numberBetween(1, 86_400)

/** Milliseconds; values beyond the range of a timer are rejected. */
export const milliseconds = (min: number, max: number = 2 ** 31 - 1): OptionRule =>
  numberBetween(min, max)

export function oneOf(...words: readonly unknown[]): OptionRule {
  const shown = words.map((word) => JSON.stringify(word)).join(' or ')
  return rule(shown, (value) => words.includes(value))
}

/** An object with these methods: a clock, a logger, a store. */
export function having(...methods: readonly string[]): OptionRule {
  return rule(
    `an object with ${methods.map((name) => `${name}()`).join(', ')}`,
    (value) =>
      isJsonObject(value) &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  )
}

export const clock = having('now', 'monotonic', 'timer', 'sleep', 'random')

export const logger = eitherOf(
  'a logger with debug(), info(), warn(), error(), or false',
  oneOf(false),
  having('debug', 'info', 'warn', 'error'),
)

/** For a store or a receiver, which only need `now`. */
export const wallClock = having('now')

export const authority = eitherOf('a PEM text, or a list of them,', text, listOf(text))

function rule(what: string, fits: (value: unknown) => boolean): OptionRule {
  return (value, path) => (fits(value) ? [] : [expected(path, what)])
}

function expected(path: string, what: string): string {
  return `${path === '' ? '' : `${path}: `}${what} is expected`
}

function unknownName(prefix: string, name: string, names: readonly string[]): string {
  return `unknown option ${quoted(prefix + name)}; ${suggestion(name, names)}`
}

const LONGEST_SHOWN = 60

/** A name as a caller wrote it, quoted for a message. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name)
}

/** A suggestion for an unknown name: the nearest known one, otherwise all of them. */
export function suggestion(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'there are none'
  const near = nearestName(name, known)
  return near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`
}

/** The known name within two typos; case and underscores are ignored. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const given = plain(name).slice(0, LONGEST_SHOWN)
  const most = given.length < 4 ? 1 : given.length < 10 ? 2 : 3
  const ranked = known
    .map((each) => ({ each, text: plain(each) }))
    .filter(({ text }) => Math.abs(text.length - given.length) <= most)
    .map(({ each, text }) => ({ each, slips: slipsBetween(given, text) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
  return ranked[0]?.each
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** Letters omitted, added, changed or swapped with their neighbour (optimal string alignment). */
function slipsBetween(a: string, b: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(before, j - 2) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
