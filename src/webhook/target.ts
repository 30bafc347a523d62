/**
 * Checks the URL of a contact with the guard: when it is saved, and at every attempt.
 *
 * @module
 */

import type { Problems } from '../fields/parse.ts'
import { isInnerName } from '../net/dns/inside.ts'
import { createGuard } from '../net/guard/guard.ts'
import type { Guard, GuardOptions, GuardReason } from '../net/guard/guard.ts'
import type { CheckOptions, AttemptResult } from './contact-kind.ts'

/** A shared guard, or a new one with these options. @throws ConfigurationError */
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
 * The problems of a URL, by field name. Does not reveal what the name resolves to: a user who saves
 * a contact must not explore the internal network.
 */
export async function targetProblems(
  guard: Guard,
  target: { readonly field: string; readonly url: string },
  options: CheckOptions = {},
): Promise<Problems> {
  const verdict = await guard.checkUrl(target.url, options)
  if (verdict.allowed) return {}
  // A name that does not resolve now may resolve at the next incident; it is checked again then.
  if (verdict.reason === 'unresolvable' && !isHidden(guard, target.url)) return {}
  const problem = URL_PROBLEMS[verdict.reason] ?? 'private_address: this address is not allowed'
  return { [target.field]: `invalid: ${problem}` }
}

/** An internal name is refused whether it exists or not, so that trying names reveals nothing. */
function isHidden(guard: Guard, url: string): boolean {
  const read = guard.checkUrlText(url)
  return read.allowed && isInnerName(read.target.host) && !guard.opensInside
}

/** The result of an attempt that was refused before it started. */
export function refusedResult(reason: GuardReason): AttemptResult {
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
