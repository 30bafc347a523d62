/**
 * `json`: assertions on values of a JSON body, found by JSONPath.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { textSchema } from '../../fields/text.ts'
import type { Json, JsonObject } from '../../model.ts'
import type { TextReader } from '../../net/net.ts'
import { gatherText } from '../content/gather.ts'
import { MAX_SELECTED, parseJsonPath } from '../json/path.ts'
import type { JsonPath, Selected } from '../json/path.ts'
import { MAX_JSON_VALUES, readJson } from '../json/value.ts'
import { limitWork } from '../work-limit.ts'
import type { WorkLimits } from '../work-limit.ts'
import { OPERATORS, assertionOf, assertionsField, shown, spelledOut, textOf } from './assertion.ts'
import type { Assertion, Operator, Scalar } from './assertion.ts'

/** Maximum length of a body that is read as JSON. 1 Mi characters. */
const MAX_JSON_CHARACTERS = 1024 * 1024
const MAX_PATH_CHARACTERS = 500
/** Characters of a place that a cause shows. */
const MAX_PLACE_CHARACTERS = 100

export interface StoredJsonAssertion {
  readonly path: string
  readonly op: Operator
  readonly value?: Scalar | undefined
}

export interface JsonAssertion extends Assertion {
  readonly path: JsonPath
}

export const jsonField = assertionsField<StoredJsonAssertion, JsonAssertion>({
  description:
    'What the values of a JSON body must be: a list of { path, op, value }, path being a JSONPath (RFC 9535); all must hold',
  example: '[{"path":"$.status","op":"equals","value":"ok"}]',
  fields: { path: jsonPathField().required() },
  operators: OPERATORS,
  decode: ({ path, ...expected }) => ({ path: compile(path), ...assertionOf(expected) }),
})

function jsonPathField(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: MAX_PATH_CHARACTERS, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const parsed = parseJsonPath(dataset.value)
      if (parsed.ok) return dataset.value
      addIssue({ message: `invalid: ${parsed.problem}` })
      return NEVER
    }),
  )
  return defineField(
    { kind: 'string', min: 1, max: MAX_PATH_CHARACTERS, description: 'JSONPath: $.queue.length' },
    schema,
  )
}

function compile(source: string): JsonPath {
  const parsed = parseJsonPath(source)
  if (!parsed.ok) throw new TypeError(parsed.problem)
  return parsed.path
}

/** The result of one assertion. */
interface Outcome {
  readonly assertion: JsonAssertion
  readonly holds: boolean
  /** What was found, for people: `"degraded"`, `nothing`, `3 of them`. */
  readonly found: string
  /** The normalized path of the value that does not hold, if the path may select several. */
  readonly place: string | undefined
}

export interface JsonSearch extends TextReader {
  /** Why the body could not be read as JSON. */
  readonly problem: string | undefined
  /** What was not read and may decide: `The first 1,048,576 characters of the body were searched`. */
  readonly unseen: string | undefined
  readonly outcomes: readonly Outcome[]
}

export function seekJson(assertions: readonly JsonAssertion[], limits: WorkLimits): JsonSearch {
  const body = gatherText()
  const outcomes: Outcome[] = []
  let length = 0
  function* hold(assertion: JsonAssertion, document: Json): Generator<void, void> {
    const selected = yield* assertion.path.select(document)
    search.unseen ??= unsearched(assertion, selected)
    if (search.unseen !== undefined || selected === undefined) return
    outcomes.push(yield* evaluate(assertion, selected))
  }
  function* holdAll(document: Json): Generator<void, void> {
    for (const each of assertions) yield* hold(each, document)
  }
  const search: { -readonly [K in keyof JsonSearch]: JsonSearch[K] } = {
    problem: undefined,
    unseen: undefined,
    outcomes,
    wantsMore: () => length <= MAX_JSON_CHARACTERS,
    *take(text) {
      body.add(text)
      length += text.length
      yield
    },
    *end({ whole }) {
      if (!whole || !search.wantsMore()) {
        search.unseen = `A body of up to ${MAX_JSON_CHARACTERS.toLocaleString('en-US')} characters is read as JSON, and this one is longer`
        return
      }
      const read = yield* readJson(body.text().replace(/^\u{feff}/u, ''))
      if (read.ok) {
        const passed = yield* within(holdAll(read.value), limits)
        if (passed !== undefined)
          search.unseen = `The assertions are compared for up to ${passed}, and these take longer`
      } else if (read.problem === 'invalid')
        search.problem = length === 0 ? 'The body is empty' : 'The body is not JSON'
      else
        search.unseen = `A body of up to ${MAX_JSON_VALUES.toLocaleString('en-US')} values is read as JSON, and this one has more`
    },
  }
  return search
}

/** The limit that passed before the work ended. */
function* within(
  work: Generator<void, void>,
  limits: WorkLimits,
): Generator<void, string | undefined> {
  const limit = limitWork(limits)
  for (;;) {
    if (limit.run(() => work.next()).done === true) return undefined
    if (limit.passed !== undefined) return limit.passed
    yield
  }
}

/** A pattern searches as many characters of all values together as of one text. */
function unsearched(
  { path, pattern }: JsonAssertion,
  selected: readonly Selected[] | undefined,
): string | undefined {
  if (selected === undefined)
    return `At most ${MAX_SELECTED.toLocaleString('en-US')} values are compared, and ${cut(path.source)} finds more`
  if (pattern === undefined) return undefined
  const length = selected.reduce((sum, { value }) => sum + (textOf(value)?.length ?? 0), 0)
  if (length <= pattern.searched) return undefined
  const characters = pattern.searched.toLocaleString('en-US')
  return `The pattern searches up to ${characters} characters, and ${cut(path.source)} finds more`
}

function* evaluate(
  assertion: JsonAssertion,
  selected: readonly Selected[],
): Generator<void, Outcome> {
  const { op, path, value } = assertion
  const [first] = selected
  const outcome = (holds: boolean, found: string, at?: Selected): Outcome => {
    const place = at === undefined || path.isSingular ? undefined : cut(at.path())
    return { assertion, holds, found, place }
  }
  if (op === 'count') return outcome(selected.length === value, `${selected.length} of them`)
  if (first === undefined) return outcome(op === 'absent', 'nothing')
  if (op === 'absent') return outcome(false, shown(first.value), first)
  for (const each of selected) {
    if (!assertion.holds(each.value)) return outcome(false, shown(each.value), each)
    // A pattern may take a whole turn.
    yield
  }
  return outcome(true, selected.length === 1 ? shown(first.value) : `${selected.length} of them`)
}

function cut(text: string): string {
  return text.length > MAX_PLACE_CHARACTERS ? `${text.slice(0, MAX_PLACE_CHARACTERS)}…` : text
}

/** `details.json`. */
export function jsonDetails({ outcomes }: JsonSearch): readonly JsonObject[] {
  return outcomes.map(({ assertion: { path, op, value }, holds, found, place }) => ({
    path: path.source,
    op,
    ...(value === undefined ? {} : { value }),
    found,
    ...(place === undefined ? {} : { place }),
    holds,
  }))
}

/** The text of the cause, or `undefined` if all hold. */
export function jsonProblem({ outcomes }: JsonSearch): string | undefined {
  const broken = outcomes.filter(({ holds }) => !holds)
  return spelledOut(outcomes.length, broken, sentenceOf)
}

function sentenceOf({ assertion: { path, op, expected }, found, place }: Outcome): string {
  const at = place === undefined ? '' : ` at ${place}`
  if (found === 'nothing') return `${cut(path.source)} is not in the body, expected ${expected}`
  const verb = op === 'count' ? 'finds' : 'is'
  return `${cut(path.source)} ${verb} ${found}${at}, expected ${expected}`
}
