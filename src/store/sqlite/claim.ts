/**
 * Selects and claims the rows to send next. The rules are in the contract.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import { toNotification } from '../rows.ts'
import {
  datesAnew,
  hostsWithRoom,
  INTERRUPTED,
  isReadable,
  sharedByAccount,
  UNREADABLE,
} from '../rules.ts'
import type { Claim } from '../store.ts'
import { byDueTime, candidates } from './candidates.ts'
import type { Connection, Row } from './connection.ts'

export function claim(db: Connection, wanted: Claim): NotificationRecord[] {
  redate(db, wanted.now)
  let picked = pick(db, wanted)
  let unreadable = picked.filter((row) => !isReadable(row.payload))
  while (unreadable.length > 0) {
    for (const row of unreadable) setAside(db, row, wanted.now)
    picked = pick(db, wanted)
    unreadable = picked.filter((row) => !isReadable(row.payload))
  }
  return picked.map((row) => take(db, row, wanted))
}

/**
 * Re-dates rows whose `created_at` is after `now`, which happens when the clock is set back: their delay counts from
 * `now`.
 */
function redate(db: Connection, now: EpochMs): void {
  db.run(
    `UPDATE notifications SET created_at = ?,
     due_at = CASE WHEN due_at < created_at THEN due_at ELSE ? + due_at - created_at END
     WHERE status = 'queued' AND created_at > ?`,
    [now, now, now],
  )
}

const UNDER_WAY = `
  SELECT account_id, contact_id, COUNT(*) AS under_way FROM notifications
  WHERE status = 'sending' AND lease_until > ? GROUP BY account_id, contact_id`

function pick(db: Connection, wanted: Claim): readonly NotificationRecord[] {
  const { now, limit, hosts } = wanted
  const under_way = db.all(UNDER_WAY, [now])
  const by_contact = under_way.map(countBy('contact_id'))
  const free = candidates(db, wanted, new Map(by_contact))
    .toSorted(byDueTime)
    .filter(hostsWithRoom(hosts, by_contact))
  return sharedByAccount(free, under_way.map(countBy('account_id')), limit)
    .flatMap(({ id }) => db.all('SELECT * FROM notifications WHERE id = ?', [id]))
    .map(toNotification)
}

function countBy(column: 'contact_id' | 'account_id') {
  return (row: Row): [id: number, count: number] => [Number(row[column]), Number(row['under_way'])]
}

function take(db: Connection, row: NotificationRecord, wanted: Claim): NotificationRecord {
  const { now, lease_until } = wanted
  const interrupted = row.status === 'sending'
  if (interrupted) {
    db.run(
      `INSERT INTO attempts (notification_id, claim, at, duration_ms, http_status, error, answer)
       VALUES (?, ?, ?, 0, NULL, ?, NULL)`,
      [row.id, row.claims, now, INTERRUPTED],
    )
  }
  const taken = {
    ...row,
    status: 'sending',
    lease_until,
    claims: row.claims + 1,
    interruptions: row.interruptions + (interrupted ? 1 : 0),
    sent_at: datesAnew(row) ? now : row.sent_at,
  } as const
  db.run(
    `UPDATE notifications SET status = 'sending', lease_until = ?, claims = ?, interruptions = ?,
     sent_at = ? WHERE id = ?`,
    [taken.lease_until, taken.claims, taken.interruptions, taken.sent_at, row.id],
  )
  return taken
}

function setAside(db: Connection, row: NotificationRecord, now: number): void {
  db.run(
    `UPDATE notifications SET status = 'failed', error = ?, lease_until = NULL, finished_at = ?
     WHERE id = ?`,
    [UNREADABLE, now, row.id],
  )
}
