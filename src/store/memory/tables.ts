/**
 * The tables of the memory store: one map per kind of record.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type {
  AccountRecord,
  AttemptRecord,
  AuditRecord,
  AvailabilityChange,
  ContactRecord,
  DailyStats,
  EpochMs,
  HourlyStats,
  IncidentRecord,
  KeyRecord,
  LocationRecord,
  LocationState,
  MaintenanceRecord,
  MonitorRecord,
  NewAuditRecord,
  NotificationRecord,
  PublicPageRecord,
  ResultRecord,
  StatusReportRecord,
} from '../../model.ts'
import { addHours } from '../../model/totals.ts'
import type { IdempotencyResponse } from '../store.ts'
import { copy } from './copy.ts'
import { createWaiting, track, untrack } from './lanes.ts'
import type { Waiting } from './lanes.ts'

export interface Tables {
  readonly accounts: Map<number, AccountRecord>
  /** Accounts that are being removed and still have rows. */
  readonly removing: Set<number>
  readonly keys: Map<number, KeyRecord>
  /** Ids of the keys by their hashes. */
  readonly keyIds: Map<string, number>
  readonly locations: Map<number, LocationRecord>
  readonly contacts: Map<number, ContactRecord>
  readonly maintenance: Map<number, MaintenanceRecord>
  readonly publicPages: Map<number, PublicPageRecord>
  readonly statusReports: Map<number, StatusReportRecord>
  readonly monitors: Map<number, MonitorRecord>
  /** Ids of the monitors by the hashes of their tokens. */
  readonly tokenIds: Map<string, number>
  /** By monitor, then by location. */
  readonly locationStates: Map<number, Map<number, LocationState>>
  /** By monitor, lowest id first. */
  readonly results: Map<number, ResultLog>
  readonly incidents: Map<number, IncidentRecord>
  /** By monitor, oldest first. */
  readonly availability: Map<number, AvailabilityChange[]>
  /** By monitor, then by day. */
  readonly daily: Map<number, Map<string, DailyStats>>
  /** By monitor. */
  readonly hourly: Map<number, HourLog>
  readonly notifications: Map<number, NotificationRecord>
  /** Index of the notifications that are not final. */
  readonly waiting: Waiting
  /** Ids of the notifications of an incident, in rising order. */
  readonly ofIncident: Map<number, Set<number>>
  /** Ids of the notifications of a contact, in rising order. */
  readonly ofContact: Map<number, Set<number>>
  /** By notification. */
  readonly attempts: Map<number, AttemptRecord[]>
  /** Oldest first. */
  readonly auditLog: Map<number, AuditRecord>
  /** By account. */
  readonly idempotencyResponses: Map<number, ResponsesByKey>
  readonly meta: Map<string, string>
  /** The next id of a kind; each kind has a counter of its own. */
  nextId(kind: Numbered): number
}

/** The results of one monitor, ordered by id, which is nearly the order of their times. */
export interface ResultLog {
  rows: ResultRecord[]
  newest_at: EpochMs
  /** The largest amount by which a result started before one with a lower id; bounds the search for old results. */
  disorder_ms: number
}

/** The hourly totals of one monitor. */
export interface HourLog {
  /** By hour and location. */
  readonly hours: Map<string, HourlyStats>
  /** No total is of an earlier hour; `Infinity` without totals. */
  oldest: EpochMs
}

type Numbered =
  | 'account'
  | 'key'
  | 'location'
  | 'contact'
  | 'maintenance'
  | 'publicPages'
  | 'statusReports'
  | 'monitor'
  | 'result'
  | 'incident'
  | 'notification'
  | 'audit'

export function createTables(): Tables {
  const last = new Map<Numbered, number>()
  return {
    accounts: new Map(),
    removing: new Set(),
    keys: new Map(),
    keyIds: new Map(),
    locations: new Map(),
    contacts: new Map(),
    maintenance: new Map(),
    publicPages: new Map(),
    statusReports: new Map(),
    monitors: new Map(),
    tokenIds: new Map(),
    locationStates: new Map(),
    results: new Map(),
    incidents: new Map(),
    availability: new Map(),
    daily: new Map(),
    hourly: new Map(),
    notifications: new Map(),
    waiting: createWaiting(),
    ofIncident: new Map(),
    ofContact: new Map(),
    attempts: new Map(),
    auditLog: new Map(),
    idempotencyResponses: new Map(),
    meta: new Map(),
    nextId(kind) {
      const id = (last.get(kind) ?? 0) + 1
      last.set(kind, id)
      return id
    },
  }
}

interface Owned {
  readonly account_id: number
}

/** @throws NotFoundError if the account does not exist or is being removed */
export function requireAccount(tables: Tables, { account_id }: Owned): void {
  if (!tables.accounts.has(account_id)) throw new NotFoundError('account')
}

/** Whether the row exists and its account is not being removed. */
export function isThere<Row extends Owned>(tables: Tables, row: Row | undefined): row is Row {
  return row !== undefined && !tables.removing.has(row.account_id)
}

/** Whether the row belongs to the account; `undefined` means any account. */
export function isOf(account_id: number | undefined, row: Owned): boolean {
  return account_id === undefined || row.account_id === account_id
}

/** Stores what happened to the row, if anybody wants it recorded. */
export function addAudit(
  tables: Tables,
  audit: NewAuditRecord | undefined,
  { id: resource_id, account_id }: Owned & { readonly id: number },
): void {
  if (audit === undefined) return
  const id = tables.nextId('audit')
  tables.auditLog.set(id, { ...copy(audit), id, account_id, resource_id })
}

export function addResult(tables: Tables, row: ResultRecord): void {
  const log = tables.results.get(row.monitor_id) ?? {
    rows: [],
    newest_at: -Infinity,
    disorder_ms: 0,
  }
  tables.results.set(row.monitor_id, log)
  log.rows.push(row)
  log.disorder_ms = Math.max(log.disorder_ms, log.newest_at - row.started_at)
  log.newest_at = Math.max(log.newest_at, row.started_at)
}

export function addHourly(tables: Tables, stats: HourlyStats): void {
  const { monitor_id, hour, location_id } = stats
  const log: HourLog = tables.hourly.get(monitor_id) ?? { hours: new Map(), oldest: Infinity }
  tables.hourly.set(monitor_id, log)
  const key = `${hour} ${location_id}`
  const known = log.hours.get(key)
  log.hours.set(key, known === undefined ? stats : { ...stats, ...addHours(known, stats) })
  log.oldest = Math.min(log.oldest, hour)
}

/** Stores a new or changed notification and updates its indexes. */
export function putNotification(tables: Tables, row: NotificationRecord): void {
  const { id, incident_id, contact_id } = row
  if (!tables.notifications.has(id)) {
    if (incident_id !== null) addId(tables.ofIncident, incident_id, id)
    addId(tables.ofContact, contact_id, id)
  }
  tables.notifications.set(id, row)
  track(tables.waiting, row)
}

export function dropNotification(tables: Tables, row: NotificationRecord): void {
  const { id, incident_id, contact_id } = row
  tables.notifications.delete(id)
  untrack(tables.waiting, row)
  tables.attempts.delete(id)
  if (incident_id !== null) dropId(tables.ofIncident, incident_id, id)
  dropId(tables.ofContact, contact_id, id)
}

function addId(sets: Map<number, Set<number>>, key: number, id: number): void {
  const ids = sets.get(key)
  if (ids === undefined) sets.set(key, new Set([id]))
  else ids.add(id)
}

function dropId(sets: Map<number, Set<number>>, key: number, id: number): void {
  const ids = sets.get(key)
  ids?.delete(id)
  if (ids?.size === 0) sets.delete(key)
}

/** Stores a new key and updates its index; a key keeps its hash. */
export function putKey(tables: Tables, key: KeyRecord): void {
  tables.keys.set(key.id, key)
  tables.keyIds.set(key.hash, key.id)
}

export function dropKey(tables: Tables, { id, hash }: KeyRecord): void {
  tables.keys.delete(id)
  tables.keyIds.delete(hash)
}

/** Stores a new or changed monitor and updates its index. */
export function putMonitor(tables: Tables, monitor: MonitorRecord): void {
  forgetToken(tables, monitor.id)
  tables.monitors.set(monitor.id, monitor)
  if (monitor.token_hash !== null) tables.tokenIds.set(monitor.token_hash, monitor.id)
}

function forgetToken(tables: Tables, monitor_id: number): void {
  const { token_hash = null } = tables.monitors.get(monitor_id) ?? {}
  if (token_hash !== null && tables.tokenIds.get(token_hash) === monitor_id)
    tables.tokenIds.delete(token_hash)
}

/** Removes a monitor with its history; incidents and the notification log stay. */
export function dropMonitor(tables: Tables, monitor_id: number): void {
  forgetToken(tables, monitor_id)
  tables.monitors.delete(monitor_id)
  tables.locationStates.delete(monitor_id)
  tables.results.delete(monitor_id)
  tables.availability.delete(monitor_id)
  tables.daily.delete(monitor_id)
  tables.hourly.delete(monitor_id)
}

/** The notifications of an incident, lowest id first. */
export function rowsOf(tables: Tables, incident_id: number): NotificationRecord[] {
  const ids = tables.ofIncident.get(incident_id) ?? []
  return [...ids].flatMap((id) => tables.notifications.get(id) ?? [])
}

/** The list stored under `key`; creates it if missing. */
export function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const known = lists.get(key)
  if (known !== undefined) return known
  const made: V[] = []
  lists.set(key, made)
  return made
}

/** The map stored under `key`; creates it if missing. */
export function mapAt<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key)
  if (known !== undefined) return known
  const made = new Map<L, V>()
  maps.set(key, made)
  return made
}
/** The stored responses of one account by key, in the order of storing. */

export type ResponsesByKey = Map<
  string,
  { readonly response: IdempotencyResponse; readonly bytes: number }
>
