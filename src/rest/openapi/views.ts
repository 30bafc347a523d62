/**
 * The schemas of the engine's views.
 *
 * @module
 */

import type {
  AttemptView,
  ContactView,
  DegradedView,
  IncidentView,
  LocationStatus,
  LocationView,
  MonitorSummary,
  NotificationView,
  ResultView,
  SettingWarning,
  StatusView,
  UptimeDay,
  UptimeView,
} from '../../engine/api/views.ts'
import type { QuietHours, QuietSpan } from '../../model.ts'
import {
  MONITOR_STATES,
  MONITOR_STATUSES,
  NOTIFICATION_STATUSES,
  SOFT_EVENTS,
  WEEKDAYS,
} from '../../model.ts'
import { ACCOUNT_VIEWS } from './account.ts'
import { MAINTENANCE_VIEWS } from './maintenance.ts'
import { PUBLIC_PAGE_VIEWS } from './public-pages.ts'
import {
  arrayOf,
  flag,
  integer,
  nullable,
  number,
  object,
  record,
  text,
  time,
  word,
} from './schemas.ts'
import type { Schema } from './schemas.ts'
import { TYPE_VIEWS } from './types.ts'

const id = integer('Positive, never used twice')
const state = word(MONITOR_STATES)
const status = word(MONITOR_STATUSES, 'The state, folded for a simple reader')
const stale = flag('Nobody knows how it is: no check was decided or started for too long')
const cause_code = nullable(text('Stable machine code'))
const cause_text = nullable(text('One sentence for a person'))
const degraded = nullable(
  object<DegradedView>(
    { since: time('The first round beyond the threshold'), cause_code: text(), cause_text: text() },
    { description: 'Up, and beyond a threshold of `warn`' },
  ),
)
const phases = record('Milliseconds per phase, those that took place', { type: 'number' })
const verdict = word(['ok', 'fail', 'unknown'])

const summary: Readonly<Record<keyof MonitorSummary, Schema>> = {
  id,
  type: text('Type code'),
  name: text(),
  target: text('The checked address, free of secrets'),
  state,
  status,
  stale,
  flapping: flag('So many outages in the last rounds that they are not reported one by one'),
  degraded,
  interval_sec: integer(),
  tags: arrayOf(text()),
  metadata: record("The host's own values; no secrets"),
  last_check_at: nullable(time()),
  next_check_at: nullable(time()),
  last_duration_ms: nullable(number('How long the last check took')),
  last_response_ms: nullable(number('Its response time, as the type measures it')),
  cause_code,
  open_incident_id: nullable(id),
  version: integer('Grows with every change of settings'),
  created_at: time(),
  updated_at: time(),
}

const seconds = {
  up_sec: number('Time degraded included'),
  degraded_sec: number('The part of `up_sec` in which it was degraded'),
  down_sec: number(),
  paused_sec: number(),
  maintenance_sec: number(),
  unknown_sec: number(),
  incidents: integer('Incidents that began or were open in this time'),
}

const percentiles = {
  p50_ms: nullable(number('Half of the response times of good checks were below')),
  p95_ms: nullable(number()),
  p99_ms: nullable(number()),
}

/** Percent of the known time; never 100 if there was downtime. */
const percent = nullable({ type: 'number', minimum: 0, maximum: 100 })

export const VIEWS: Readonly<Record<string, Schema>> = {
  MonitorSummary: object<MonitorSummary>(summary),
  Monitor: object(
    {
      ...summary,
      locations: arrayOf('LocationStatus'),
      counters: object({ fails: integer(), oks: integer(), inconclusive: integer() }),
    },
    {
      open: true,
      description:
        'The summary, every setting at the top level as it is written (secrets as `"***"`), and the status per location. Heartbeat monitors also have `token` and `ping_url`, for keys with `monitors:write`.',
    },
  ),
  SettingWarning: object<SettingWarning>(
    { field: text(), text: text() },
    { description: 'A setting that was given and does nothing in this type: it is stored' },
  ),
  ...MAINTENANCE_VIEWS,
  ...PUBLIC_PAGE_VIEWS,
  LocationStatus: object<LocationStatus>({
    location_id: id,
    name: text(),
    status: word(['up', 'down', 'unknown']),
    last_check_at: nullable(time()),
    duration_ms: nullable(number('How long the last check took')),
    response_ms: nullable(number('Its response time, as the type measures it')),
    phases,
    cause_code,
    cause_text,
    consecutive_fails: integer(),
  }),
  Status: object<StatusView>({
    state,
    status,
    since: time('When the state was entered'),
    last_check_at: nullable(time()),
    next_check_at: nullable(time()),
    stale,
    flapping: flag(),
    degraded,
    reduced_quorum: flag('Decided without locations that have been silent for long'),
    degraded_locations: arrayOf(integer('Locations that see it fail while too few agree')),
    maintenance_changes_at: nullable(time('When planned work begins or ends next')),
    planned_maintenance: arrayOf('Occurrence'),
    cause_code,
    cause_text,
    incident: nullable(object({ id, started_at: time() })),
    locations: arrayOf('LocationStatus'),
    uptime_24h: percent,
  }),
  Result: object<ResultView>({
    id,
    monitor_id: id,
    location_id: id,
    round: time('Due time, shared by all locations of one round'),
    lag_ms: number('How late the check began; never part of `duration_ms`'),
    verdict,
    cause_code,
    cause_text,
    phase: nullable(text('The phase in which it failed')),
    started_at: time(),
    duration_ms: number('How long the check took'),
    response_ms: nullable(
      number(
        'The response time, as the type measures it (`response` in GET /types); `null` where it has none',
      ),
    ),
    phases,
    remote_ip: nullable(text()),
    details: record('What the type measured; GET /types names it'),
  }),
  Uptime: object<UptimeView>({
    from: time(),
    to: time(),
    tz: word(['UTC']),
    overall: percent,
    ...seconds,
    ...percentiles,
    days: arrayOf('UptimeDay'),
  }),
  UptimeDay: object<UptimeDay>({
    date: { ...text(), format: 'date' },
    uptime: percent,
    ...seconds,
    checks: integer(),
    avg_ms: nullable(number('Of the response times of good checks')),
    ...percentiles,
    partial: flag('The day has not ended, or the monitor is younger than it'),
  }),
  Incident: object<IncidentView>({
    id,
    monitor: object({ id, name: text(), type: text(), target: text() }),
    state: word(['open', 'closed']),
    started_at: time('The first failing round'),
    detected_at: time('Its confirmation'),
    ended_at: nullable(time('The first good round')),
    duration_sec: number('Until now while open'),
    cause_code: text(),
    cause_text: text(),
    causes: arrayOf(object({ at: time(), cause_code: text(), cause_text: text() })),
    locations_failed: arrayOf(id),
    closed_reason: nullable(word(['recovered', 'paused', 'reconfigured', 'deleted'])),
    suppressed_by: nullable(integer('The monitor whose failure explains it')),
    acknowledged_at: nullable(time('Since when somebody is on it')),
  }),
  Location: object<LocationView>({ id, name: text(), online: flag() }),
  Contact: object<ContactView>({
    id,
    kind: text('`webhook`, or a kind of the host'),
    name: text(),
    all_monitors: flag('Receives the notifications of every monitor of the account'),
    quiet: nullable(
      object<QuietHours>({
        time_zone: text('IANA name'),
        hours: arrayOf(
          object<QuietSpan>({
            from: text('Time of day, `HH:MM`'),
            to: text('Not included; on the next day if not after `from`'),
            weekdays: arrayOf(word(WEEKDAYS)),
          }),
        ),
        during: word(['wait', 'drop'], 'What becomes of notifications'),
        ended: word(['notify', 'skip'], 'An outage that began and ended within'),
        except_tags: arrayOf(text('Monitors with this tag are never silenced')),
      }),
    ),
    group_window_sec: integer(
      'Notifications of this many seconds go out as one; 0: each by itself',
    ),
    events: arrayOf(word(SOFT_EVENTS, 'A soft event of which it is notified as well')),
    settings: record('Settings of the kind; secrets are masked'),
    last_delivery: nullable(object({ at: time(), ok: flag(), error: nullable(text()) })),
    version: integer('Raised by every change'),
    created_at: time(),
  }),
  Notification: object<NotificationView>({
    id,
    event: text(),
    monitor_id: nullable(id),
    incident_id: nullable(id),
    contact_id: id,
    status: word(NOTIFICATION_STATUSES),
    error: nullable(text()),
    repeat: integer('Number of the repetition, 0 for all other events'),
    created_at: time(),
    sent_at: nullable(time('The first attempt')),
    next_attempt_at: nullable(time()),
    finished_at: nullable(time()),
    attempts: arrayOf('Attempt'),
  }),
  Attempt: object<AttemptView>({
    at: time(),
    duration_ms: number(),
    http_status: nullable(integer()),
    error: nullable(text()),
    answer: nullable(text("The beginning of the receiver's answer")),
  }),
  ...ACCOUNT_VIEWS,
  ...TYPE_VIEWS,
}
