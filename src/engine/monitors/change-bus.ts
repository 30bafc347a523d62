/**
 * Publishes committed changes. The code that commits publishes; the schedule, the outbox, the announcer and the cached
 * days of uptime subscribe, and the publisher does not know them.
 *
 * @module
 */

import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { Changed } from './cached-monitor.ts'

/** Handles a committed change; may return a promise. */
export type ChangeListener = (changed: Changed) => void | Promise<void>

export interface ChangeBus {
  /** Calls the listeners in the order of their subscription. Resolves when all have ended, and never rejects. */
  publish(changed: Changed): Promise<void>
  subscribe(listener: ChangeListener): void
}

export function createChangeBus(core: Core): ChangeBus {
  const listeners: ChangeListener[] = []

  /** The change is stored: a listener that fails neither undoes it nor stops the others. */
  async function call(listener: ChangeListener, changed: Changed): Promise<void> {
    try {
      await listener(changed)
    } catch (err) {
      logError(core, err, 'a listener of committed changes failed')
    }
  }

  return {
    async publish(changed) {
      await Promise.all(listeners.map((listener) => call(listener, changed)))
    },
    subscribe: (listener) => void listeners.push(listener),
  }
}
