/**
 * How often a monitor is checked because somebody asks for it, whoever does: its target is not to be kept busy by
 * all keys of an account together.
 *
 * @module
 */

import { requestServicesOf } from './request-services.ts'

/** Beside the rounds of its interval. */
export const REQUESTED_CHECKS = { limit: 30, window_ms: 60_000 } as const

/** Whether one more is admitted; else how long to wait, in seconds. Of a foreign monitor it counts for nobody else. */
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
