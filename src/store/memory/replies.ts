import type { Sync } from '../promised.ts'
import type { KeptReplies, FullStore } from '../store.ts'
import { copy, mapAt } from './tables.ts'
import type { Replies, Tables } from './tables.ts'

export function replies(tables: Pick<Tables, 'replies'>): Sync<FullStore['replies']> {
  return {
    get(account_id, key, now) {
      const kept = tables.replies.get(account_id)?.get(key)?.reply
      return kept !== undefined && kept.expires_at > now ? copy(kept) : undefined
    },
    put(account_id, key, reply, most) {
      const own = mapAt(tables.replies, account_id)
      own.delete(key)
      own.set(key, { reply: copy(reply), bytes: Buffer.byteLength(reply.body) })
      if (most !== undefined) keepWithin(own, key, most)
    },
  }
}

/** Removes the oldest responses beyond the limits, but never `newest`. */
function keepWithin(own: Replies, newest: string, most: KeptReplies): void {
  let bytes = 0
  for (const kept of own.values()) bytes += kept.bytes
  const oldest = [...own].toSorted(([, a], [, b]) => a.reply.expires_at - b.reply.expires_at)
  for (const [key, kept] of oldest) {
    if (own.size <= most.count && bytes <= most.bytes) return
    if (key === newest) continue
    own.delete(key)
    bytes -= kept.bytes
  }
}
