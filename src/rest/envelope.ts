/**
 * The envelope of every response (spec 4): `{ ok: true, … }` or `{ ok: false, error, message?, fields?, request_id
 * }`. Nothing else in this folder writes `ok`.
 *
 * @module
 */

import { wholeResponse } from '../access/whole-body.ts'

/** A response before it becomes a `Response`. */
export interface Reply {
  readonly status: number
  /** An object is sent as JSON, a string as `text/plain`, bytes as JSON that is already encoded, `null` as no body. */
  readonly body: Readonly<Record<string, unknown>> | Uint8Array | string | null
  readonly headers: Readonly<Record<string, string>>
}

interface ReplyOptions {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Failure {
  readonly status: number
  /** Stable machine code. */
  readonly error: string
  /** One sentence for a person. Absent if `fields` says it all. */
  readonly message?: string
  /** Problem per field or parameter, as the user wrote its name. */
  readonly fields?: Readonly<Record<string, string>>
  /** The scope that the key lacks. */
  readonly scope?: string
  /** Whole seconds after which a retry may succeed. */
  readonly retry_after?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A success: `resource` holds the named content, as in `{ monitor }` or `{ monitors, next_cursor }`. */
export function ok(resource: object, options: ReplyOptions = {}): Reply {
  return {
    status: options.status ?? 200,
    body: { ok: true, ...resource },
    headers: options.headers ?? {},
  }
}

export function fail(failure: Failure, request_id: string): Reply {
  const { status, headers = {}, ...rest } = failure
  const { retry_after } = rest
  return {
    status,
    body: { ok: false, ...rest, request_id },
    headers: retry_after === undefined ? headers : { ...headers, 'Retry-After': `${retry_after}` },
  }
}

/** Builds the `Response`. Headers of the reply override those of `base`. */
export function toResponse(reply: Reply, base: Headers, options: { head: boolean }): Response {
  const headers = new Headers(base)
  for (const [name, value] of Object.entries(reply.headers)) headers.set(name, value)
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  headers.set('X-Content-Type-Options', 'nosniff')
  if (reply.body === null) return new Response(null, { status: reply.status, headers })
  const text = typeof reply.body === 'string'
  headers.set(
    'Content-Type',
    text ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
  )
  const init = { status: reply.status, headers }
  if (options.head) return new Response(null, init)
  const { body } = reply
  const whole = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return wholeResponse(whole, init)
}
