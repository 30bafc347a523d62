import type { NotificationRecord } from '../../model.ts'
import { isLongRevoked, revokedKeyName } from '../filters.ts'
import type { PruneOptions } from '../store.ts'
import { goOnRemoving } from './accounts.ts'
import { dropKey, dropNotification } from './tables.ts'
import type { Tables } from './tables.ts'
import { dayOf } from '../../model/time.ts'

export function prune(tables: Tables, options: PruneOptions): number {
  return (
    goOnRemoving(tables, options.limit) +
    pruneResults(tables, options) +
    pruneNotifications(tables, options) +
    pruneDaily(tables, options) +
    pruneHourly(tables, options) +
    pruneAvailability(tables, options) +
    pruneAuditLog(tables, options) +
    pruneKeys(tables, options) +
    pruneIdempotencyResponses(tables, options)
  )
}

function pruneResults(tables: Tables, { results_before, limit }: PruneOptions): number {
  let left = limit
  for (const log of tables.results.values()) {
    // Every prune visits every monitor: the scan stops at the first result that cannot be old.
    const young = log.rows.findIndex(
      ({ started_at }) => started_at >= results_before + log.disorder_ms,
    )
    const end = young === -1 ? log.rows.length : young
    if (end === 0 || left === 0) continue
    const kept = log.rows
      .slice(0, end)
      .filter(({ started_at }) => started_at >= results_before || left-- <= 0)
    left = Math.max(0, left)
    if (kept.length < end) log.rows = [...kept, ...log.rows.slice(end)]
  }
  return limit - left
}

function pruneNotifications(tables: Tables, { notifications_before, limit }: PruneOptions): number {
  const old: NotificationRecord[] = []
  let awaited: ReadonlySet<number | null> | undefined
  for (const row of tables.notifications.values()) {
    if (old.length === limit) break
    const { finished_at, incident_id } = row
    if (finished_at === null || finished_at >= notifications_before) continue
    if (tables.incidents.get(incident_id ?? 0)?.ended_at === null) continue
    awaited ??= new Set(incidentsOf(tables.waiting.rows.values()))
    if (incident_id === null || !awaited.has(incident_id)) old.push(row)
  }
  for (const row of old) dropNotification(tables, row)
  return old.length
}

function* incidentsOf(rows: Iterable<NotificationRecord>): Iterable<number | null> {
  for (const { incident_id } of rows) yield incident_id
}

function pruneDaily(tables: Tables, { history_before, limit }: PruneOptions): number {
  const first_kept = dayOf(history_before)
  let left = limit
  for (const days of tables.daily.values()) {
    for (const day of days.keys()) {
      if (left === 0) return limit
      if (day < first_kept && days.delete(day)) left--
    }
  }
  return limit - left
}

function pruneHourly(tables: Tables, { hours_before, limit }: PruneOptions): number {
  let left = limit
  for (const log of tables.hourly.values()) {
    // Every prune visits every monitor: most have nothing so old.
    if (log.oldest >= hours_before) continue
    log.oldest = Infinity
    for (const [key, { hour }] of log.hours) {
      if (left > 0 && hour < hours_before && log.hours.delete(key)) left--
      else log.oldest = Math.min(log.oldest, hour)
    }
    if (left === 0) return limit
  }
  return limit - left
}

/** Keeps the last change before the border: it is the state at the border. */
function pruneAvailability(tables: Tables, { history_before, limit }: PruneOptions): number {
  let left = limit
  for (const entries of tables.availability.values()) {
    // Every prune visits every monitor: none of its changes is earlier than the one before it.
    let older = 0
    while (older <= left && (entries[older]?.at ?? Infinity) < history_before) older++
    if (older > 1) left -= entries.splice(0, older - 1).length
    if (left === 0) break
  }
  return limit - left
}

function pruneAuditLog(tables: Tables, { audit_before, limit }: PruneOptions): number {
  const old: number[] = []
  // Nearly in the order of their times: a later entry with an earlier time goes once those before it have gone.
  for (const { id, at } of tables.auditLog.values()) {
    if (at >= audit_before || old.length === limit) break
    old.push(id)
  }
  for (const id of old) tables.auditLog.delete(id)
  return old.length
}

function pruneKeys(tables: Tables, options: PruneOptions): number {
  const last = new Map([...tables.keys.values()].map(({ account_id, id }) => [account_id, id]))
  const old = [...tables.keys.values()]
    .filter(isLongRevoked(options))
    .filter(({ account_id, id }) => id !== last.get(account_id))
    .slice(0, options.limit)
  for (const key of old) {
    tables.meta.set(revokedKeyName(key.hash), String(key.revoked_at))
    dropKey(tables, key)
  }
  return old.length
}

function pruneIdempotencyResponses(
  tables: Tables,
  { idempotency_before, limit }: PruneOptions,
): number {
  const old = [...tables.idempotencyResponses]
    .flatMap(([account_id, own]) =>
      [...own]
        .filter(([, { response }]) => response.expires_at < idempotency_before)
        .map(([key]) => ({ account_id, own, key })),
    )
    .slice(0, limit)
  for (const { account_id, own, key } of old) {
    own.delete(key)
    if (own.size === 0) tables.idempotencyResponses.delete(account_id)
  }
  return old.length
}
