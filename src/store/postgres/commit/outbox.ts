import { queuedRow } from '../../rules.ts'
import type { NewNotification } from '../../store.ts'
import { arraysOf, given } from '../bulk.ts'
import type { Columns } from '../bulk.ts'
import type { Session } from '../database.ts'
import { INSERT_NOTIFICATIONS, NOTIFICATIONS } from '../notifications.ts'
import { idsOf } from './incidents.ts'
import type { Accepted } from './accepted.ts'

const CANCELLED = {
  monitor_id: 'bigint',
  incident_id: 'bigint',
  later: 'bigint',
  at: 'bigint',
  reason: 'text',
} as const satisfies Columns

/** Locked in the order of ids, as in every statement that waits for row locks, so that there is no deadlock. */
const CANCEL = `WITH hit AS (
    SELECT n.id, given.at, given.reason FROM ${given(CANCELLED)}
    JOIN watchpost.notifications AS n ON n.monitor_id = given.monitor_id
    WHERE n.status = 'queued'
      AND CASE given.later WHEN 0 THEN n.event <> 'up'
        ELSE n.repeat > 0 OR (n.due_at > given.at AND n.claims = 0) END
      AND (given.incident_id IS NULL OR n.incident_id = given.incident_id)
    ORDER BY n.id FOR UPDATE OF n)
  UPDATE watchpost.notifications AS n
  SET status = 'cancelled', error = hit.reason, finished_at = hit.at
  FROM hit WHERE n.id = hit.id`

export async function cancel(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const rows = accepted.flatMap(({ change: { monitor_id, at, cancel: wanted } }) => {
    if (wanted === undefined) return []
    const { scope, incident_id, reason } = wanted
    return [{ monitor_id, incident_id, later: Number(scope === 'later'), at, reason }]
  })
  if (rows.length > 0) await session.run(CANCEL, arraysOf(CANCELLED, rows))
}

export async function notify(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const wanted = accepted.filter(({ change }) => (change.notify ?? []).length > 0)
  if (wanted.length === 0) return
  const notified = await notifiedOf(session, wanted)
  const made = wanted.map((one) => rowsOf(one, notified))
  const ids = await idsOf(session, INSERT_NOTIFICATIONS, arraysOf(NOTIFICATIONS, made.flat()))
  let from = 0
  wanted.forEach((one, index) => {
    const to = from + (made[index]?.length ?? 0)
    one.notification_ids = ids.slice(from, to)
    from = to
  })
}

function rowsOf({ change, account_id, opened }: Accepted, notified: Set<string>) {
  const { monitor_id, at: created_at, notify: wanted = [] } = change
  const rows: ReturnType<typeof queuedRow>[] = []
  for (const one of wanted) {
    const incident_id = incidentOf(one, opened)
    const key = keyOf(incident_id, one.contact_id)
    const wasNotified = incident_id !== null && notified.has(key)
    if (one.only_if_notified === true && !wasNotified) continue
    if (one.only_if_not_notified === true && wasNotified) continue
    // A row counts for the conditions of later rows of the same change.
    notified.add(key)
    rows.push(queuedRow({ ...one, account_id, monitor_id, incident_id, created_at }))
  }
  return rows
}

const PAIRS = { incident_id: 'bigint', contact_id: 'bigint' } as const satisfies Columns
const NOTIFIED = `SELECT given.incident_id, given.contact_id FROM ${given(PAIRS)}
  WHERE EXISTS (SELECT 1 FROM watchpost.notifications AS n
    WHERE n.incident_id = given.incident_id AND n.contact_id = given.contact_id
      AND (n.status <> 'cancelled' OR n.claims > 0))`

/** The pairs of incident and contact with a notification, as far as conditions ask for them. */
async function notifiedOf(session: Session, wanted: readonly Accepted[]): Promise<Set<string>> {
  const asked = wanted.flatMap(({ change, opened }) =>
    (change.notify ?? [])
      .filter((one) => one.only_if_notified === true || one.only_if_not_notified === true)
      .map((one) => ({ incident_id: incidentOf(one, opened), contact_id: one.contact_id })),
  )
  if (asked.length === 0) return new Set()
  const rows = await session.rows(NOTIFIED, arraysOf(PAIRS, asked))
  return new Set(rows.map((row) => keyOf(Number(row['incident_id']), Number(row['contact_id']))))
}

function incidentOf(wanted: NewNotification, opened: number | null): number | null {
  return wanted.incident === 'opened' ? opened : wanted.incident
}

function keyOf(incident_id: number | null, contact_id: number): string {
  return `${incident_id} ${contact_id}`
}
