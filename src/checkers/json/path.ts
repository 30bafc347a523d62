/**
 * JSONPath (RFC 9535) over documents of a target. A library parses paths and evaluates filters; the
 * walk is in steps, and what would take more than time in proportion to the document is rejected.
 *
 * @module
 */

import { JSONPathEnvironment, JSONPathError, JSONPathNode, jsonpath } from 'json-p3'
import type { JSONPathQuery, JSONValue } from 'json-p3'
import type { Json } from '../../model.ts'
import { MAX_JSON_VALUES } from './value.ts'

/** Maximum selectors of the whole path: `$.a['b', 'c'][0]` has four. */
const MAX_SELECTORS = 50
/** Values after which other work runs. */
const STEP = 512
/** `$..[*, *, *]` finds every value three times. */
export const MAX_SELECTED = MAX_JSON_VALUES

const { FilterSelector } = jsonpath.selectors
const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression } =
  jsonpath.expressions

type Segment = jsonpath.JSONPathSegment
type Expression = jsonpath.expressions.FilterExpression

export interface Selected {
  readonly value: Json
  /** Its normalized path (RFC 9535, 2.7): `$['nodes'][2]`. */
  path(): string
}

export interface JsonPath {
  readonly source: string
  /** Whether it selects at most one value, as names and indices do. */
  readonly isSingular: boolean
  /** In the order of the document; `undefined` for more than {@link MAX_SELECTED}. Yields regularly. */
  select(document: Json): Generator<void, readonly Selected[] | undefined>
}

export type ParsedPath =
  { readonly ok: true; readonly path: JsonPath } | { readonly ok: false; readonly problem: string }

/**
 * Not accepted, although RFC 9535 has it: a second `..`, a second segment with several selectors,
 * `match` and `search` (they are backtracking patterns), and in a filter any path but `@` with
 * names and indices, and the comparison of two paths.
 */
export function parseJsonPath(source: string): ParsedPath {
  let query: JSONPathQuery
  try {
    query = environment().compile(source)
  } catch (error) {
    if (error instanceof JSONPathError) {
      return { ok: false, problem: `not a JSONPath (${error.message})` }
    }
    throw error
  }
  const problem = costProblem(query)
  if (problem !== undefined) return { ok: false, problem }
  const isSingular = query.singularQuery()
  return { ok: true, path: { source, isSingular, select: (document) => walk(query, document) } }
}

function environment(): JSONPathEnvironment {
  const made = new JSONPathEnvironment()
  for (const name of ['match', 'search']) made.functionRegister.delete(name)
  return made
}

function costProblem({ segments }: JSONPathQuery): string | undefined {
  const selectors = segments.flatMap((segment) => segment.selectors)
  if (selectors.length > MAX_SELECTORS) return `it has more than ${MAX_SELECTORS} selectors`
  if (segments.filter(isDescendant).length > 1) return 'it has more than one ..'
  if (segments.filter((segment) => segment.selectors.length > 1).length > 1)
    return 'it has more than one segment with several selectors'
  const filters = selectors.filter((selector) => selector instanceof FilterSelector)
  return filters.map(({ expression }) => filterProblem(expression)).find(Boolean)
}

function filterProblem(expression: Expression): string | undefined {
  if (expression instanceof FilterQuery) {
    const isNear = expression.toString().startsWith('@') && expression.path.singularQuery()
    return isNear ? undefined : 'a path in a filter may only be @ with names and indices'
  }
  const parts = partsOf(expression)
  const isOfTwoPaths = parts.length === 2 && parts.every((part) => part instanceof FilterQuery)
  if (isOfTwoPaths && expression instanceof InfixExpression && !expression.logical)
    return 'a filter compares a path with a constant'
  return parts.map(filterProblem).find(Boolean)
}

function partsOf(expression: Expression): readonly Expression[] {
  if (expression instanceof InfixExpression) return [expression.left, expression.right]
  if (expression instanceof PrefixExpression) return [expression.right]
  if (expression instanceof LogicalExpression) return [expression.expression]
  return expression instanceof FunctionExtension ? expression.args : []
}

/** The library does not export the class. */
function isDescendant(segment: Segment): boolean {
  return segment.toString().startsWith('..')
}

/** A value with the way to it: a list of the whole way for each value of a deep document takes gigabytes. */
interface Held {
  readonly value: JSONValue
  readonly parent: Held | undefined
  readonly part: string | number
}

function* walk(
  { segments }: JSONPathQuery,
  document: Json,
): Generator<void, readonly Selected[] | undefined> {
  const root = document as JSONValue
  let found: Held[] = [{ value: root, parent: undefined, part: '' }]
  for (const segment of segments) {
    const from = isDescendant(segment) ? yield* withDescendants(found) : found
    const next = yield* selectFrom(from, { segment, root })
    if (next === undefined) return undefined
    found = next
  }
  return found.map((held) => ({ value: held.value as Json, path: () => pathTo(held) }))
}

function pathTo(held: Held): string {
  const parts: (string | number)[] = []
  for (let at = held; at.parent !== undefined; at = at.parent) parts.unshift(at.part)
  return new JSONPathNode(null, parts, null).getPath({ form: 'canonical' })
}

interface Selecting {
  readonly segment: Segment
  readonly root: JSONValue
}

function* selectFrom(
  from: readonly Held[],
  { segment: { selectors, environment }, root }: Selecting,
): Generator<void, Held[] | undefined> {
  const selected: Held[] = []
  let looked = 0
  for (const parent of from) {
    const node = new JSONPathNode(parent.value, [], root)
    for (const selector of selectors) {
      if (++looked % STEP === 0) yield
      const isFilter = selector instanceof FilterSelector
      const children = isFilter ? childrenOf(parent) : resolved(selector.lazyResolve(node), parent)
      for (const child of children) {
        if (++looked % STEP === 0) yield
        const context = { environment, currentValue: child.value, rootValue: root }
        if (isFilter && !selector.expression.evaluate(context)) continue
        if (selected.length === MAX_SELECTED) return undefined
        selected.push(child)
      }
    }
  }
  return selected
}

function* resolved(nodes: Iterable<JSONPathNode>, parent: Held): Generator<Held, void> {
  for (const { value, location } of nodes) yield { value, parent, part: location[0] ?? '' }
}

/** Each value before its children, as RFC 9535, 2.5.2 orders them. */
function* withDescendants(from: readonly Held[]): Generator<void, Held[]> {
  const found: Held[] = []
  const waiting = from.toReversed()
  for (let held = waiting.pop(); held !== undefined; held = waiting.pop()) {
    found.push(held)
    if (found.length % STEP === 0) yield
    for (const child of childrenOf(held).toReversed()) waiting.push(child)
  }
  return found
}

function childrenOf(parent: Held): Held[] {
  const { value } = parent
  if (Array.isArray(value)) return value.map((held, part) => ({ value: held, parent, part }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([part, held]) => ({ value: held, parent, part }))
}
