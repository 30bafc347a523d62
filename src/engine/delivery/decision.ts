/**
 * Whether a claimed notification is still to be sent: not if its contact is gone or knows nothing of the incident,
 * and later in quiet hours or if the contact groups its notifications.
 *
 * @module
 */

import type { ContactRecord, NotificationRecord } from '../../model.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import { outagePayload } from '../../webhook/payload.ts'
import { afterInterruption, mayHaveArrived } from '../../webhook/retry.ts'
import type { Core } from '../core/core.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { waitForGroup } from './grouping.ts'
import { isFollowUp, notSent } from './outcome.ts'
import type { AttemptOutcome } from './outcome.ts'
import { createQuietHours, ENDED_QUIETLY, ROWS_PER_QUERY } from './quiet-hours.ts'
import type { Repetition } from './repetition.ts'

/** The newest rows of one contact and incident that wait. */
const WAITING_OF_CONTACT = 10

/** A row that is to be sent. */
export interface Sendable {
  readonly contact: ContactRecord
  readonly kind: AnyContactKind
  readonly row: NotificationRecord
}

export interface DecisionOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly repetition: Repetition
}

/** What is left to send of a row, or its outcome without an attempt. */
export type Decide = (
  row: NotificationRecord,
  signal: AbortSignal,
) => Promise<AttemptOutcome | Sendable>

export function createDecision({ core, monitorCache, repetition }: DecisionOptions): Decide {
  const { clock, store } = core
  const quietHours = createQuietHours(core, monitorCache)

  async function decide(
    row: NotificationRecord,
    signal: AbortSignal,
  ): Promise<AttemptOutcome | Sendable> {
    const at = clock.now()
    const resumed = afterInterruption(row, { now: at, random: () => clock.random() })
    if (resumed !== null) {
      const ending = { ...resumed, error: 'interrupted', at }
      return resumed.status === 'queued'
        ? ending
        : { ...ending, ...(await repetition(row, at, signal)) }
    }
    const isUnknown = isFollowUp(row) && !(await mayHaveBeenNotified(row))
    const isOutage = isUnknown && (await quietHours.endedQuietly(row))
    if (isUnknown && !isOutage) return notSent(row, 'cancelled', 'down_never_sent', at)
    if (row.repeat > 0 && (await isSuperseded(row)))
      return notSent(row, 'cancelled', 'repeat_superseded', at)
    const contact = await store.contacts.get(row.contact_id)
    if (contact === undefined) return notSent(row, 'cancelled', 'contact_deleted', at)
    const held = await quietHours.judge(row, contact, at)
    if (held !== undefined) return held
    if (isOutage && contact.quiet?.ended === 'skip')
      return notSent(row, 'cancelled', ENDED_QUIETLY, at)
    const kind = core.contactKinds.get(contact.kind)
    if (kind === undefined) return notSent(row, 'failed', 'unknown_contact_kind', at)
    const waiting = waitForGroup(row, contact, at)
    if (waiting !== undefined) return waiting
    return { contact, kind, row: isOutage ? outageOf(row) : row }
  }

  /**
   * Whether a later repeat waits for the contact: after a notification that was sent again, or that waited through a
   * maintenance. The later one remains, so that exactly one is planned for each period.
   */
  async function isSuperseded({ id, account_id, incident_id, contact_id }: NotificationRecord) {
    if (incident_id === null) return false
    const waiting = { account_id, incident_id, contact_id, statuses: ['queued'] } as const
    const rows = await store.notifications.list({ ...waiting, limit: WAITING_OF_CONTACT })
    return rows.some((other) => other.repeat > 0 && other.id > id)
  }

  /** Whether the contact may have received a notification of the row's incident. */
  async function mayHaveBeenNotified(row: NotificationRecord): Promise<boolean> {
    const { account_id, incident_id, contact_id } = row
    if (incident_id === null) return true
    const earlier = { account_id, incident_id, contact_id, before_id: row.id }
    const sent = await store.notifications.list({ ...earlier, statuses: ['sent'], limit: 1 })
    if (sent.length > 0) return true
    for (let before_id = row.id; ;) {
      const rows = await store.notifications.list({
        ...earlier,
        before_id,
        statuses: ['failed', 'cancelled'],
        limit: ROWS_PER_QUERY,
      })
      const attempts = await store.notifications.attempts(rows.map(({ id }) => id))
      if (attempts.some(mayHaveArrived)) return true
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS_PER_QUERY) return false
      before_id = last.id
    }
  }

  return decide
}

/** Sent as one `outage`, because its `down` was never sent. */
function outageOf(row: NotificationRecord): NotificationRecord {
  return { ...row, event: 'outage', payload: outagePayload(row.payload) }
}
