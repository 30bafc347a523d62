/**
 * Answers kept for requests that may be repeated. Sealed: the answer to a creation holds a token.
 *
 * @module
 */

import type { Engine } from '../api.ts'
import type { Parts } from './parts.ts'

const KEPT_MS = 86_400_000
const PLACE = 'reply.body'

export function repliesOf({ core, ready }: Parts): Engine['replies'] {
  const { clock, seal, store } = core
  return {
    async get(account_id, key) {
      await ready()
      const reply = await store.replies.get(account_id, key, clock.now())
      return reply && { ...reply, body: seal.open(reply.body, PLACE) }
    },
    async put(account_id, key, reply) {
      await ready()
      const body = seal.close(reply.body, PLACE)
      await store.replies.put(account_id, key, {
        ...reply,
        body,
        expires_at: clock.now() + KEPT_MS,
      })
    },
  }
}
