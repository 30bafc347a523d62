import type { PruneOptions } from '../store.ts'
import { goOnRemoving } from './accounts.ts'
import { dropNotification } from './tables.ts'
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
  const awaited = new Set([...tables.waiting.rows.values()].map(({ incident_id }) => incident_id))
  const old = [...tables.notifications.values()]
    .filter(
      (row) =>
        row.finished_at !== null &&
        row.finished_at < notifications_before &&
        tables.incidents.get(row.incident_id ?? 0)?.ended_at !== null &&
        (row.incident_id === null || !awaited.has(row.incident_id)),
    )
    .slice(0, limit)
  for (const row of old) dropNotification(tables, row)
  return old.length
}

function pruneDaily(tables: Tables, { history_before, limit }: PruneOptions): number {
  const first_kept = dayOf(history_before)
  const old = [...tables.daily.values()]
    .flatMap((days) =>
      [...days.keys()].filter((day) => day < first_kept).map((day) => ({ days, day })),
    )
    .slice(0, limit)
  for (const { days, day } of old) days.delete(day)
  return old.length
}

function pruneHourly(tables: Tables, { hours_before, limit }: PruneOptions): number {
  let left = limit
  for (const hours of tables.hourly.values()) {
    for (const [key, { hour }] of hours) {
      if (left === 0) return limit
      if (hour < hours_before && hours.delete(key)) left--
    }
  }
  return limit - left
}

/** Keeps the last change before the border: it is the state at the border. */
function pruneAvailability(tables: Tables, { history_before, limit }: PruneOptions): number {
  let left = limit
  for (const entries of tables.availability.values()) {
    const older = entries.filter((entry) => entry.at < history_before).length
    left -= entries.splice(0, Math.min(left, Math.max(0, older - 1))).length
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
