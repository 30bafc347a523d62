/**
 * Counting requests where several processes keep one limit together.
 *
 * @module
 */

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
