/**
 * The span contexts from which later spans originate, bounded in number; the oldest are dropped first.
 *
 * @module
 */

import type { SpanContext } from '@opentelemetry/api'

export interface Origins {
  add(key: string, context: SpanContext): void
  /** Returns and removes all of this key. */
  take(key: string): readonly SpanContext[]
}

export function createOrigins(limit: number): Origins {
  const known = new Map<string, SpanContext[]>()
  return {
    add(key, context) {
      const contexts = known.get(key)
      if (contexts !== undefined) {
        contexts.push(context)
        return
      }
      known.set(key, [context])
      const [oldest] = known.keys()
      if (known.size > limit && oldest !== undefined) known.delete(oldest)
    },
    take(key) {
      const contexts = known.get(key) ?? []
      known.delete(key)
      return contexts
    },
  }
}
