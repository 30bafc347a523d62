/**
 * The last response times of one location, in the memo, and their percentile: `max_response_percentile`.
 *
 * @module
 */

import type { Json } from '../../model.ts'

/** Response times that `max_response_checks` may ask for. */
export const MAX_CHECKS = 100

/** The times in the memo, with this one; the latest `checks` are kept. */
export function withResponse(
  memo: Json | undefined,
  response_ms: number,
  checks: number,
): readonly number[] {
  const known = isTimes(memo) ? memo.response_ms : []
  return [...known, response_ms].slice(-checks)
}

/** The smallest time that this share of them does not exceed (nearest rank); `undefined` before there are `checks`. */
export function percentileOf(
  times: readonly number[],
  percentile: number,
  checks: number,
): number | undefined {
  if (times.length < checks) return undefined
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil((percentile / 100) * sorted.length)) - 1]
}

/** A memo may come from a probe elsewhere. */
function isTimes(memo: Json | undefined): memo is { readonly response_ms: readonly number[] } {
  const times = (memo as { readonly response_ms?: unknown } | null | undefined)?.response_ms
  return (
    Array.isArray(times) &&
    times.length <= MAX_CHECKS &&
    times.every((time) => typeof time === 'number' && Number.isFinite(time))
  )
}
