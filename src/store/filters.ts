/**
 * Whether a record is one that a query asks for; its account and the limit aside.
 *
 * @module
 */

import type {
  AuditRecord,
  EpochMs,
  IncidentRecord,
  JsonObject,
  MonitorRecord,
  ResultRecord,
} from '../model.ts'
import { fold } from '../model/fold.ts'
import { metadataEntries, searchText } from './rules.ts'
import { shardOf } from './store.ts'
import type { AuditQuery, IncidentQuery, MonitorQuery, ResultQuery } from './store.ts'

export function monitorFits(monitor: MonitorRecord, query: MonitorQuery): boolean {
  return (
    monitor.id > (query.after_id ?? 0) &&
    (query.states?.includes(monitor.machine.state) ?? true) &&
    (query.types?.includes(monitor.type) ?? true) &&
    (query.shards?.includes(shardOf(monitor.id)) ?? true) &&
    (query.tags === undefined || isTagged(monitor.common.tags, query.tags)) &&
    isMarked(monitor.common.metadata, query.metadata) &&
    (query.q === undefined ||
      searchText(monitor.common.name, monitor.target).includes(fold(query.q)))
  )
}

function isTagged(tags: readonly string[], wanted: NonNullable<MonitorQuery['tags']>): boolean {
  const own = new Set(tags.map(fold))
  return wanted.every((any) => any.some((tag) => own.has(fold(tag))))
}

function isMarked(own: JsonObject, wanted: MonitorQuery['metadata'] = {}): boolean {
  const entries = metadataEntries(own)
  return metadataEntries(wanted).every((entry) => entries.includes(entry))
}

export function resultFits(row: ResultRecord, query: ResultQuery): boolean {
  const { after_id } = query
  const behind =
    after_id === undefined || (query.order === 'asc' ? row.id > after_id : row.id < after_id)
  return (
    behind &&
    (query.location_id ?? row.location_id) === row.location_id &&
    (query.verdict ?? row.verdict) === row.verdict &&
    within(row.started_at, query)
  )
}

export function incidentFits(incident: IncidentRecord, query: IncidentQuery): boolean {
  return (
    (query.monitor_id ?? incident.monitor_id) === incident.monitor_id &&
    (query.open === undefined || query.open === (incident.ended_at === null)) &&
    (query.cause_code ?? incident.cause_code) === incident.cause_code &&
    incident.id < (query.before_id ?? Infinity) &&
    within(incident.started_at, query)
  )
}

export function auditFits(entry: AuditRecord, query: AuditQuery): boolean {
  return (
    (query.resource ?? entry.resource) === entry.resource &&
    (query.resource_id ?? entry.resource_id) === entry.resource_id &&
    (query.action ?? entry.action) === entry.action &&
    (query.actor ?? entry.actor) === entry.actor &&
    entry.id < (query.before_id ?? Infinity) &&
    within(entry.at, query)
  )
}

function within(at: EpochMs, { from, to }: { readonly from?: EpochMs; readonly to?: EpochMs }) {
  return at >= (from ?? -Infinity) && at < (to ?? Infinity)
}
