/**
 * Which rows are sent next. The rules stand in the contract; here they are asked contact by contact, so
 * that the backlog of one does not have to be read to serve the others.
 *
 * @module
 */

import type { NotificationRecord } from '../../model.ts'
import {
  datesAnew,
  hostsWithRoom,
  INTERRUPTED,
  isReadable,
  sharedByAccount,
  UNREADABLE,
} from '../rules.ts'
import type { Claim } from '../store.ts'
import { ofNoneRemoved } from './account-removal.ts'
import type { Connection, Row } from './connection.ts'
import { toNotification } from '../rows.ts'

export function claim(db: Connection, wanted: Claim): NotificationRecord[] {
  let picked = pick(db, wanted)
  let unreadable = picked.filter((row) => !isReadable(row.payload))
  while (unreadable.length > 0) {
    for (const row of unreadable) setAside(db, row, wanted.now)
    picked = pick(db, wanted)
    unreadable = picked.filter((row) => !isReadable(row.payload))
  }
  return picked.map((row) => take(db, row, wanted))
}

/** The contacts with something to do, and how many of their rows are under way. */
const contactsOf = (condition: string): string => `
  SELECT contact_id, SUM(CASE WHEN status = 'sending' AND lease_until > ? THEN 1 ELSE 0 END) AS under_way
  FROM notifications WHERE status IN ('queued', 'sending')${condition}
  GROUP BY contact_id
  HAVING MIN(CASE WHEN status = 'queued' THEN due_at ELSE lease_until END) <= ?`

/** The rows of one contact that may be claimed: due or abandoned, and no earlier one of the same monitor in front. */
const ROWS = `
  SELECT * FROM notifications AS n
  WHERE contact_id = ? AND status IN ('queued', 'sending')
    AND ((status = 'queued' AND due_at <= ?) OR (status = 'sending' AND lease_until <= ?))
    AND (monitor_id IS NULL OR NOT EXISTS (
      SELECT 1 FROM notifications AS earlier
      WHERE earlier.monitor_id = n.monitor_id AND earlier.contact_id = n.contact_id
        AND earlier.id < n.id AND earlier.status IN ('queued', 'sending')
        AND (earlier.status = 'sending' OR earlier.due_at <= ? OR earlier.claims > 0)))
  ORDER BY due_at, id LIMIT ?`

const UNDER_WAY = `
  SELECT account_id, contact_id, COUNT(*) AS under_way FROM notifications
  WHERE status = 'sending' AND lease_until > ? GROUP BY account_id, contact_id`

function pick(db: Connection, wanted: Claim): readonly NotificationRecord[] {
  const { now, limit, per_contact, hosts } = wanted
  const under_way = db.all(UNDER_WAY, [now])
  const rows = db.all(contactsOf(ofNoneRemoved(db)), [now, now]).flatMap((contact) => {
    const room = Math.min(limit, per_contact - Number(contact['under_way']))
    return room <= 0 ? [] : db.all(ROWS, [contact['contact_id'], now, now, now, room])
  })
  const free = rows
    .map(toNotification)
    .toSorted((a, b) => a.due_at - b.due_at || a.id - b.id)
    .filter(hostsWithRoom(hosts, under_way.map(countBy('contact_id'))))
  return sharedByAccount(free, under_way.map(countBy('account_id')), limit)
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
