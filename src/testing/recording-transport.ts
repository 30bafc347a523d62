/**
 * A webhook transport that sends nothing: it records the requests and returns scripted responses.
 *
 * @module
 */

import { anything, checkOptions, text } from '../options.ts'
import { verifyWebhook } from '../webhook/verify.ts'
import type { VerifyResult } from '../webhook/verify.ts'
import type { WebhookAnswer, WebhookRequest, WebhookTransport } from '../webhook/transport.ts'

export interface RecordedRequest extends WebhookRequest {
  /** Epoch milliseconds. */
  readonly at: number
  /** Value of a header, by its name in any case. */
  header(name: string): string | undefined
  /** The body, parsed. */
  readonly json: Readonly<Record<string, unknown>>
  /** The result of verification by a receiver with this secret; the age of `sent_at` is not checked. */
  verify(secret: string): VerifyResult
}

/** A status, or an error code without a response, such as `timeout` or `connect_refused`. */
export type ScriptedAnswer =
  | number
  | string
  | {
      readonly status: number
      readonly retry_after?: string | undefined
      readonly answer?: string | undefined
    }

export interface RecordingTransport extends WebhookTransport {
  readonly requests: readonly RecordedRequest[]
  /** The responses to the next requests, in order; after them the default applies again. */
  answerWith(...answers: readonly ScriptedAnswer[]): void
}

/** `fallback` is the response without a script; default 200, so that everything is delivered. */
export function recordingTransport(
  options: {
    readonly fallback?: ScriptedAnswer | undefined
    readonly prefix?: string | undefined
  } = {},
): RecordingTransport {
  checkOptions('recordingTransport', options, { fallback: anything, prefix: text })
  const { fallback = 200, prefix = 'Service' } = options
  const requests: RecordedRequest[] = []
  const script: ScriptedAnswer[] = []
  return {
    requests,
    answerWith: (...answers) => void script.push(...answers),
    send(request, { clock }) {
      requests.push(record(request, clock.now(), prefix))
      return Promise.resolve(answerOf(script.shift() ?? fallback))
    },
  }
}

function record(request: WebhookRequest, at: number, prefix: string): RecordedRequest {
  const header = (name: string): string | undefined =>
    request.headers.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]
  return {
    ...request,
    at,
    header,
    get json() {
      return JSON.parse(new TextDecoder().decode(request.body)) as Record<string, unknown>
    },
    verify: (secret) =>
      verifyWebhook({
        body: request.body,
        header: header(`X-${prefix}-Signature`),
        secret,
        toleranceSec: 0,
      }),
  }
}

function answerOf(scripted: ScriptedAnswer): WebhookAnswer {
  const nothing = { retry_after: undefined, answer: null, duration_ms: 1, written: true }
  if (typeof scripted === 'string') return { ...nothing, http_status: null, error: scripted }
  const given = typeof scripted === 'number' ? { status: scripted } : scripted
  const { status, retry_after, answer = null, ...rest } = given
  return { ...nothing, ...rest, retry_after, answer, http_status: status, error: null }
}
