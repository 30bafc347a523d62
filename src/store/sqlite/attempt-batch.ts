/**
 * Records the results of attempts that finish in the same turn of the event loop in one transaction: an fsync for
 * each would cost more than the rest of a delivery.
 *
 * @module
 */

import type { NotificationRecord } from '../../model.ts'
import { toNotification } from '../rows.ts'
import { isFinal } from '../rules.ts'
import type { FinishedAttempt } from '../store.ts'
import type { Connection } from './connection.ts'
import { insertNotification } from './notifications.ts'

interface Waiting {
  readonly end: FinishedAttempt
  readonly resolve: (recorded: boolean) => void
  readonly reject: (error: unknown) => void
}

export interface AttemptBatch {
  /** Resolves when the result is durable. */
  finish(end: FinishedAttempt): Promise<boolean>
  /** Records the results reported so far, so that a following read sees them. */
  flush(): void
}

export function createAttemptBatch(db: Connection): AttemptBatch {
  let waiting: Waiting[] = []

  function flush(): void {
    const group = waiting
    waiting = []
    if (group.length > 0) record(group)
  }

  function record(group: readonly Waiting[]): void {
    try {
      const recorded = db.transaction(() => group.map(({ end }) => finish(db, end)))
      group.forEach(({ resolve }, index) => resolve(recorded[index] === true))
    } catch (error) {
      // One result that cannot be recorded must not reject the others.
      if (group.length > 1) for (const one of group) record([one])
      else group[0]?.reject(error)
    }
  }

  return {
    flush,
    finish: (end) =>
      new Promise((resolve, reject) => {
        const size = waiting.push({ end, resolve, reject })
        if (size === 1) void Promise.resolve().then(flush)
      }),
  }
}

const FINISH = `UPDATE notifications SET status = ?, due_at = COALESCE(?, due_at), attempts = ?,
  interruptions = ?, error = ?, lease_until = NULL, finished_at = ?
  WHERE id = ? AND status = 'sending' AND claims = ?`

const NOTE_ATTEMPT = `INSERT INTO attempts
  (notification_id, claim, at, duration_ms, http_status, error, answer) VALUES (?, ?, ?, ?, ?, ?, ?)`

function finish(db: Connection, end: FinishedAttempt): boolean {
  const changed = db.run(FINISH, [
    end.status,
    end.due_at,
    end.attempts,
    end.interruptions,
    end.error,
    isFinal(end.status) ? end.at : null,
    end.id,
    end.claim,
  ])
  if (changed === 0) return false
  if (end.attempt !== undefined) {
    const { at, duration_ms, http_status, error, answer } = end.attempt
    db.run(NOTE_ATTEMPT, [end.id, end.claim, at, duration_ms, http_status, error, answer])
  }
  if (end.then === undefined) return true
  const row = db.get('SELECT * FROM notifications WHERE id = ?', [end.id])
  const record = row && toNotification(row)
  if (record !== undefined && isOpen(db, record)) {
    insertNotification(db, { ...record, ...end.then, created_at: end.at })
  }
  return true
}

function isOpen(db: Connection, { incident_id }: NotificationRecord): boolean {
  const sql =
    'SELECT 1 AS open FROM incidents WHERE id = ? AND ended_at IS NULL AND acknowledged_at IS NULL'
  return incident_id !== null && db.get(sql, [incident_id]) !== undefined
}
