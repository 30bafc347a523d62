/**
 * Requests that may be repeated: their stored responses, and the lock of the one process that executes such a request.
 * Responses are encrypted: that of a creation contains a token, and a password in a request could be guessed by its
 * digest.
 *
 * @module
 */

import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../model/time.ts'
import type { IdempotencyResponses, RequestServices } from './request-services.ts'
import type { ServiceContext } from './service-context.ts'

const KEPT_MS = DAY_MS
/** Per account; beyond it the oldest are dropped before their expiry. */
const LIMITS = { count: 1000, bytes: 8 * 1024 * 1024 }
const PLACE = 'response.body'
const HASH_PLACE = 'response.request_hash'

export function idempotencyResponsesOf({
  core,
  accounts,
  ready,
}: ServiceContext): IdempotencyResponses {
  const { clock, seal, store } = core
  return {
    async get(account_id, key) {
      await ready()
      await accounts.require(account_id)
      const response = await store.idempotencyResponses.get(account_id, key, clock.now())
      if (response === undefined) return undefined
      const request_hash = seal.decrypt(response.request_hash, HASH_PLACE)
      return { ...response, request_hash, body: seal.decrypt(response.body, PLACE) }
    },
    async put(account_id, key, response) {
      await ready()
      await accounts.require(account_id)
      const body = seal.encrypt(response.body, PLACE)
      const request_hash = seal.encrypt(response.request_hash, HASH_PLACE)
      const expires_at = clock.now() + KEPT_MS
      await store.idempotencyResponses.put(
        account_id,
        key,
        { ...response, request_hash, body, expires_at },
        LIMITS,
      )
    },
  }
}

/** Longer than any request; an equal request waits this long after a process ended while it had the lock. */
const LOCK_MS = 120_000

export function idempotencyLocksOf({
  core,
  accounts,
  ready,
}: ServiceContext): Pick<RequestServices, 'idempotencyLocks'> {
  const { clock, store } = core
  const { idempotencyLocks } = store
  if (idempotencyLocks === undefined) return {}
  return {
    idempotencyLocks: {
      async acquire(account_id, key) {
        await ready()
        await accounts.require(account_id)
        const lock = { account_id, key, owner: randomUUID() }
        const now = clock.now()
        const acquired = await idempotencyLocks.acquire({ ...lock, now, until: now + LOCK_MS })
        return acquired ? () => idempotencyLocks.release(lock) : undefined
      },
    },
  }
}
