import type { EpochMs } from '../../model.ts'
import { dayOf } from '../../model/time.ts'
import { isLongRevoked, revokedKeyName } from '../filters.ts'
import type { PruneOptions } from '../store.ts'
import { goOnRemoving, removeAttempts } from './accounts.ts'
import { meta } from './lists.ts'
import type { Records, Row, TableName } from './records.ts'

/** How many results may precede an older, late one. */
const LATE = 500

export async function prune(r: Records, options: PruneOptions): Promise<number> {
  const { limit, results_before, history_before, hours_before, idempotency_before } = options
  const first_kept = dayOf(history_before)
  return (
    (await goOnRemoving(r, limit)) +
    (await pruneResults(r, results_before, limit)) +
    (await pruneNotifications(r, options)) +
    (await removeOld(r, 'daily', { limit, fits: ({ day }) => day < first_kept })) +
    (await removeOld(r, 'hourly', { limit, fits: ({ hour }) => hour < hours_before })) +
    (await pruneAvailability(r, options)) +
    (await removeOld(r, 'audit_log', { limit, fits: ({ at }) => at < options.audit_before })) +
    (await pruneKeys(r, options)) +
    (await removeOld(r, 'idempotency_responses', {
      limit,
      fits: (row) => row.expires_at < idempotency_before,
    }))
  )
}

async function removeOld<N extends TableName>(
  r: Records,
  name: N,
  old: { readonly limit: number; readonly fits: (row: Row<N>) => boolean },
): Promise<number> {
  const rows = await r.some(name, {}, old)
  for (const { id } of rows) await r.remove(name, id)
  return rows.length
}

/** Ids rise nearly with the times: the old results are among the first. */
async function pruneResults(r: Records, before: EpochMs, limit: number): Promise<number> {
  const first = await r.some('results', {}, { limit: limit + LATE })
  const old = first.filter(({ started_at }) => started_at < before).slice(0, limit)
  for (const { id } of old) await r.remove('results', id)
  return old.length
}

async function pruneNotifications(r: Records, options: PruneOptions): Promise<number> {
  const { notifications_before, limit } = options
  const queued = await r.all('notifications', { status: 'queued' })
  const sending = await r.all('notifications', { status: 'sending' })
  const awaited = new Set([...queued, ...sending].map(({ incident_id }) => incident_id))
  const fits = (row: Row<'notifications'>): boolean =>
    row.finished_at !== null &&
    row.finished_at < notifications_before &&
    (row.incident_id === null || !awaited.has(row.incident_id))
  let gone = 0
  for (const row of await r.some('notifications', {}, { limit: Infinity, fits })) {
    if (gone === limit) break
    const incident =
      row.incident_id === null ? undefined : await r.get('incidents', row.incident_id)
    if (incident?.ended_at === null) continue
    await removeAttempts(r, row.id)
    await r.remove('notifications', row.id)
    gone++
  }
  return gone
}

async function pruneKeys(r: Records, options: PruneOptions): Promise<number> {
  const old = await r.some('keys', {}, { limit: Infinity, fits: isLongRevoked(options) })
  let gone = 0
  for (const { id, account_id, hash, revoked_at } of old) {
    if (gone === options.limit) break
    const [later] = await r.some('keys', { account_id }, { limit: 1, after_id: id })
    if (later === undefined) continue
    await meta.set(r, revokedKeyName(hash), String(revoked_at))
    await r.remove('keys', id)
    gone++
  }
  return gone
}

/** Keeps the last change before the border: it is the state at the border. */
async function pruneAvailability(r: Records, options: PruneOptions): Promise<number> {
  const { history_before, limit } = options
  const last = new Map<number, number>()
  const old: number[] = []
  const fits = ({ at }: Row<'availability'>): boolean => at < history_before
  for (const { id, monitor_id } of await r.some('availability', {}, { limit: Infinity, fits })) {
    const earlier = last.get(monitor_id)
    if (earlier !== undefined) old.push(earlier)
    last.set(monitor_id, id)
  }
  for (const id of old.slice(0, limit)) await r.remove('availability', id)
  return Math.min(old.length, limit)
}
