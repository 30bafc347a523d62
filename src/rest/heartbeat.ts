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
import { readBytes } from './body.ts'
import { ok } from './envelope.ts'
import type { Reply } from './envelope.ts'
import { HttpError } from './http-error.ts'
import { createRouter } from './router.ts'
import type { Strangers } from './auth.ts'

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
  readonly strangers: Strangers
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
  const { engine, clock, strangers, request, url, pathname } = ping
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
    if (isWatchpostError(error) && error.code === 'not_found') strangers(request)
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
