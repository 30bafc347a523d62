/**
 * Builders of complete records, with named overrides.
 *
 * @module
 */

import { strict as assert } from 'node:assert'
import { isWatchpostError } from '../../errors.ts'
import { initialState } from '../../incident/state.ts'
import type {
  AvailabilityChange,
  ContactRecord,
  DailyStats,
  EpochMs,
  HourlyStats,
  MachineState,
  MonitorRecord,
  NotificationRecord,
  Outcome,
  ResultRecord,
} from '../../model.ts'
import type {
  Change,
  Claim,
  Committed,
  FullStore,
  NewNotification,
  OptionalGroup,
  Store,
} from '../../store/store.ts'

export type Case = (store: FullStore) => Promise<void>

/** The members that a store may leave out. */
export type Part =
  | OptionalGroup
  | 'accounts.remove'
  | 'accounts.use'
  | 'changes'
  | 'clockSet'
  | 'requests'
  | 'shards'
  | 'idempotencyLocks'

/** Whether the store has the member; the cases of a part run only then. */
export function offers(store: Store, part: Part): boolean {
  if (part === 'accounts.remove') return store.accounts.remove !== undefined
  if (part === 'accounts.use') return store.accounts.use !== undefined
  return store[part] !== undefined
}

/** All availability changes of a monitor; none if the store lacks the member. */
export async function availabilityOf(
  store: FullStore,
  monitor_id: number,
): Promise<readonly AvailabilityChange[]> {
  return offers(store, 'availability') ? store.availability.list(monitor_id, 0, T0 * 2) : []
}

/** All days of a monitor; none if the store lacks the member. */
export async function dailyOf(
  store: FullStore,
  monitor_id: number,
): Promise<readonly DailyStats[]> {
  return offers(store, 'daily') ? store.daily.list(monitor_id, '2000-01-01', '2100-01-01') : []
}

/** All hours of a monitor; none if the store lacks the member. */
export async function hourlyOf(
  store: FullStore,
  monitor_id: number,
): Promise<readonly HourlyStats[]> {
  return offers(store, 'hourly') ? store.hourly.list(monitor_id, 0, T0 * 2) : []
}

/** 2026-03-01T00:00:00Z */
export const T0: EpochMs = Date.UTC(2026, 2, 1)
export const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 86_400_000

export function machine(change: Partial<MachineState> = {}): MachineState {
  return { ...initialState(T0), ...change }
}

type NewMonitor = Omit<MonitorRecord, 'id' | 'version' | 'revision'>

export function monitor(
  change: Partial<NewMonitor> &
    Partial<Pick<NewMonitor['common'], 'name' | 'tags' | 'metadata'>> = {},
): NewMonitor {
  const { name = 'Shop', tags = [], metadata = {}, ...rest } = change
  return {
    account_id: 1,
    type: 'http',
    common: {
      name,
      interval_sec: 60,
      timeout_ms: 10_000,
      location_ids: [1],
      confirm_locations: 1,
      fail_threshold: 2,
      recover_threshold: 1,
      notify_repeat_min: 0,
      notify_repeat_max: 0,
      notify_recovery: true,
      tags,
      contact_ids: [],
      contact_delay: { '3': 5 },
      maintenance: [],
      depends_on: [],
      flap_detection: false,
      metadata,
      warn: { days_left: { below: 21 } },
    },
    settings: { url: 'https://shop.example', auth: { user: 'me' }, list: [1, 'two', null] },
    target: 'https://shop.example/',
    machine: machine(),
    token_hash: null,
    token: null,
    created_at: T0,
    updated_at: T0,
    ...rest,
  }
}

export function contact(
  change: Partial<Omit<ContactRecord, 'id' | 'version'>> = {},
): Omit<ContactRecord, 'id' | 'version'> {
  return {
    account_id: 1,
    kind: 'webhook',
    name: 'Duty',
    all_monitors: false,
    quiet: null,
    group_window_sec: 0,
    events: [],
    settings: { url: 'https://hooks.example/1', headers: { 'X-Team': 'a' } },
    created_at: T0,
    updated_at: T0,
    ...change,
  }
}

export function outcome(change: Partial<Outcome> = {}): Outcome {
  return {
    verdict: 'ok',
    cause_code: null,
    cause_text: null,
    phase: null,
    started_at: new Date(T0).toISOString(),
    duration_ms: 12.25,
    phases: { connect_ms: 1.5, first_byte_ms: 9 },
    remote_ip: '192.0.2.1',
    details: {},
    ...change,
  }
}

type NewResult = Omit<ResultRecord, 'id' | 'monitor_id'>

export function result(change: Partial<NewResult> = {}): NewResult {
  return { ...outcome(), location_id: 1, round: T0, started_at: T0, lag_ms: 3, ...change }
}

export function hour(
  change: Partial<Omit<HourlyStats, 'monitor_id'>> = {},
): Omit<HourlyStats, 'monitor_id'> {
  return {
    location_id: 1,
    hour: T0,
    ok: 1,
    fail: 2,
    unknown: 3,
    degraded: 1,
    ok_ms: 10.5,
    min_ms: 10.5,
    max_ms: 10.5,
    latency: [4, 1, 0, 2],
    phases: { connect_ms: 1.25 },
    figures: { loss_pct: [1, 5, 5, 5] },
    ...change,
  }
}

export function incident(
  change: Partial<NonNullable<Change['open_incident']>> = {},
): NonNullable<Change['open_incident']> {
  const cause = { cause_code: 'timeout', cause_text: 'No answer in time' }
  return {
    started_at: T0,
    detected_at: T0 + MINUTE,
    ...cause,
    causes: [{ at: T0, ...cause }],
    locations_failed: [1],
    suppressed_by: null,
    ...change,
  }
}

export function notice(change: Partial<NewNotification> = {}): NewNotification {
  return {
    contact_id: 1,
    event: 'down',
    due_at: T0,
    payload: '{"event":"down"}',
    repeat: 0,
    incident: null,
    ...change,
  }
}

/** A change of a monitor at the given revision. */
export function on(
  { id, revision }: Pick<MonitorRecord, 'id' | 'revision'>,
  change: Partial<Change>,
): Change {
  return { monitor_id: id, revision, at: T0, ...change }
}

type Done = Extract<Committed, { ok: true }>

/** Commits one change that must be accepted, at the current revision of the monitor. */
export async function commitOne(store: FullStore, change: Change): Promise<Done> {
  const stored = await store.monitors.get(change.monitor_id)
  const revision = stored?.revision ?? change.revision
  const [committed] = await store.commit([{ ...change, revision }])
  assert.ok(committed?.ok === true, `the change was refused: ${JSON.stringify(committed)}`)
  return committed
}

/** Creates the account of these records. */
export async function firstAccount(store: FullStore): Promise<void> {
  await store.accounts.ensureFirst({ name: 'First', created_at: T0 })
}

/** Creates a further account. */
export async function anotherAccount(store: FullStore): Promise<number> {
  const { id } = await store.accounts.create({ name: 'Another', created_at: T0 })
  return id
}

/** Queues a row outside a monitor's change. */
export function queue(
  store: FullStore,
  change: Partial<Parameters<FullStore['notifications']['create']>[0]> = {},
): Promise<NotificationRecord> {
  return store.notifications.create({
    account_id: 1,
    monitor_id: null,
    incident_id: null,
    contact_id: 1,
    event: 'test',
    due_at: T0,
    payload: '{"event":"test"}',
    repeat: 0,
    created_at: T0,
    ...change,
  })
}

/** Claims without effective limits, unless overridden. */
export function claim(
  store: FullStore,
  change: Partial<Claim> = {},
): Promise<readonly NotificationRecord[]> {
  const now = change.now ?? T0
  return store.notifications.claim({
    now,
    lease_until: now + 30_000,
    limit: 100,
    per_contact: 100,
    ...change,
  })
}

export function ids(records: readonly { readonly id: number }[]): number[] {
  return records.map(({ id }) => id)
}

/** The record with this id, which must exist. */
export async function stored(
  store: FullStore,
  notification_id: number,
): Promise<NotificationRecord> {
  const row = await store.notifications.get(notification_id)
  assert.ok(row !== undefined, `notification ${notification_id} is gone`)
  return row
}

/** Asserts a rejection with a `StorageError`, or with an error of another code. */
export async function refused(promise: Promise<unknown>, code = 'storage'): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(isWatchpostError(error), `a WatchpostError was expected, not ${String(error)}`)
    assert.equal(error.code, code)
    return true
  })
}
