import type { EpochMs, NotificationRecord } from '../../model.ts'
import { claim as claimIn } from '../memory/notifications.ts'
import { createTables, putNotification } from '../memory/tables.ts'
import { accountAsked, afterAttempt, queuedRow } from '../rules.ts'
import type { Claim, ClockSet, FinishedAttempt, FullStore } from '../store.ts'
import type { Calls, Records, Row } from './records.ts'
import { ofAccount, withoutId } from './lists.ts'

export const notifications: Calls<FullStore['notifications']> = {
  async create(r, fields) {
    await r.requireAccount(fields)
    return r.insert('notifications', queuedRow(fields))
  },
  get: (r, id) => r.get('notifications', id),
  async list(r, query) {
    const { monitor_id, incident_id, contact_id, statuses, before_id: after_id, limit } = query
    const where = {
      ...ofAccount(accountAsked(query)),
      ...(monitor_id === undefined ? {} : { monitor_id }),
      ...(incident_id === undefined ? {} : { incident_id }),
      ...(contact_id === undefined ? {} : { contact_id }),
    }
    const fits = ({ status }: NotificationRecord) => statuses?.includes(status) ?? true
    return r.some('notifications', where, { limit, order: 'desc', after_id, fits })
  },
  async lastFinished(r, contact_ids) {
    const found: NotificationRecord[] = []
    for (const contact_id of new Set(contact_ids)) {
      const fits = ({ status }: NotificationRecord) => status === 'sent' || status === 'failed'
      const newest = { order: 'desc', limit: 1, fits } as const
      for (const row of await r.some('notifications', { contact_id }, newest)) found.push(row)
    }
    return found
  },
  async attempts(r, ids) {
    const found: Row<'attempts'>[] = []
    for (const notification_id of [...new Set(ids)].toSorted((a, b) => a - b))
      for (const row of await r.all('attempts', { notification_id })) found.push(row)
    return found.map(withoutId)
  },
  claim,
  finish,
  async nextDue(r) {
    const times = (await waiting(r)).map((row) =>
      row.status === 'queued' ? row.due_at : (row.lease_until ?? 0),
    )
    return times.reduce<EpochMs | null>((a, b) => (a === null || b < a ? b : a), null)
  },
  depth: async (r) => (await waiting(r)).length,
}

/** The rows that are not final, without those of accounts that are being removed; lowest id first. */
async function waiting(r: Records): Promise<NotificationRecord[]> {
  const queued = await r.all('notifications', { status: 'queued' })
  const sending = await r.all('notifications', { status: 'sending' })
  const gone = new Set((await r.all('accounts', { removed: true })).map(({ id }) => id))
  return [...queued, ...sending]
    .filter(({ account_id }) => !gone.has(account_id))
    .toSorted((a, b) => a.id - b.id)
}

/** Runs the memory store's claim on the waiting rows, and writes back what it changed. */
async function claim(r: Records, wanted: Claim): Promise<NotificationRecord[]> {
  const tables = createTables()
  const rows = await waiting(r)
  for (const row of rows) putNotification(tables, row)
  const claimed = claimIn(tables, wanted)
  for (const row of rows) {
    const now = tables.notifications.get(row.id)
    if (now !== undefined && now !== row) await r.put('notifications', now)
    for (const attempt of tables.attempts.get(row.id) ?? []) await r.insert('attempts', attempt)
  }
  return claimed
}

async function finish(r: Records, end: FinishedAttempt): Promise<boolean> {
  const row = await r.get('notifications', end.id)
  if (row?.status !== 'sending' || row.claims !== end.claim) return false
  await r.put('notifications', afterAttempt(row, end))
  if (end.attempt !== undefined)
    await r.insert('attempts', { ...end.attempt, notification_id: row.id, claim: end.claim })
  if (end.then === undefined || row.incident_id === null) return true
  const incident = await r.get('incidents', row.incident_id)
  if (incident?.ended_at === null && incident.acknowledged_at === null)
    await r.insert('notifications', queuedRow({ ...row, ...end.then, created_at: end.at }))
  return true
}

/** After the wall clock was set: moves due times and leases by the same amount, so that delays keep their length. */
export async function moveWaiting(r: Records, { by_ms, after, before }: ClockSet): Promise<void> {
  for (const row of await waiting(r)) {
    const name = row.status === 'queued' ? 'due_at' : 'lease_until'
    const at = row[name]
    if (at === null || at <= after || at >= before) continue
    const ahead_ms = row.created_at > after + by_ms ? by_ms : 0
    const created_at = row.created_at + ahead_ms
    await r.put('notifications', { ...row, [name]: at + by_ms, created_at })
  }
}
