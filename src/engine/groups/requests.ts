/**
 * Requests where several processes answer them: one limit for all, and one that carries out what is repeated.
 *
 * @module
 */

import { randomUUID } from 'node:crypto'
import type { Engine } from '../api.ts'
import type { Parts } from './parts.ts'

/** Nothing where the store is this process's alone: whoever counts then needs no store for it. */
export function requestsOf({ core, ready }: Parts): Pick<Engine, 'requests'> {
  const { clock, store } = core
  const { requests } = store
  if (requests === undefined) return {}
  return {
    requests: {
      async admit(request) {
        await ready()
        const now = clock.now()
        const { admitted, remaining, retry_at } = await requests.admit({ ...request, now })
        return { admitted, remaining, wait_ms: Math.max(0, (retry_at ?? now) - now) }
      },
    },
  }
}

/** Longer than any request takes; so long an equal one has to wait after a process died with its turn. */
const TURN_MS = 120_000

export function turnsOf({ core, ready }: Parts): Pick<Engine, 'turns'> {
  const { clock, store } = core
  const { turns } = store
  if (turns === undefined) return {}
  return {
    turns: {
      async take(account_id, key) {
        await ready()
        const turn = { account_id, key, owner: randomUUID() }
        const now = clock.now()
        const taken = await turns.take({ ...turn, now, until: now + TURN_MS })
        return taken ? () => turns.end(turn) : undefined
      },
    },
  }
}
