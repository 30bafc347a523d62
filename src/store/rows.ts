/**
 * Rows to records. What cannot be read throws a `StorageError` that names the row.
 *
 * @module
 */

import { StorageError } from '../errors.ts'
import type {
  AttemptRecord,
  AvailabilityChange,
  ContactRecord,
  DailyStats,
  IncidentRecord,
  KeyRecord,
  LocationState,
  MonitorRecord,
  NotificationRecord,
  Outcome,
  ResultRecord,
} from '../model.ts'
import { unpackPhases } from './phases.ts'

/** One row as the drivers hand it out. */
export type Row = Readonly<Record<string, string | number | null>>

/** Columns whose names and values are those of the record. */
function plain<T>(row: Row): T {
  return { ...row } as T
}

/** The JSON of one column. */
function parsed<T>(row: Row, column: string): T {
  const text = row[column]
  try {
    return JSON.parse(String(text)) as T
  } catch (error) {
    const id = row['id'] ?? row['monitor_id']
    throw new StorageError(`Unreadable "${column}" in row ${id}`, { cause: error })
  }
}

function parsedOrNull<T>(row: Row, column: string): T | null {
  return row[column] === null ? null : parsed<T>(row, column)
}

export const toKey = (row: Row): KeyRecord => plain(row)
export const toAvailability = (row: Row): AvailabilityChange => plain(row)
export const toNotification = (row: Row): NotificationRecord => plain(row)
export const toAttempt = (row: Row): AttemptRecord => plain(row)

export function toContact(row: Row): ContactRecord {
  const contact = plain<ContactRecord>(row)
  return {
    ...contact,
    all_monitors: row['all_monitors'] === 1,
    settings: parsed(row, 'settings'),
  }
}

export const MONITOR_COLUMNS =
  'id, account_id, type, common, settings, target, machine, token_hash, token, version, revision, created_at, updated_at'

export function toMonitor(row: Row): MonitorRecord {
  return {
    ...plain<MonitorRecord>(row),
    common: parsed(row, 'common'),
    settings: parsed(row, 'settings'),
    machine: parsed(row, 'machine'),
  }
}

export function toLocationState(row: Row): LocationState {
  return {
    ...plain<LocationState>(row),
    last: parsedOrNull<Outcome>(row, 'last'),
    memo: parsedOrNull(row, 'memo'),
  }
}

export function toResult(row: Row): ResultRecord {
  return {
    ...plain<ResultRecord>(row),
    phases: unpackPhases(row['phases']),
    details: parsedOrNull<ResultRecord['details']>(row, 'details') ?? {},
  }
}

export function toIncident(row: Row): IncidentRecord {
  return {
    ...plain<IncidentRecord>(row),
    causes: parsed(row, 'causes'),
    locations_failed: parsed(row, 'locations_failed'),
  }
}

export function toDaily(row: Row): DailyStats {
  return { ...plain<DailyStats>(row), latency: parsed(row, 'latency') }
}
