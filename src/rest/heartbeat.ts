/**
 * The heartbeat address (spec 4): `/hb/<token>`, and as extensions `/start`, `/fail`, `/log` and `/<exit code>` below
 * it. No key and no rate limit of this folder; the token authenticates and the engine limits signals per monitor.
 *
 * A signal must not be lost because of optional parts: a message that is too long is cut, a parameter that does not
 * parse is ignored.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Engine, SignalInput } from '../engine/api/engine.ts'
import { isWatchpostError, NotFoundError } from '../errors.ts'
import { MONITOR_STATES } from '../model.ts'
import type { JsonObject } from '../model.ts'
import { readBytes } from './body.ts'
import { ok } from './envelope.ts'
import type { Reply } from './envelope.ts'
import { HttpError } from './http-error.ts'
import { nullable, object, REFUSALS, time, word } from './openapi/schemas.ts'
import { createRouter } from './router.ts'
import type { CountAuthFailure } from './auth.ts'

/** Maximum length of a stored body, in bytes. */
export const MESSAGE_LIMIT_BYTES = 10_240

const SHORT_TEXT = 200
const KINDS = ['start', 'fail', 'log'] as const
const METHODS = ['GET', 'POST'] as const

const router = createRouter(
  METHODS.flatMap((method) => [
    { method, path: '/hb/:token' },
    { method, path: '/hb/:token/:suffix' },
  ]),
)

interface Ping {
  readonly engine: Pick<Engine, 'signal'>
  readonly clock: Pick<Clock, 'timer'>
  readonly countAuthFailure: CountAuthFailure
  readonly request: Request
  readonly url: URL
  /** Path without the base path. */
  readonly pathname: string
}

/**
 * @throws HttpError 400 `bad_signal`, 405, 429 after too many unknown tokens; NotFoundError for an unknown token or
 * path
 */
export async function heartbeat(ping: Ping): Promise<Reply> {
  const { engine, clock, countAuthFailure, request, url, pathname } = ping
  // Link previews and scanners use HEAD; they are not the job.
  const method = request.method === 'HEAD' ? '' : request.method
  const match = router.match(method, pathname)
  if (match.kind === 'none') throw new NotFoundError('address')
  if (match.kind === 'method') throw methodNotAllowed(METHODS)
  const { token = '', suffix } = match.params
  const kind = kindOf(suffix)
  const message = await messageOf(request, url, clock)
  const signal = { ...kind, ...message, ...ornaments(url.searchParams) }
  const answer = await engine.signal(token, signal).catch((error: unknown) => {
    if (isWatchpostError(error) && error.code === 'not_found') countAuthFailure(request)
    throw error
  })
  if (prefersText(request)) return { status: 200, body: 'OK', headers: {} }
  return ok(answer)
}

export function methodNotAllowed(allow: readonly string[]): HttpError {
  return new HttpError({
    status: 405,
    error: 'method_not_allowed',
    message: `This address takes ${allow.join(', ')}`,
    headers: { Allow: allow.join(', ') },
  })
}

function kindOf(suffix: string | undefined): Pick<SignalInput, 'kind' | 'exit_code'> {
  if (suffix === undefined) return { kind: 'success' }
  const kind = KINDS.find((known) => known === suffix)
  if (kind !== undefined) return { kind }
  const exit_code = Number(suffix)
  if (/^\d{1,3}$/.test(suffix) && exit_code <= 255) {
    return { kind: exit_code === 0 ? 'success' : 'fail', exit_code }
  }
  throw new HttpError({
    status: 400,
    error: 'bad_signal',
    message: 'After the token: nothing, start, fail, log, or an exit code from 0 to 255',
  })
}

/** The body, or `msg` if it is empty. */
async function messageOf(
  request: Request,
  url: URL,
  clock: Pick<Clock, 'timer'>,
): Promise<Pick<SignalInput, 'message'>> {
  const bytes = await readBytes(request, { clock, max_bytes: MESSAGE_LIMIT_BYTES, overflow: 'cut' })
  // Decoded as a stream: a character that the limit cuts is dropped, not replaced by U+FFFD.
  const body = new TextDecoder().decode(bytes, { stream: bytes.length === MESSAGE_LIMIT_BYTES })
  const text = body === '' ? (url.searchParams.get('msg') ?? '') : body
  const message = storable(text, MESSAGE_LIMIT_BYTES)
  return message === '' ? {} : { message }
}

function ornaments(query: URLSearchParams): Pick<SignalInput, 'run_id' | 'duration_ms'> {
  const run_id = storable(query.get('rid') ?? '', SHORT_TEXT)
  const duration = query.get('duration_ms') ?? ''
  return {
    ...(run_id === '' ? {} : { run_id }),
    ...(/^\d{1,12}$/.test(duration) ? { duration_ms: Number(duration) } : {}),
  }
}

/** Without NUL, which not every database stores, and without half of a surrogate pair at the cut. */
function storable(text: string, max: number): string {
  return text
    .replaceAll('\0', '')
    .slice(0, max)
    .replace(/\p{Surrogate}$/u, '')
}

/** Whether `text/plain` precedes JSON in `Accept` (some clients send both by default, JSON first). */
function prefersText(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  const text = accept.indexOf('text/plain')
  const json = accept.indexOf('application/json')
  return text >= 0 && (json < 0 || text < json)
}

const OPENAPI_ANSWER: JsonObject = {
  description: 'The signal was taken',
  content: {
    'application/json': {
      schema: object(
        {
          ok: { const: true },
          state: word(MONITOR_STATES),
          next_expected_at: nullable(time()),
          ignored: word(['rate_limited'], 'Came too soon after the others and was left out'),
        },
        { optional: ['ignored'] },
      ),
    },
    'text/plain': { schema: { type: 'string', const: 'OK' } },
  },
}

const parameter = (name: string, where: 'path' | 'query', description: string): JsonObject => ({
  name,
  in: where,
  description,
  required: where === 'path',
  schema: { type: 'string' },
})

const OPENAPI_QUERY: readonly JsonObject[] = [
  parameter('rid', 'query', 'Id of the run: ties an end to its start'),
  parameter('msg', 'query', 'A message, where there is no body'),
  parameter('duration_ms', 'query', 'How long the job took'),
]

function pathItem(method: string, summary: string, path: readonly JsonObject[]): JsonObject {
  const suffixed = path.length > 1
  return {
    operationId: `${method}_hb${suffixed ? '_signal' : ''}`,
    summary,
    tags: ['Heartbeat'],
    security: [],
    parameters: [...path, ...OPENAPI_QUERY],
    ...(method === 'post'
      ? {
          requestBody: {
            description: 'Kept as the message, up to 10 KB',
            content: { '*/*': { schema: { type: 'string' } } },
          },
        }
      : {}),
    responses: {
      200: OPENAPI_ANSWER,
      ...(suffixed
        ? { 400: { ...REFUSALS[400], description: 'Not a signal (`bad_signal`)' } }
        : {}),
      404: REFUSALS[404],
      429: { ...REFUSALS[429], description: 'Too many unknown tokens from this client' },
      500: REFUSALS[500],
      503: REFUSALS[503],
    },
  }
}

const TOKEN = parameter('token', 'path', "The monitor's token")
const SIGNAL = parameter('signal', 'path', '`start`, `fail`, `log`, or an exit code from 0 to 255')

/** The heartbeat addresses in OpenAPI. */
export const HEARTBEAT_PATHS: JsonObject = {
  '/hb/{token}': {
    get: pathItem('get', 'Heartbeat ping, called at the end of a job', [TOKEN]),
    post: pathItem('post', 'Heartbeat ping with a message', [TOKEN]),
  },
  '/hb/{token}/{signal}': {
    get: pathItem('get', 'Another signal of the job', [TOKEN, SIGNAL]),
    post: pathItem('post', 'Another signal of the job, with a message', [TOKEN, SIGNAL]),
  },
}
