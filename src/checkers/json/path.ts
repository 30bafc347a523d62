/**
 * JSONPath (RFC 9535) over documents of a target. A library parses paths and evaluates filters; the
 * walk is in steps, and what would take more than time in proportion to the document is rejected.
 *
 * @module
 */

import { JSONPathEnvironment, JSONPathError, JSONPathNode, jsonpath } from 'json-p3'
import type { JSONPathQuery, JSONValue } from 'json-p3'
import type { Json } from '../../model.ts'

/** Maximum selectors of the whole path: `$.a['b', 'c'][0]` has four. */
const MAX_SELECTORS = 50
/** Values after which other work runs. */
const STEP = 512

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
  /** In the order of the document. Yields regularly. */
  select(document: Json): Generator<void, readonly Selected[]>
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

function* walk({ segments }: JSONPathQuery, document: Json): Generator<void, readonly Selected[]> {
  const root = document as JSONValue
  let nodes: JSONPathNode[] = [new JSONPathNode(root, [], root)]
  for (const segment of segments) {
    const from = isDescendant(segment) ? yield* withDescendants(nodes) : nodes
    nodes = yield* selectFrom(from, segment)
  }
  return nodes.map((node) => ({
    value: node.value as Json,
    path: () => node.getPath({ form: 'canonical' }),
  }))
}

function* selectFrom(
  nodes: readonly JSONPathNode[],
  { selectors, environment }: Segment,
): Generator<void, JSONPathNode[]> {
  const selected: JSONPathNode[] = []
  let looked = 0
  for (const node of nodes) {
    for (const selector of selectors) {
      if (++looked % STEP === 0) yield
      if (!(selector instanceof FilterSelector)) {
        for (const child of selector.resolve(node)) selected.push(child)
        continue
      }
      for (const child of childrenOf(node)) {
        if (++looked % STEP === 0) yield
        const context = { environment, currentValue: child.value, rootValue: node.root }
        if (selector.expression.evaluate(context)) selected.push(child)
      }
    }
  }
  return selected
}

/** Each node before its children, as RFC 9535, 2.5.2 orders them. */
function* withDescendants(nodes: readonly JSONPathNode[]): Generator<void, JSONPathNode[]> {
  const found: JSONPathNode[] = []
  const waiting = nodes.toReversed()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node)
    if (found.length % STEP === 0) yield
    for (const child of childrenOf(node).toReversed()) waiting.push(child)
  }
  return found
}

function childrenOf({ value, location, root }: JSONPathNode): JSONPathNode[] {
  const child = (part: string | number, held: JSONValue) =>
    new JSONPathNode(held, [...location, part], root)
  if (Array.isArray(value)) return value.map((held, index) => child(index, held))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, held]) => child(name, held))
}
