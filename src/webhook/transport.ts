/**
 * One HTTP attempt of a webhook: one request on one connection of the guarded network, one total
 * deadline that counts in every phase, and of the answer no more than the log needs.
 *
 * A connection that has served a request may be closed by the receiver at any time. A request that meets its end, and
 * no byte of an answer, is sent once more on a new connection, within the same attempt: deliveries come at least once,
 * and carry an id.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { IDLE_MS } from '../net/connection/idle-connections.ts'
import type { Reached } from '../net/connection/reach.ts'
import { sendOne } from '../net/http/one-request.ts'
import type { OneAnswer, OneRequest } from '../net/http/one-request.ts'
import type { Network } from '../net/create-net.ts'
import type { ConnectOptions } from '../net/net.ts'
import { forwarded, isForwarded, refuseForwarded } from '../net/proxy/forward.ts'
import { createStop } from '../net/timing/stop.ts'
import type { StopSignal } from '../net/timing/stop.ts'
import * as option from '../options.ts'
import type { OptionTable } from '../options.ts'
import { beginAttempt, LONGEST_ATTEMPT_MS } from './attempt.ts'
import type { Attempt, AttemptContext } from './attempt.ts'
import type { HeaderPair } from './headers.ts'
import { printable } from '../model/printable.ts'

export interface WebhookRequest {
  /** Absolute; a fragment is not sent. */
  readonly url: string
  readonly method: 'POST' | 'GET' | 'PUT' | 'PATCH'
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

export type SendContext = AttemptContext

/** Never rejects: every end is an answer. */
export interface WebhookTransport {
  send(request: WebhookRequest, context: SendContext): Promise<WebhookAnswer>
}

export interface TransportOptions {
  /** From before the name is resolved until the header section is complete. Default 10000 (spec 8), at most 14000. */
  readonly deadlineMs?: number | undefined
  /** For the answer's body after that, within the same deadline. Default 1000. */
  readonly answerMs?: number | undefined
  /** Kept of the answer's body. Default 16 KiB, at most 1 MiB. */
  readonly answerBytes?: number | undefined
}

export const transportOptions: OptionTable<TransportOptions> = {
  deadlineMs: option.milliseconds(1, LONGEST_ATTEMPT_MS),
  answerMs: option.milliseconds(0),
  answerBytes: option.wholeNumber(0, 1_048_576),
}

export function httpTransport(options: TransportOptions = {}): WebhookTransport {
  const { deadlineMs = 10_000, answerMs = 1000, answerBytes = 16_384 } = options

  async function send(request: WebhookRequest, context: SendContext): Promise<WebhookAnswer> {
    const attempt = beginAttempt(context, deadlineMs)
    const progress = { written: false }
    try {
      const url = new URL(request.url)
      const place = placeOf(url)
      const proxy = context.network.proxyFor(place.host, place.port)
      const forward = isForwarded(url, proxy, '1.1')
      const asked = forward ? forwarded({ ...request, url }, proxy) : { ...request, url }
      const one = { ...asked, body: request.body, keep_bytes: answerBytes }
      const { answer, keep } = await ask(attempt, { ...place, proxy, forward }, one, progress)
      if (forward) refuseForwarded(url, proxy, answer)
      const max_wait_ms = Math.min(answerMs, attempt.remaining())
      const { clock, network } = context
      const waiting = { clock, turns: network.turns, max_wait_ms }
      const beginning = await beginningOf(answer, attempt.signal, waiting)
      if (answer.finish() && !attempt.signal.aborted) keep(idleTimeOf(answer))
      return {
        http_status: answer.status,
        error: null,
        retry_after: answer.header('retry-after'),
        answer: beginning,
        duration_ms: attempt.elapsed(),
        written: true,
      }
    } catch (error) {
      return {
        http_status: null,
        error: attempt.codeOf(error),
        retry_after: undefined,
        answer: null,
        duration_ms: attempt.elapsed(),
        written: progress.written,
      }
    } finally {
      await attempt.end()
    }
  }

  return { send }
}

interface Asked extends Pick<Reached, 'keep'> {
  readonly answer: OneAnswer
}

async function ask(
  attempt: Attempt,
  to: ConnectOptions,
  request: OneRequest,
  progress: { written: boolean },
): Promise<Asked> {
  const send = async ({ connection, kept, keep }: Reached): Promise<Asked> => {
    progress.written = true
    return { answer: await sendOne(connection, { ...request, kept }, attempt.signal), keep }
  }
  const reached = await attempt.net.reach(to)
  try {
    return await send(reached)
  } catch (error) {
    const { reused, kept, connection } = reached
    const wasClosed = connection.socket.destroyed && kept?.heard() === false
    if (!reused || !wasClosed || attempt.signal.aborted) throw error
    return send(await attempt.net.reach(to, { fresh: true }))
  }
}

/** The receiver closes the connection after so many seconds (`Keep-Alive: timeout=5`); a second is for the way. */
function idleTimeOf(answer: OneAnswer): number {
  const [, seconds] = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(answer.header('keep-alive') ?? '') ?? []
  return seconds === undefined ? IDLE_MS : Math.min(IDLE_MS, Number(seconds) * 1000 - 1000)
}

function placeOf(url: URL): ConnectOptions {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isTls = url.protocol === 'https:'
  // A certificate never names the root dot.
  const tls = { alpn: ['http/1.1'], servername: host.replace(/\.$/, '') }
  return {
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    ...(isTls ? { tls } : {}),
  }
}

interface Waiting extends Pick<Network, 'turns'> {
  readonly clock: Clock
  readonly max_wait_ms: number
}

async function beginningOf(
  answer: OneAnswer,
  signal: StopSignal,
  { clock, turns, max_wait_ms }: Waiting,
): Promise<string> {
  await new Promise<void>((resolve) => {
    const enough = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', enough)
      resolve()
    }
    const timer = clock.timer(max_wait_ms, enough)
    signal.addEventListener('abort', enough, { once: true })
    void answer.body.then(enough)
  })
  // Many may have been waited for until the same moment. What has arrived counts, also when the attempt is over.
  return turns.run(createStop(), readText(answer))
}

function* readText(answer: OneAnswer): Generator<void, string> {
  return printable(answer.received().toString('utf8'))
}
