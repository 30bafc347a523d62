import type { Sync } from '../promised.ts'
import type { IdempotencyLimit, FullStore } from '../store.ts'
import { copy } from './copy.ts'
import { mapAt } from './tables.ts'
import type { ResponsesByKey, Tables } from './tables.ts'

export function idempotencyResponses(
  tables: Pick<Tables, 'idempotencyResponses'>,
): Sync<FullStore['idempotencyResponses']> {
  return {
    get(account_id, key, now) {
      const kept = tables.idempotencyResponses.get(account_id)?.get(key)?.response
      return kept !== undefined && kept.expires_at > now ? copy(kept) : undefined
    },
    put(account_id, key, response, most) {
      const own = mapAt(tables.idempotencyResponses, account_id)
      own.delete(key)
      own.set(key, { response: copy(response), bytes: Buffer.byteLength(response.body) })
      if (most !== undefined) keepWithin(own, key, most)
    },
  }
}

/** Removes the oldest responses beyond the limits, but never `newest`. */
function keepWithin(own: ResponsesByKey, newest: string, most: IdempotencyLimit): void {
  let bytes = 0
  for (const kept of own.values()) bytes += kept.bytes
  const oldest = [...own].toSorted(([, a], [, b]) => a.response.expires_at - b.response.expires_at)
  for (const [key, kept] of oldest) {
    if (own.size <= most.count && bytes <= most.bytes) return
    if (key === newest) continue
    own.delete(key)
    bytes -= kept.bytes
  }
}
