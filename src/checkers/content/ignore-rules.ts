/**
 * `ignore_regex`: removes text that changes in every response without meaning (times, counters,
 * tokens) before the comparison. One pattern per line.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { compilePattern, parsePattern, PATTERN_TEXT_LIMIT } from '../../fields/pattern.ts'
import type { Pattern } from '../../fields/pattern.ts'
import { textSchema } from '../../fields/text.ts'
import { CheckFailure } from '../../net/failure.ts'
import { limitWork } from '../work-limit.ts'
import type { WorkLimits } from '../work-limit.ts'

const MAX_CHARACTERS = 8192
const MAX_RULES = 20
const MAX_RULE_CHARACTERS = 1000

/** A match cannot span two pieces; pieces end at line ends. */
const PIECE_CHARACTERS = 32_768

/** CPU time limit for all patterns on one page: what each adds, and the least. */
const PATTERN_MS = 250
const LEAST_MS = 2_000

export interface IgnoreRules {
  /** As entered by the user. */
  readonly source: string
  /**
   * The text without the matches in its first 256 Ki characters. Yields regularly.
   *
   * @throws CheckFailure `content_ignore_slow`
   */
  removeFrom(text: string, limits: Omit<WorkLimits, 'cpu_ms'>): Generator<void, string>
}

/** Several patterns, one per line; blank lines and those that begin with `#` are comments. */
export function ignoreRulesField(description: string): FieldBuilder<string, IgnoreRules> {
  const schema = v.pipe(
    textSchema({ min: 0, max: MAX_CHARACTERS, multiline: true }),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? problemOf(dataset.value) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
  )
  return defineField(
    { kind: 'string', format: 'patterns', max: MAX_CHARACTERS, example: '\\d+ views', description },
    schema,
    ignoreRules,
  )
}

function ignoreRules(source: string): IgnoreRules {
  const rules = rulesIn(source)
  const cpu_ms = Math.max(LEAST_MS, rules.length * PATTERN_MS)
  // Compiling some patterns takes a millisecond or two, too long for all of them in one turn.
  const compiled: Pattern[] = []
  const patternAt = (index: number): Pattern =>
    (compiled[index] ??= compilePattern(rules[index]?.rule ?? ''))
  return {
    source,
    removeFrom: (text, limits) =>
      within(removeAll(rules.length, patternAt, text), { ...limits, cpu_ms }),
  }
}

function* removeAll(
  count: number,
  patternAt: (index: number) => Pattern,
  text: string,
): Generator<void, string> {
  const [beginning, rest] = cut(text, PATTERN_TEXT_LIMIT)
  let searched = beginning
  for (let index = 0; index < count; index++) {
    const pattern = patternAt(index)
    yield
    const kept: string[] = []
    // Half of the limit of one search: other checks run their steps in the same turn.
    const limit = Math.min(PIECE_CHARACTERS, Math.ceil(pattern.searched / 2))
    for (let left = searched; left !== '';) {
      const [piece, more] = cut(left, limit)
      kept.push(yield* pattern.removeFrom(piece))
      left = more
      yield
    }
    searched = kept.join('')
  }
  return searched + rest
}

/** Limits the time of its own steps, without the time in between. */
function* within<T>(steps: Generator<void, T>, limits: WorkLimits): Generator<void, T> {
  const limit = limitWork(limits)
  for (;;) {
    const step = limit.run(() => steps.next())
    if (step.done === true) return step.value
    if (limit.passed !== undefined) {
      const text = `ignore_regex was given up after ${limit.passed} on this page`
      throw new CheckFailure('content_ignore_slow', text)
    }
    yield
  }
}

function problemOf(source: string): string | undefined {
  const rules = rulesIn(source)
  if (rules.length > MAX_RULES) return `out_of_range: 0..${MAX_RULES} patterns`
  for (const { line, rule, written } of rules) {
    if (written.length > MAX_RULE_CHARACTERS) {
      return `out_of_range: line ${line}: 1..${MAX_RULE_CHARACTERS} characters`
    }
    const parsed = parsePattern(rule)
    if (!parsed.ok) return `invalid: line ${line}: ${parsed.problem}`
  }
  return undefined
}

interface Rule {
  /** Line number, from 1. */
  readonly line: number
  readonly written: string
  /** As `/pattern/flags`; `^` and `$` match the ends of a line. */
  readonly rule: string
}

function rulesIn(source: string): readonly Rule[] {
  return source.split(/\r?\n/).flatMap((text, at) => {
    const written = text.trim()
    if (written === '' || written.startsWith('#')) return []
    const [, pattern = written, flags = ''] = /^\/(.+)\/([a-z]*)$/su.exec(written) ?? []
    return [{ line: at + 1, written, rule: `/${pattern}/${flags}m` }]
  })
}

/** The first `limit` characters at most, as whole lines if possible, and the rest. */
function cut(text: string, limit: number): [beginning: string, rest: string] {
  if (text.length <= limit) return [text, '']
  const lineEnd = text.lastIndexOf('\n', limit - 1) + 1
  const end = lineEnd > 0 ? lineEnd : limit
  return [text.slice(0, end), text.slice(end)]
}
