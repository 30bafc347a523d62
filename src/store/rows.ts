/**
 * Converts rows to records. A row that cannot be parsed throws a `StorageError` that names it.
 *
 * @module
 */

import { MONITOR_STATES } from '../model.ts'
import type {
  AccountRecord,
  AttemptRecord,
  AuditRecord,
  Availability,
  AvailabilityChange,
  ContactRecord,
  DailyStats,
  HourCounts,
  HourlyStats,
  IncidentRecord,
  KeyRecord,
  LocationState,
  MonitorRecord,
  NotificationRecord,
  Outcome,
  QuietHours,
  ResultRecord,
  VersionedRecord,
} from '../model.ts'
import { isJsonObject } from '../model/json.ts'
import { isOutcomeFit, unfitPart } from './monitor-form.ts'
import { unpackPhases } from './phases.ts'
import { readable, requireNumbers, unreadable } from './readable.ts'
import type { OnUnreadable, Row } from './readable.ts'

export type { Row }

/** Columns whose names and values are those of the record. */
function plain<T>(row: Row): T {
  requireNumbers(row)
  return { ...row } as T
}

/** The JSON of one column. */
function parsed<T>(row: Row, column: string): T {
  const text = row[column]
  try {
    return JSON.parse(String(text)) as T
  } catch (error) {
    throw unreadable(row, column, error)
  }
}

function parsedObject<T extends object>(row: Row, column: string): T {
  const value = parsed<T | null>(row, column)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw unreadable(row, column)
}

function parsedList<T extends readonly unknown[]>(row: Row, column: string): T {
  const value = parsed<unknown>(row, column)
  if (Array.isArray(value)) return value as unknown as T
  throw unreadable(row, column)
}

function parsedOrNull<T>(row: Row, column: string): T | null {
  return row[column] === null ? null : parsed<T>(row, column)
}

export function toAccount(row: Row): AccountRecord {
  const { removing: _, ...columns } = row
  return {
    ...plain<AccountRecord>(columns),
    quotas: parsedObject(row, 'quotas'),
    monitor_defaults: parsedObject(row, 'monitor_defaults'),
  }
}

/** The objects of an account as they are written; `undefined` where a change does not name them. */
export function accountObjects({
  quotas,
  monitor_defaults,
}: Partial<Pick<AccountRecord, 'quotas' | 'monitor_defaults'>>): {
  readonly quotas: string | undefined
  readonly monitor_defaults: string | undefined
} {
  return {
    quotas: quotas && JSON.stringify(quotas),
    monitor_defaults: monitor_defaults && JSON.stringify(monitor_defaults),
  }
}

export function toKey(row: Row): KeyRecord {
  return { ...plain<KeyRecord>(row), scopes: parsedList(row, 'scopes') }
}

export const toNotification = (row: Row): NotificationRecord => plain(row)
export const toAttempt = (row: Row): AttemptRecord => plain(row)

const AVAILABILITIES: readonly unknown[] = [
  'up',
  'degraded',
  'down',
  'unknown',
  'paused',
  'maintenance',
] satisfies readonly Availability[]

/** What was before a damaged change does not go on behind it: the time up to the next one is unknown. */
export function toChanges(rows: readonly Row[], onUnreadable?: OnUnreadable): AvailabilityChange[] {
  const read = (row: Row): AvailabilityChange => {
    const { monitor_id, at, availability } = plain<AvailabilityChange>(row)
    if (AVAILABILITIES.includes(availability)) return { monitor_id, at, availability }
    onUnreadable?.(unreadable(row, 'availability'))
    return { monitor_id, at, availability: 'unknown' }
  }
  return readable(rows, read, onUnreadable)
}

export function toContact(row: Row): ContactRecord {
  const contact = plain<ContactRecord>(row)
  return {
    ...contact,
    all_monitors: row['all_monitors'] === 1,
    quiet: row['quiet'] === null ? null : parsedObject<QuietHours>(row, 'quiet'),
    events: parsedList(row, 'events'),
    settings: parsedObject(row, 'settings'),
  }
}

export function toVersioned<S extends object>(row: Row): VersionedRecord<S> {
  const { id, account_id, version, created_at, updated_at } = plain<VersionedRecord<S>>(row)
  const settings = parsedObject<S>(row, 'settings')
  return { id, account_id, version, settings, created_at, updated_at }
}

export const MONITOR_COLUMNS =
  'id, account_id, type, common, settings, target, machine, token_hash, token, version, revision, created_at, updated_at'

export function toMonitor(row: Row): MonitorRecord {
  const machine = parsedObject<MonitorRecord['machine']>(row, 'machine')
  if (!MONITOR_STATES.includes(machine.state)) throw unreadable(row, 'machine')
  const monitor = {
    ...plain<MonitorRecord>(row),
    common: parsedObject<MonitorRecord['common']>(row, 'common'),
    settings: parsedObject<MonitorRecord['settings']>(row, 'settings'),
    machine,
  }
  const unfit = unfitPart(monitor)
  if (unfit !== undefined) throw unreadable(row, unfit)
  return monitor
}

export function toLocationState(row: Row): LocationState {
  const state = {
    ...plain<LocationState>(row),
    last: parsedOrNull<Outcome>(row, 'last'),
    memo: parsedOrNull<LocationState['memo']>(row, 'memo'),
  }
  if (!isOutcomeFit(state)) throw unreadable(row, 'last')
  return state
}

export function toResult(row: Row): ResultRecord {
  requireNumbers(row)
  return {
    // Not `plain`: a copy of a copy doubles the time.
    ...(row as unknown as ResultRecord),
    phases: unpackPhases(row['phases']),
    details: parsedOrNull<ResultRecord['details']>(row, 'details') ?? {},
  }
}

export function toIncident(row: Row): IncidentRecord {
  return {
    ...plain<IncidentRecord>(row),
    causes: parsedList(row, 'causes'),
    locations_failed: parsedList(row, 'locations_failed'),
  }
}

export function toAudit(row: Row): AuditRecord {
  return { ...plain<AuditRecord>(row), changes: parsedList(row, 'changes') }
}

export function toHourly(row: Row): HourlyStats {
  const { monitor_id, location_id, hour } = plain<HourlyStats>(row)
  const totals = parsedObject<HourCounts>(row, 'totals')
  if (!canBeAdded(totals)) throw unreadable(row, 'totals')
  return { monitor_id, location_id, hour, ...totals }
}

/** The end of an hour adds to what is stored of it: other values would keep the monitor from storing its rounds. */
function canBeAdded(totals: Readonly<Record<keyof HourCounts, unknown>>): boolean {
  const { ok, fail, unknown, latency, phases, figures } = totals
  return (
    [ok, fail, unknown].every(Number.isFinite) &&
    Array.isArray(latency) &&
    latency.every(Number.isFinite) &&
    isJsonObject(phases) &&
    isJsonObject(figures) &&
    Object.values(figures).every(Array.isArray)
  )
}

/** All but the columns that find it: one text, which no query looks into. */
export function hourTotals(stats: Omit<HourlyStats, 'monitor_id'>): string {
  const { hour: _hour, location_id: _id, ...totals } = stats
  return JSON.stringify(totals)
}

export function toDaily(row: Row): DailyStats {
  const latency = parsedObject<DailyStats['latency']>(row, 'latency')
  if (!Object.values(latency).every(Number.isFinite)) throw unreadable(row, 'latency')
  return { ...plain<DailyStats>(row), latency }
}
