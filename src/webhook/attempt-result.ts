/**
 * Turns a response into the result of an attempt.
 *
 * @module
 */

import type { AttemptResult } from './contact-kind.ts'
import { withoutSecrets } from '../secrets/redaction.ts'
import { classify, parseRetryAfter } from './retry.ts'
import type { RetryRules } from './retry.ts'
import type { WebhookAnswer } from './transport.ts'

export interface ResponseFacts {
  readonly rules: RetryRules
  /** Secrets of the request that must not reach the log. */
  readonly secrets: readonly string[]
  /** Epoch milliseconds, for dates in `Retry-After`. */
  readonly now: number
}

export function attemptResultOf(
  answer: WebhookAnswer,
  { rules, secrets, now }: ResponseFacts,
): AttemptResult {
  const { http_status, duration_ms } = answer
  const verdict = classify(answer, rules)
  const code = http_status === null ? answer.error : `http_${http_status}`
  const stopped = answer.error === 'stopped' && !answer.written
  return {
    class: verdict,
    http_status,
    error: verdict === 'delivered' ? null : code,
    answer: answer.answer === null ? null : withoutSecrets(answer.answer, secrets),
    duration_ms,
    retry_after_ms: maySayWhen(http_status, rules)
      ? parseRetryAfter(answer.retry_after, now)
      : null,
    ...(stopped ? { uncounted: true } : {}),
  }
}

/** 503 by RFC 9110, 10.2.3, and the statuses that a kind treats as temporary (429: RFC 6585, 4). */
function maySayWhen(http_status: number | null, { retryStatuses = [] }: RetryRules): boolean {
  return http_status === 503 || (http_status !== null && retryStatuses.includes(http_status))
}
