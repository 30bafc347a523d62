/**
 * Paged lists: one page, or all items in sequence.
 *
 * @module
 */

import { call } from './call.ts'
import type { Caller, CallOptions } from './call.ts'
import { queryText } from './query.ts'
import type { QueryValue } from './query.ts'

export interface ListPage<T> {
  readonly items: readonly T[]
  /** Passed as `cursor` of the next call; `null` at the end. */
  readonly next: string | null
}

export interface Paging {
  /** Items per page: 1 to 200, default 50; of results 1 to 1000, default 100. */
  readonly limit?: number | undefined
  /** `next` of the previous page. */
  readonly cursor?: string | undefined
}

/** Called, returns one page; iterated with `for await`, yields all items, one page at a time. */
export interface List<T, F> {
  (filter?: F & Paging, options?: CallOptions): Promise<ListPage<T>>
  all(filter?: F & Paging, options?: CallOptions): AsyncGenerator<T, void, undefined>
}

interface Place {
  readonly path: string
  /** Name of the items in the response. */
  readonly name: string
}

export function listOf<T, F extends object>(
  caller: Caller,
  placeOf: (filter: F & Paging) => Place & { readonly query: object },
): List<T, F> {
  const page = async (
    filter: F & Paging = {} as F,
    { signal }: CallOptions = {},
  ): Promise<ListPage<T>> => {
    const { path, name, query } = placeOf(filter)
    const answer = await call<Record<string, unknown>>(caller, {
      method: 'GET',
      path: `${path}${queryText(query as Readonly<Record<string, QueryValue>>)}`,
      repeatable: true,
      signal,
    })
    return { items: answer[name] as T[], next: answer['next_cursor'] as string | null }
  }
  async function* all(
    filter: F & Paging = {} as F,
    options?: CallOptions,
  ): AsyncGenerator<T, void, undefined> {
    for (let cursor = filter.cursor; ;) {
      const { items, next } = await page(
        cursor === undefined ? filter : { ...filter, cursor },
        options,
      )
      yield* items
      if (next === null) return
      cursor = next
    }
  }
  return Object.assign(page, { all })
}
