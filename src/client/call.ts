/**
 * One call of the API: its deadline, its retries, and its result or error.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { WatchpostError } from '../errors.ts'

export interface CallOptions {
  /** Aborts the call and its waits; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With the query, below the address of the client. */
  readonly path: string
  readonly body?: object | undefined
  /** Sent unchanged instead of `body`. */
  readonly text?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Retried if its effect is unknown: the request is idempotent. */
  readonly repeatable: boolean
}

export interface Caller {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  readonly timeoutMs: number
  readonly retries: number
}

const FIRST_PAUSE_MS = 500
/** Maximum `Retry-After` that the client waits for. */
const LONGEST_PAUSE_MS = 30_000
/** Statuses of requests that had no effect. */
const REFUSED = [429, 503]
/** Statuses of a proxy: the effect of the request is unknown. */
const UNCERTAIN = [500, 502, 504]

/** The body of the response. @throws ApiError, or the reason of the signal */
export async function call<T>(caller: Caller, asked: Call): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await once(caller, asked)) as T
    } catch (error) {
      const pause_ms = pauseAfter(error, attempt, caller.clock)
      if (attempt >= caller.retries || pause_ms === undefined || !mayRepeat(error, asked))
        throw error
      await caller.clock.sleep(pause_ms, asked.signal)
    }
  }
}

async function once(caller: Caller, asked: Call): Promise<unknown> {
  const { clock, timeoutMs, url } = caller
  asked.signal?.throwIfAborted()
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(asked.signal?.reason)
  asked.signal?.addEventListener('abort', onAbort, { once: true })
  const timer = clock.timer(timeoutMs, () =>
    stop.abort(new ApiError('timeout', { message: `No answer of ${url} within ${timeoutMs} ms` })),
  )
  try {
    const response = await caller.fetch(`${url}${asked.path}`, {
      ...requestOf(caller, asked),
      signal: stop.signal,
    })
    return resultOf(response, await readText(response), url)
  } catch (error) {
    // The error of `fetch` after an abort differs by runtime, so the reason is thrown.
    if (stop.signal.aborted) throw stop.signal.reason
    if (error instanceof ApiError) throw error
    throw new ApiError('network', { message: `${url} was not reached`, cause: error })
  } finally {
    timer.cancel()
    asked.signal?.removeEventListener('abort', onAbort)
  }
}

function requestOf({ headers }: Caller, { method, body, text, headers: own }: Call): RequestInit {
  return {
    method,
    headers: {
      Accept: 'application/json',
      ...headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...own,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(text === undefined ? {} : { body: text }),
    // A redirect must not send the key to another host.
    redirect: 'error',
  }
}

interface Envelope {
  readonly ok: boolean
  readonly error?: string
  readonly message?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly request_id?: string
}

function resultOf(response: Response, text: string, url: string): unknown {
  const { status } = response
  const body = envelopeOf(text)
  if (body === undefined) {
    throw new ApiError('bad_answer', {
      status,
      message: `${url} answered with ${status}, and not as this API does`,
      ...retryAfter(response),
    })
  }
  if (response.ok && body.ok) return body
  const { error = 'bad_answer', message, fields, request_id } = body
  const problems = Object.entries(fields ?? {}).map(([name, problem]) => `${name}: ${problem}`)
  throw new ApiError(error, {
    status,
    message: message ?? (problems.length > 0 ? problems.join('; ') : error),
    ...(fields === undefined ? {} : { fields }),
    ...(request_id === undefined ? {} : { request_id }),
    ...retryAfter(response),
  })
}

function envelopeOf(text: string): Envelope | undefined {
  try {
    const body = JSON.parse(text) as Envelope | null
    return typeof body?.ok === 'boolean' ? body : undefined
  } catch {
    return undefined
  }
}

function retryAfter({ headers }: Response): { readonly retry_after_sec?: number } {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(text) ? { retry_after_sec: Number(text) } : {}
}

function mayRepeat(error: unknown, { repeatable }: Call): boolean {
  if (!(error instanceof ApiError)) return false
  const { status, code } = error
  if (status === null) return repeatable
  if (code === 'idempotency_in_progress' || REFUSED.includes(status)) return true
  return repeatable && UNCERTAIN.includes(status)
}

/** Exponential with jitter; longer if the service requests it, `undefined` if that is too long. */
function pauseAfter(error: unknown, attempt: number, clock: Clock): number | undefined {
  const own_ms = FIRST_PAUSE_MS * 2 ** attempt * (0.75 + clock.random() / 2)
  const asked_ms = error instanceof ApiError ? (error.retry_after_sec ?? 0) * 1000 : 0
  return asked_ms > LONGEST_PAUSE_MS ? undefined : Math.max(own_ms, asked_ms)
}

/** Far above the largest page of results. */
const LIMIT_BYTES = 32 * 1024 * 1024

/**
 * The body of a response, up to a limit: the server may not be the intended one.
 *
 * @throws ApiError `bad_answer` if it is larger than 32 MiB
 */
async function readText(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > LIMIT_BYTES) {
      await reader.cancel()
      throw new ApiError('bad_answer', {
        status: response.status,
        message: `The answer is larger than ${LIMIT_BYTES} bytes`,
      })
    }
    text += decoder.decode(value, { stream: true })
  }
}

interface Details {
  readonly message: string
  readonly status?: number | undefined
  readonly fields?: Readonly<Record<string, string>> | undefined
  readonly request_id?: string | undefined
  readonly retry_after_sec?: number | undefined
  readonly cause?: unknown
}

/**
 * `code` is that of the API (`validation`, `not_found`, `rate_limited`, …), or of the client:
 * `network` (not reached), `timeout` (no response within `timeoutMs`), `bad_answer` (not a
 * response of this API).
 */
export class ApiError extends WatchpostError {
  /** Of the response; `null` if there was none. */
  readonly status: number | null
  /** Problem per field, as the API names them; `{}` unless `code` is `validation`. */
  readonly fields: Readonly<Record<string, string>>
  /** Identifies the request in the log of the service. */
  readonly request_id: string | null
  /** Seconds after which a retry may succeed, if the API reports them. */
  readonly retry_after_sec: number | null

  constructor(code: string, { message, cause, ...details }: Details) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.status = details.status ?? null
    this.fields = details.fields ?? {}
    this.request_id = details.request_id ?? null
    this.retry_after_sec = details.retry_after_sec ?? null
  }
}
