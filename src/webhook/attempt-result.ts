/**
 * Turns a response into the result of an attempt.
 *
 * @module
 */

import type { AttemptResult, DeliveryContext } from './contact-kind.ts'
import { createStop } from '../net/timing/stop.ts'
import { withoutSecrets, withoutSecretsSteps } from '../secrets/redaction.ts'
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

/** {@link attemptResultOf} in short turns, also where many receivers answer at the same moment. */
export async function attemptResultInSteps(
  { network, clock }: Pick<DeliveryContext, 'network' | 'clock'>,
  answer: WebhookAnswer,
  { rules, secrets }: Omit<ResponseFacts, 'now'>,
): Promise<AttemptResult> {
  const said = answer.answer
    ? await network.turns.run(createStop(), withoutSecretsSteps(answer.answer, secrets))
    : answer.answer
  const now = clock.now()
  return attemptResultOf({ ...answer, answer: said }, { rules, secrets: [], now })
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
