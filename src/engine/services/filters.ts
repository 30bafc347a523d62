/**
 * The options of the services' calls besides ids and settings, with their bounds.
 *
 * @module
 */

import { AUDIT_ACTIONS, AUDITED_RESOURCES } from '../../model/audit.ts'
import { MONITOR_STATES, MONITOR_STATUSES } from '../../model.ts'
import type {
  AccountScope,
  AuditFilter,
  IncidentFilter,
  MonitorFilter,
  NotificationFilter,
  PageOptions,
  ResultFilter,
  VersionOptions,
} from '../api/engine.ts'
import type { HoursOptions } from '../api/hours.ts'
import type { MaintenanceFilter, UpcomingOptions } from '../api/maintenance.ts'
import type { BulkInput, BulkPermission } from '../api/bulk.ts'
import type { StatusReportFilter } from '../api/status-reports.ts'
import { pageReaders, read } from './read-filter.ts'
import type { Readers } from './read-filter.ts'

const MAX_ITEMS = 200
const MAX_RESULTS = 1000
const MAX_TEXT = 200
/** Bytes of a monitor's metadata: no longer value is stored. */
const MAX_METADATA = 4096

const words = [...new Set([...MONITOR_STATES, ...MONITOR_STATUSES])]

/** In all groups together: each is searched in every monitor. */
const MAX_TAGS = 50

function tagGroups(value: unknown): ReturnType<typeof groups> {
  const given = groups(value)
  if (!('value' in given) || given.value.flat().length <= MAX_TAGS) return given
  return { problem: `out_of_range: at most ${MAX_TAGS} tags in all` }
}

const anyOf = read.list(read.text(MAX_TEXT))
/** A text is a group of one. */
const groups = read.list((value) => anyOf(typeof value === 'string' ? [value] : value))

/** Without `type`, whose values depend on the engine. */
export const monitorFilter = {
  ...pageReaders(MAX_ITEMS),
  status: read.list(read.oneOf(words)),
  tag: tagGroups,
  metadata: read.members(MAX_METADATA),
  q: read.text(MAX_TEXT),
} satisfies Readers<Omit<MonitorFilter, 'type'>>

export const resultFilter = {
  ...pageReaders(MAX_RESULTS),
  location_id: read.id,
  verdict: read.oneOf(['ok', 'fail', 'unknown']),
  from: read.time,
  to: read.time,
  order: read.oneOf(['asc', 'desc']),
} satisfies Readers<ResultFilter>

export const incidentFilter = {
  ...pageReaders(MAX_ITEMS),
  monitor_id: read.id,
  open: read.flag,
  cause_code: read.text(MAX_TEXT),
  from: read.time,
  to: read.time,
} satisfies Readers<IncidentFilter>

export const notificationFilter = {
  ...pageReaders(MAX_ITEMS),
  monitor_id: read.id,
  incident_id: read.id,
  contact_id: read.id,
} satisfies Readers<NotificationFilter>

export const auditFilter = {
  ...pageReaders(MAX_ITEMS),
  resource: read.oneOf(AUDITED_RESOURCES),
  resource_id: read.id,
  action: read.oneOf(AUDIT_ACTIONS),
  actor: read.text(MAX_TEXT),
  from: read.time,
  to: read.time,
} satisfies Readers<AuditFilter>

export const maintenanceFilter = {
  ...pageReaders(MAX_ITEMS),
  monitor_id: read.id,
  active: read.flag,
} satisfies Readers<MaintenanceFilter>

/** Of lists without a filter. */
export const pageOptions = { ...pageReaders(MAX_ITEMS) } satisfies Readers<PageOptions>

export const statusReportFilter = {
  ...pageReaders(MAX_ITEMS),
  page_id: read.id,
  open: read.flag,
} satisfies Readers<StatusReportFilter>

export const upcomingOptions = {
  days: read.integer(1, 366),
  monitor_id: read.id,
  limit: read.integer(1, MAX_ITEMS),
} satisfies Readers<UpcomingOptions>

type OptionsOf<M extends keyof AccountScope['monitors']> = NonNullable<
  Parameters<AccountScope['monitors'][M]>[1]
>

export const versionOptions = {
  version: read.integer(0, Number.MAX_SAFE_INTEGER),
} satisfies Readers<VersionOptions>

/** Besides the filter and the tags. */
export const bulkOptions = {
  ...pageReaders(10_000),
  action: read.oneOf(['pause', 'resume', 'check', 'remove', 'tag']),
  dry_run: read.flag,
} satisfies Readers<Omit<BulkInput, 'filter'>>

export const bulkPermission = { permitted: read.callback } satisfies Readers<BulkPermission>

export const previewOptions = { against: read.id, update: read.id }
export const testOptions = { update: read.id }

export const uptimeOptions = { days: read.integer(1, 365) } satisfies Readers<OptionsOf<'uptime'>>

const partOfDay = read.integer(1, 24)

/** Steps begin with UTC days. */
function stepHours(value: unknown): ReturnType<typeof partOfDay> {
  const hours = partOfDay(value)
  if (!('value' in hours) || 24 % hours.value === 0) return hours
  return { problem: 'invalid: a divisor of 24 is expected' }
}

export const hoursOptions = {
  from: read.time,
  to: read.time,
  step_hours: stepHours,
} satisfies Readers<HoursOptions>
