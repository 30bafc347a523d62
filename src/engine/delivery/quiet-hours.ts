/**
 * Quiet hours at the time of an attempt. A notification that falls into them waits in the outbox until their end, and
 * holds up the later ones of its monitor, so that the order stays. One that may have been attempted before is not
 * interrupted: its receiver may know the body.
 *
 * @module
 */

import { yieldingQueueOf } from '../../clock.ts'
import { unlessGone } from '../../errors.ts'
import { quietUntil } from '../../incident/quiet.ts'
import type { ContactRecord, EpochMs, NotificationRecord } from '../../model.ts'
import { fold } from '../../model/fold.ts'
import type { Core } from '../core/core.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { isFollowUp, notSent } from './outcome.ts'
import type { AttemptOutcome } from './outcome.ts'

/** `error` of a row that waits for the end of quiet hours, or was dropped in them. */
export const QUIET_HOURS = 'quiet_hours'
/** `error` of the first notification of an outage that began and ended in quiet hours. */
export const ENDED_QUIETLY = 'ended_in_quiet_hours'

/** Rows of an incident that are read at a time. */
export const ROWS_PER_QUERY = 100

export interface QuietHours {
  /** What becomes of the row instead of an attempt; `undefined`: it is attempted. */
  judge(
    row: NotificationRecord,
    contact: ContactRecord,
    at: EpochMs,
  ): Promise<AttemptOutcome | undefined>
  /** Whether the outage of this row began and ended in quiet hours, so that its beginning was not sent. */
  endedQuietly(row: NotificationRecord): Promise<boolean>
}

export function createQuietHours(core: Core, monitorCache: MonitorCache): QuietHours {
  const { store, clock } = core
  /** Hours that follow on each other for days take two milliseconds, and dozens of rows are judged at once. */
  const nextTurn = yieldingQueueOf(clock)

  async function untilOf(quiet: NonNullable<ContactRecord['quiet']>, at: EpochMs) {
    await nextTurn()
    return quietUntil(quiet, at, core.zones)
  }

  async function judge(
    row: NotificationRecord,
    { quiet }: ContactRecord,
    at: EpochMs,
  ): Promise<AttemptOutcome | undefined> {
    if (row.attempts > 0 || row.event === 'test') return undefined
    if (row.interruptions > 0 && !(await isQuietSinceClaim(row, quiet, at))) return undefined
    const until = quiet === null ? null : await untilOf(quiet, at)
    if (quiet === null || until === null || (await isExempt(row, quiet.except_tags)))
      return row.error === QUIET_HOURS ? whatHasEnded(row, quiet?.ended, at) : undefined
    // A contact that received the first notification also receives the later ones, after the quiet hours.
    if (quiet.during === 'drop' && isFirst(row)) return notSent(row, 'cancelled', QUIET_HOURS, at)
    // Nothing was sent yet, even if attempts were interrupted: the row gets a new date when it is sent.
    return {
      status: 'queued',
      due_at: until,
      attempts: row.attempts,
      interruptions: 0,
      error: QUIET_HOURS,
      at,
    }
  }

  /** Interrupted attempts since the first claim of the row ended here as well, before anything was sent. */
  async function isQuietSinceClaim(
    { sent_at }: NotificationRecord,
    quiet: ContactRecord['quiet'],
    at: EpochMs,
  ): Promise<boolean> {
    if (quiet === null || sent_at === null) return false
    return ((await untilOf(quiet, sent_at)) ?? at) > at
  }

  async function isExempt(
    { monitor_id }: NotificationRecord,
    except_tags: readonly string[],
  ): Promise<boolean> {
    if (monitor_id === null || except_tags.length === 0) return false
    const cached = await monitorCache.get(monitor_id).catch(unlessGone)
    const tags = cached?.record.common.tags.map(fold) ?? []
    return except_tags.some((tag) => tags.includes(fold(tag)))
  }

  /** The first notification of an incident that has ended meanwhile: one `outage` is sent in its place, or nothing. */
  async function whatHasEnded(
    row: NotificationRecord,
    ended: 'notify' | 'skip' | undefined,
    at: EpochMs,
  ): Promise<AttemptOutcome | undefined> {
    const { account_id, contact_id, incident_id } = row
    if (incident_id === null || !isFirst(row)) return undefined
    const incident = await store.incidents.get(incident_id)
    if (incident?.ended_at === undefined || incident.ended_at === null) return undefined
    const query = { account_id, incident_id, contact_id, limit: ROWS_PER_QUERY }
    const waiting = await store.notifications.list({ ...query, statuses: ['queued'] })
    // Without `up` to follow (`notify_recovery`), the first notification is the only one.
    const isFollowed = waiting.some(({ event }) => event === 'up')
    return ended === 'skip' || isFollowed ? notSent(row, 'cancelled', ENDED_QUIETLY, at) : undefined
  }

  async function endedQuietly(row: NotificationRecord): Promise<boolean> {
    const { account_id, incident_id, contact_id, id } = row
    if (row.event !== 'up' || incident_id === null) return false
    const rows = await store.notifications.list({
      account_id,
      incident_id,
      contact_id,
      before_id: id,
      statuses: ['cancelled'],
      limit: ROWS_PER_QUERY,
    })
    return rows.some(({ error }) => error === ENDED_QUIETLY)
  }

  return { judge, endedQuietly }
}

/** The first notification of an incident to this contact: neither a repeat nor a follow-up. */
function isFirst(row: Pick<NotificationRecord, 'event' | 'repeat'>): boolean {
  return row.repeat === 0 && !isFollowUp(row)
}
