/**
 * The options of the services' calls besides ids and settings, with their bounds.
 *
 * @module
 */

import { MONITOR_STATES, MONITOR_STATUSES } from '../../model.ts'
import type {
  AccountScope,
  IncidentFilter,
  MonitorFilter,
  NotificationFilter,
  ResultFilter,
  VersionOptions,
} from '../api/engine.ts'
import type { BulkInput } from '../api/bulk.ts'
import { pageReaders, read } from './read-filter.ts'
import type { Readers } from './read-filter.ts'

const MOST_ITEMS = 200
const MOST_RESULTS = 1000
const MAX_TEXT = 200
/** Bytes of a monitor's metadata: no longer value is stored. */
const MAX_METADATA = 4096

const words = [...new Set([...MONITOR_STATES, ...MONITOR_STATUSES])]

/** In all groups together: each is searched in every monitor. */
const MOST_TAGS = 50

function tagGroups(value: unknown): ReturnType<typeof groups> {
  const given = groups(value)
  if (!('value' in given) || given.value.flat().length <= MOST_TAGS) return given
  return { problem: `out_of_range: at most ${MOST_TAGS} tags in all` }
}

const groups = read.list(read.list(read.text(MAX_TEXT)))

/** Without `type`, whose values depend on the engine. */
export const monitorFilter = {
  ...pageReaders(MOST_ITEMS),
  status: read.list(read.oneOf(words)),
  tag: tagGroups,
  metadata: read.members(MAX_METADATA),
  q: read.text(MAX_TEXT),
} satisfies Readers<Omit<MonitorFilter, 'type'>>

export const resultFilter = {
  ...pageReaders(MOST_RESULTS),
  location_id: read.id,
  verdict: read.oneOf(['ok', 'fail', 'unknown']),
  from: read.time,
  to: read.time,
  order: read.oneOf(['asc', 'desc']),
} satisfies Readers<ResultFilter>

export const incidentFilter = {
  ...pageReaders(MOST_ITEMS),
  monitor_id: read.id,
  open: read.flag,
  cause_code: read.text(MAX_TEXT),
  from: read.time,
  to: read.time,
} satisfies Readers<IncidentFilter>

export const notificationFilter = {
  ...pageReaders(MOST_ITEMS),
  monitor_id: read.id,
  incident_id: read.id,
  contact_id: read.id,
} satisfies Readers<NotificationFilter>

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

export const previewOptions = { against: read.id } satisfies Readers<OptionsOf<'preview'>>

export const uptimeOptions = { days: read.integer(1, 365) } satisfies Readers<OptionsOf<'uptime'>>
