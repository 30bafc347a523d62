/**
 * Digests that were tried and of which not all rows could be claimed: their rows wait for each other, since a message
 * that was tried is repeated in the same bytes.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'

export interface HeldDigests {
  /** The tried rows of this contact wait until the lease of those whose claim had no answer has passed. */
  hold(contact_id: number, lease_until: EpochMs): void
  /** Rows that need not wait. The store gets the others back, due when their contact is no longer held. */
  giveBack(
    rows: readonly NotificationRecord[],
    now: EpochMs,
  ): Promise<readonly NotificationRecord[]>
}

/** `lease_ms`: how long a claim lasts. `isRunning`: whether an attempt of the row runs. */
export function createHeldDigests(
  core: Core,
  lease_ms: number,
  isRunning: (id: number) => boolean,
): HeldDigests {
  const held = new Map<number, EpochMs>()

  function heldUntil({ id, contact_id, attempts }: NotificationRecord): EpochMs | undefined {
    return attempts > 0 && !isRunning(id) ? held.get(contact_id) : undefined
  }

  async function finish(row: NotificationRecord, due_at: EpochMs, at: EpochMs): Promise<void> {
    const { id, claims: claim, attempts, interruptions, error } = row
    const end = { status: 'queued', attempts, interruptions, error, due_at, at } as const
    try {
      await core.store.notifications.finish({ id, claim, ...end })
    } catch (err) {
      // Its lease passes instead.
      logError(core, err, 'a notification could not be given back')
    }
  }

  return {
    hold: (contact_id, lease_until) => void held.set(contact_id, lease_until),
    async giveBack(rows, now) {
      // A clock that was set back moves what waits in the store, and holds nothing for longer.
      for (const [contact_id, until] of held)
        if (until <= now || until > now + lease_ms) held.delete(contact_id)
      const waiting = rows.flatMap((row) => {
        const until = heldUntil(row)
        return until === undefined ? [] : [{ row, until }]
      })
      await Promise.all(waiting.map(({ row, until }) => finish(row, until, now)))
      return rows.filter((row) => heldUntil(row) === undefined)
    },
  }
}
