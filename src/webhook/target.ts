/**
 * The address that a contact has set, before the guard: when it is saved, and again at every attempt.
 *
 * @module
 */

import type { Problems } from '../fields/parse.ts'
import { isInnerName } from '../net/dns/inside.ts'
import { createGuard } from '../net/guard/guard.ts'
import type { Guard, GuardOptions, GuardReason } from '../net/guard/guard.ts'
import type { CheckOptions, AttemptResult } from './contact-kind.ts'

/** A guard that is shared, or one with these options. @throws ConfigurationError */
export function asGuard(given: Guard | GuardOptions = {}): Guard {
  return 'checkUrl' in given ? given : createGuard(given)
}

const URL_PROBLEMS: Partial<Record<GuardReason, string>> = {
  invalid_url: 'an absolute URL is expected',
  too_long: 'the URL is too long',
  scheme: 'an http:// or https:// address is expected',
  userinfo: 'user and password do not belong in this address',
  port: 'this port is not allowed',
}

/**
 * What is wrong with an address, under the name of its field. Says nothing of what the name resolves
 * to: whoever saves a contact must not learn our network by it.
 */
export async function targetProblems(
  guard: Guard,
  target: { readonly field: string; readonly url: string },
  options: CheckOptions = {},
): Promise<Problems> {
  const verdict = await guard.checkUrl(target.url, options)
  if (verdict.allowed) return {}
  // A name that nobody knows now may be known at the next incident; it is judged again then.
  if (verdict.reason === 'unresolvable' && !isHidden(guard, target.url)) return {}
  const problem = URL_PROBLEMS[verdict.reason] ?? 'private_address: this address is not allowed'
  return { [target.field]: `invalid: ${problem}` }
}

/** A name inside is refused whether it is there or not: trying names must not tell which there are. */
function isHidden(guard: Guard, url: string): boolean {
  const read = guard.checkUrlText(url)
  return read.allowed && isInnerName(read.target.host) && !guard.opensInside
}

/** The end of an attempt that was not made. */
export function refusedEnd(reason: GuardReason): AttemptResult {
  const error = URL_PROBLEMS[reason] === undefined ? 'blocked' : 'invalid_url'
  return {
    class: 'failed',
    http_status: null,
    error,
    answer: null,
    duration_ms: 0,
    retry_after_ms: null,
  }
}
