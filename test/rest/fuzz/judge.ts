/** What must hold for every answer, whatever was asked. */

import { createRouter } from '../../../src/rest/router.ts'
import { departures } from '../schema-check.ts'
import type { Document, DocumentedOperation } from './grammar.ts'
import type { Shot } from './shot.ts'
import type { WireAnswer } from './wire.ts'

/** Refusals of Node's own HTTP server, which the API never sees. */
const OF_NODE = [400, 408, 413, 417, 431]

/** Traces of our inside. Requests hold none of these. */
const LEAK = /\n\s+at |node:internal|node_modules|\/src\/|\/dist\/|SQLITE|sqlite3|re2js/

const CODES = /^(?:required|invalid|out_of_range|unknown_field|immutable)\b/

export interface Judge {
  /** What is wrong with the answers, empty where nothing is. */
  (shot: Shot, answers: readonly WireAnswer[]): readonly string[]
}

export function judgeOf(document: Document): Judge {
  const routes = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, ':$1'),
      operation,
    })),
  )
  const router = createRouter(routes)

  function operationOf({ method, path }: Shot): DocumentedOperation | undefined {
    if (!URL.canParse(path, 'http://localhost')) return undefined
    const match = router.match(method, new URL(path, 'http://localhost').pathname)
    return match.kind === 'found' ? match.route.operation : undefined
  }

  return (shot, answers) => {
    if (answers.length === 0) return mayStaySilent(shot) ? [] : ['there is no answer']
    // Of spoilt bytes nobody knows which operation they became.
    const operation = shot.spoil === undefined ? operationOf(shot) : undefined
    return answers.flatMap((answer) => [
      ...anyAnswer(answer),
      ...(answer.headers.has('x-request-id')
        ? ofApi({ document, shot, answer, operation })
        : ofNode(answer)),
    ])
  }
}

/** Node closes such a connection without a word, or its word is lost with the reset. */
function mayStaySilent(shot: Shot): boolean {
  return (
    shot.spoil !== undefined ||
    shot.method === 'CONNECT' ||
    shot.path.length + shot.query.join().length + shot.headers.flat().join().length > 14_000
  )
}

function anyAnswer({ status, body }: WireAnswer): string[] {
  return [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...(LEAK.test(body) ? ['the answer tells of our inside'] : []),
  ]
}

function ofNode({ status, headers, body }: WireAnswer): string[] {
  if (OF_NODE.includes(status) && body === '') return []
  const elsewhere = status === 404 && headers.get('content-type') === 'text/plain'
  return elsewhere ? [] : [`status ${status} is neither of the API nor of Node`]
}

interface Answered {
  readonly document: Document
  readonly shot: Shot
  readonly answer: WireAnswer
  readonly operation: DocumentedOperation | undefined
}

function ofApi({ document, shot, answer, operation }: Answered): string[] {
  const { status, headers, body } = answer
  const problems = [
    ...(headers.get('x-content-type-options') === 'nosniff' ? [] : ['sniffing is not forbidden']),
    ...(shot.damage.length === 0 ? unexpected(shot, status) : []),
  ]
  if (status === 304 || body === '') return problems
  if (headers.get('content-type')?.startsWith('text/plain') === true) {
    return body === 'OK' ? problems : [...problems, `the text ${body}`]
  }
  const json = parsed(body)
  if (json === undefined) return [...problems, 'the answer is not JSON']
  return [
    ...problems,
    ...departuresOf({ document, answer, operation }, json),
    ...refusal(answer, json),
  ]
}

/** To what the grammar takes for valid: a setting may still contradict another, a monitor may be gone. */
function unexpected({ path }: Shot, status: number): string[] {
  // Unknown tokens are limited for each client, and all of these come from one.
  if (status === 429 && path.startsWith('/hb/')) return []
  return status < 400 || [404, 409, 412, 422].includes(status) ? [] : [`status ${status}`]
}

function departuresOf(
  { document, answer, operation }: Omit<Answered, 'shot'>,
  json: object,
): string[] {
  const { status } = answer
  const error = { $ref: '#/components/schemas/Error' }
  if ('openapi' in json) return []
  const documented = operation?.responses[status] as Documented | undefined
  if (operation !== undefined && documented === undefined && status !== 405) {
    return [`status ${status} is not documented`]
  }
  const schema = documented?.content['application/json'].schema
  if (schema === undefined && status < 400) return []
  return departures(json, schema ?? error, document)
}

interface Documented {
  readonly content: { readonly 'application/json': { readonly schema: unknown } }
}

function refusal({ status, headers }: WireAnswer, json: object): string[] {
  const { ok, request_id, fields } = json as Record<string, unknown>
  if (status < 400) return ok === true || 'openapi' in json ? [] : ['ok is not true']
  const problems = Object.values((fields ?? {}) as Record<string, string>)
  return [
    ...(ok === false ? [] : ['ok is not false']),
    ...(request_id === headers.get('x-request-id') ? [] : ['another request_id']),
    ...(status === 422 && problems.length === 0 ? ['422 without fields'] : []),
    ...problems.filter((problem) => !CODES.test(problem)).map((problem) => `no code: ${problem}`),
  ]
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
