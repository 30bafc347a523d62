/**
 * The first row of each lane of a contact, for a contact whose first due rows are all blocked. A contact may have
 * thousands of lanes: one claim reads a number of them, over all contacts, and the next one goes on. Accounts have equal shares.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import { inTurns } from '../contact-turns.ts'
import type { Connection, Row } from './connection.ts'

/** Lanes that one claim reads. One takes about seven microseconds. */
const LANES = 1000
/** Of these the share of one contact is as large as those of all accounts, but at least this. */
const LEAST = 50

export type Candidate = Pick<NotificationRecord, 'id' | 'account_id' | 'contact_id' | 'due_at'>

export const WAITING = "status IN ('queued', 'sending')"
export const FIELDS = 'id, account_id, contact_id, due_at'
/** Whether a row of a lane holds up those behind it. */
export const HOLDS_UP = "(status = 'sending' OR due_at <= ? OR claims > 0)"

export interface Asked {
  readonly account_id: number
  readonly contact_id: number
  readonly now: EpochMs
  /** How many rows are wanted. */
  readonly room: number
  /** Excludes the rows of accounts that are being removed. */
  readonly rest: string
}

/** Abandoned rows have an index of their own, and are left out. */
export type LaneHeads = (contacts: readonly Asked[]) => Candidate[]

export function headsOfLanes(db: Connection): LaneHeads {
  /** By contact: the last lane that was read, where there are more than it has a share of. */
  const places = new Map<number, number>()
  /** By account: the contact that was read last. */
  const latest = new Map<number, number>()

  function read({ contact_id, now, room, rest }: Asked, limit: number) {
    const place = [contact_id, places.get(contact_id) ?? 0, limit] as const
    const found = [
      ...db.all(alone(rest), [contact_id, now, room]),
      ...db.all(heads(rest), [...place, now, now, room]),
    ].map(toCandidate)
    const end = db.get(LAST, place)
    const count = Number(end?.['count'])
    if (count < limit) places.delete(contact_id)
    else places.set(contact_id, Number(end?.['last']))
    return { found, count }
  }

  return (contacts) => {
    const found: Candidate[] = []
    const accounts = new Set(contacts.map(({ account_id }) => account_id))
    const share = Math.max(LEAST, Math.floor(LANES / accounts.size))
    let left = LANES
    for (const asked of inTurns(contacts, latest)) {
      const done = read(asked, Math.min(left, share))
      found.push(...done.found)
      latest.set(asked.account_id, asked.contact_id)
      left -= Math.max(1, done.count)
      if (left <= 0) break
    }
    for (const account_id of latest.keys()) if (!accounts.has(account_id)) latest.delete(account_id)
    return found
  }
}

/** Rows without a monitor, each of which has a lane of its own. */
const alone = (rest: string): string => `
  SELECT ${FIELDS} FROM notifications
  WHERE contact_id = ? AND status = 'queued' AND monitor_id IS NULL AND due_at <= ?${rest}
  ORDER BY due_at, id LIMIT ?`

/** Skips from the first row of one lane to that of the next. */
const OF_CONTACT = `
  WITH RECURSIVE lanes (contact_id, monitor_id) AS (
    SELECT contact_id, MIN(monitor_id) FROM notifications
    WHERE contact_id = ? AND ${WAITING} AND monitor_id > ?
    UNION ALL
    SELECT contact_id, (SELECT MIN(monitor_id) FROM notifications
      WHERE contact_id = lanes.contact_id AND ${WAITING} AND monitor_id > lanes.monitor_id)
    FROM lanes WHERE monitor_id IS NOT NULL LIMIT ?)`

const LAST = `${OF_CONTACT} SELECT COUNT(monitor_id) AS count, MAX(monitor_id) AS last FROM lanes`

const heads = (rest: string): string => `${OF_CONTACT}
  SELECT ${FIELDS} FROM notifications WHERE id IN (
    SELECT (SELECT id FROM notifications
      WHERE contact_id = lanes.contact_id AND monitor_id = lanes.monitor_id AND ${WAITING}
        AND ${HOLDS_UP} ORDER BY id LIMIT 1)
    FROM lanes WHERE monitor_id IS NOT NULL)
  AND status = 'queued' AND due_at <= ?${rest} ORDER BY due_at, id LIMIT ?`

export function toCandidate(row: Row): Candidate {
  return {
    id: Number(row['id']),
    account_id: Number(row['account_id']),
    contact_id: Number(row['contact_id']),
    due_at: Number(row['due_at']),
  }
}

export function byDueTime(a: Candidate, b: Candidate): number {
  return a.due_at - b.due_at || a.id - b.id
}
