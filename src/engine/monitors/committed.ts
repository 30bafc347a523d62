/**
 * Tells what was committed to those who follow it. Whoever commits a change publishes it; the schedule, the
 * outbox and the announcer subscribe, and none of them is known to the publisher.
 *
 * @module
 */

import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { Changed } from './cached-monitor.ts'

/** What follows from a committed change; a promise where that takes a while. */
export type CommittedListener = (changed: Changed) => void | Promise<void>

export interface CommittedChanges {
  /** Calls the listeners in the order of their subscription. Resolves when all have ended, and never rejects. */
  publish(changed: Changed): Promise<void>
  subscribe(listener: CommittedListener): void
}

export function createCommittedChanges(core: Core): CommittedChanges {
  const listeners: CommittedListener[] = []

  /** The change is in the store: a listener that fails undoes nothing and stops no other. */
  async function tell(listener: CommittedListener, changed: Changed): Promise<void> {
    try {
      await listener(changed)
    } catch (err) {
      logError(core, err, 'a committed change could not be followed')
    }
  }

  return {
    async publish(changed) {
      await Promise.all(listeners.map((listener) => tell(listener, changed)))
    },
    subscribe: (listener) => void listeners.push(listener),
  }
}
