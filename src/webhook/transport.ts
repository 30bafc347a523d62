/**
 * One HTTP attempt of a webhook: one request on one connection of the guarded network, one total
 * deadline that counts in every phase, and of the answer no more than the log needs.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { DeadlineError } from '../net/deadline.ts'
import { explain } from '../net/explain.ts'
import { sendOne } from '../net/http/one-request.ts'
import type { OneAnswer } from '../net/http/one-request.ts'
import type { Connection, Net } from '../net/net.ts'
import type { Network } from '../net/network.ts'
import { createTrace, round } from '../net/trace.ts'
import type { Trace } from '../net/trace.ts'
import type { HeaderPair } from './headers.ts'

export interface WebhookRequest {
  /** Absolute; a fragment is not sent. */
  readonly url: string
  readonly method: 'POST' | 'GET'
  readonly headers: readonly HeaderPair[]
  /** Sent as it is, whatever the method. */
  readonly body: Uint8Array
}

export interface WebhookAnswer {
  readonly http_status: number | null
  /** Code of the failure where there was no answer, else `null`. */
  readonly error: string | null
  readonly retry_after: string | undefined
  /** The beginning of the answer's body: UTF-8, controls escaped. */
  readonly answer: string | null
  readonly duration_ms: number
  /** Whether the receiver may have seen any of the request. */
  readonly written: boolean
}

export interface SendContext {
  /** With the policy of the contact kind. */
  readonly network: Network
  readonly clock: Clock
  /** Ends the attempt at once: the engine stops. */
  readonly signal: AbortSignal
}

/** Never rejects: every end is an answer. */
export interface WebhookTransport {
  send(request: WebhookRequest, context: SendContext): Promise<WebhookAnswer>
}

export interface TransportOptions {
  /** From before the name is resolved until the header section is complete. Default 10000 (spec 8). */
  readonly deadline_ms?: number
  /** For the answer's body after that, within the same deadline. Default 1000. */
  readonly answer_ms?: number
  /** Kept of the answer's body. Default 16 KiB. */
  readonly answer_bytes?: number
}

export function httpTransport(options: TransportOptions = {}): WebhookTransport {
  const { deadline_ms = 10_000, answer_ms = 1000, answer_bytes = 16_384 } = options

  async function send(request: WebhookRequest, context: SendContext): Promise<WebhookAnswer> {
    const attempt = beginAttempt(context, deadline_ms)
    let written = false
    try {
      const url = new URL(request.url)
      const connection = await connectTo(attempt.net, url)
      written = true
      const one = { ...request, url, keep_bytes: answer_bytes }
      const answer = await sendOne(connection, one, attempt.signal)
      const patience_ms = Math.min(answer_ms, attempt.remaining())
      return {
        http_status: answer.status,
        error: null,
        retry_after: answer.header('retry-after'),
        answer: await beginningOf(answer, patience_ms, context),
        duration_ms: attempt.elapsed(),
        written,
      }
    } catch (error) {
      return {
        http_status: null,
        error: codeOf(error, attempt),
        retry_after: undefined,
        answer: null,
        duration_ms: attempt.elapsed(),
        written,
      }
    } finally {
      await attempt.end()
    }
  }

  return { send }
}

interface Attempt {
  readonly net: Net
  readonly trace: Trace
  readonly signal: AbortSignal
  remaining(): number
  elapsed(): number
  end(): Promise<void>
}

function beginAttempt({ network, clock, signal }: SendContext, deadline_ms: number): Attempt {
  const from = clock.monotonic()
  const stop = new AbortController()
  const trace = createTrace(clock)
  const elapsed = (): number => clock.monotonic() - from
  const remaining = (): number => Math.max(0, deadline_ms - elapsed())
  const timer = clock.timer(deadline_ms, () => stop.abort(new DeadlineError(deadline_ms)))
  const follow = (): void => stop.abort(signal.reason)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  const net = network.open({ signal: stop.signal, deadlineIn: remaining, trace })
  return {
    net,
    trace,
    signal: stop.signal,
    remaining,
    elapsed: () => round(elapsed()),
    async end() {
      timer.cancel()
      signal.removeEventListener('abort', follow)
      await net.close()
    },
  }
}

function connectTo(net: Net, url: URL): Promise<Connection> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isTls = url.protocol === 'https:'
  // A certificate never names the root dot.
  const tls = { alpn: ['http/1.1'], servername: host.replace(/\.$/, '') }
  return net.connect({
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    ...(isTls ? { tls } : {}),
  })
}

async function beginningOf(
  answer: OneAnswer,
  patience_ms: number,
  { clock, signal }: SendContext,
): Promise<string> {
  const enough = new AbortController()
  const stop = (): void => enough.abort()
  signal.addEventListener('abort', stop, { once: true })
  await Promise.race([answer.body, clock.sleep(patience_ms, enough.signal).catch(() => undefined)])
  signal.removeEventListener('abort', stop)
  stop()
  return printable(answer.received().toString('utf8'))
}

/** On one line and without what could steer a terminal: controls, and the marks that turn text around. */
function printable(text: string): string {
  const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  return text.replace(unsafe, (char) => {
    const code = char.codePointAt(0) ?? 0
    return SHORT_ESCAPES[char] ?? `\\u{${code.toString(16)}}`
  })
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The codes of the causes of checks, and four of our own: timeout, stopped, blocked, invalid_request. */
function codeOf(error: unknown, { trace, signal }: Attempt): string {
  if (signal.aborted) return signal.reason instanceof DeadlineError ? 'timeout' : 'stopped'
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (code === 'UND_ERR_INVALID_ARG') return 'invalid_request'
  const { cause_code } = explain(error, { phase: trace.current })
  return cause_code === 'connect_blocked' ? 'blocked' : cause_code
}
