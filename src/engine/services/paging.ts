/**
 * Pages of lists: the query of a page, and the page for the caller.
 *
 * @module
 */

import type { Page } from '../api/filters.ts'

interface PageFilter {
  readonly limit?: number
  readonly after?: number
}

interface PageQuery {
  readonly account_id: number
  readonly limit: number
  readonly before_id?: number
}

/** What a store is asked for one page, newest first: one item more than `limit` tells whether there is a next one. */
export function pageQuery<F extends PageFilter>(
  account_id: number,
  { limit = 50, after, ...filter }: F,
): { readonly query: Omit<F, keyof PageFilter> & PageQuery; readonly limit: number } {
  const before = after === undefined ? {} : { before_id: after }
  return { query: { account_id, ...filter, limit: limit + 1, ...before }, limit }
}

/** A page from a list that was read with one item more than `limit`. */
export function pageOf<T extends { readonly id: number }>(
  items: readonly T[],
  limit: number,
): Page<T> {
  const shown = items.slice(0, limit)
  return { items: shown, next: items.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
