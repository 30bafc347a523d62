/**
 * Stored responses of requests that may be repeated. Encrypted: the response of a creation contains a token, and a
 * password in a request could be guessed by its digest.
 *
 * @module
 */

import type { KeptReplies } from './request-services.ts'
import type { Parts } from './parts.ts'

const KEPT_MS = 86_400_000
/** Per account; beyond it the oldest are dropped before their expiry. */
const MOST = { count: 1000, bytes: 8 * 1024 * 1024 }
const PLACE = 'reply.body'
const HASH_PLACE = 'reply.request_hash'

export function repliesOf({ core, accounts, ready }: Parts): KeptReplies {
  const { clock, seal, store } = core
  return {
    async get(account_id, key) {
      await ready()
      await accounts.demand(account_id)
      const reply = await store.replies.get(account_id, key, clock.now())
      if (reply === undefined) return undefined
      const request_hash = seal.decrypt(reply.request_hash, HASH_PLACE)
      return { ...reply, request_hash, body: seal.decrypt(reply.body, PLACE) }
    },
    async put(account_id, key, reply) {
      await ready()
      await accounts.demand(account_id)
      const body = seal.encrypt(reply.body, PLACE)
      const request_hash = seal.encrypt(reply.request_hash, HASH_PLACE)
      const expires_at = clock.now() + KEPT_MS
      await store.replies.put(account_id, key, { ...reply, request_hash, body, expires_at }, MOST)
    },
  }
}
