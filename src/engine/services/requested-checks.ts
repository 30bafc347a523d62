/**
 * Limits the requested checks of a monitor, whoever requests them: all keys of an account together must not overload
 * its target.
 *
 * @module
 */

import { requestServicesOf } from './request-services.ts'

/** In addition to the rounds of its interval. */
export const REQUESTED_CHECKS = { limit: 30, window_ms: 60_000 } as const

/**
 * Whether one more is admitted; otherwise the seconds to wait. Requests for a foreign monitor do not count against
 * its owner.
 */
export async function admitCheck(
  engine: object,
  asked: { readonly account_id: number; readonly id: number },
): Promise<{ readonly admitted: true } | { readonly admitted: false; readonly retry_sec: number }> {
  const identity = `checks of ${asked.account_id}:${asked.id}`
  const { admitted, reset_ms } = await requestServicesOf(engine).requests.admit({
    by: { identity },
    ...REQUESTED_CHECKS,
  })
  return admitted ? { admitted } : { admitted, retry_sec: Math.max(1, Math.ceil(reset_ms / 1000)) }
}
