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
  KeyRecord,
  MonitorRecord,
  ResultRecord,
} from '../model.ts'
import { fold } from '../model/fold.ts'
import { ValidationError } from '../errors.ts'
import { metadataEntries, searchText } from './rules.ts'
import { shardOf } from './store.ts'
import type { AuditQuery, IncidentQuery, MonitorQuery, PruneOptions, ResultQuery } from './store.ts'

/** For every monitor of a list: what is asked for is folded once. */
export function monitorFilter(query: MonitorQuery): (monitor: MonitorRecord) => boolean {
  const { after_id = 0, states, types, shards } = query
  const wanted = query.tags?.map((any) => new Set(any.map(fold)))
  const entries = metadataEntries(query.metadata ?? {})
  const q = query.q === undefined ? undefined : fold(query.q)
  return ({ id, type, target, machine, common }) =>
    id > after_id &&
    (states?.includes(machine.state) ?? true) &&
    (types?.includes(type) ?? true) &&
    (shards?.includes(shardOf(id)) ?? true) &&
    (wanted === undefined || hasTagOfEach(common.tags.map(fold), wanted)) &&
    isMarked(common.metadata, entries) &&
    (q === undefined || searchText(common.name, target).includes(q))
}

/** Both in the form in which they are compared. */
export function hasTagOfEach(
  tags: readonly string[],
  wanted: readonly ReadonlySet<string>[],
): boolean {
  return wanted.every((any) => tags.some((tag) => any.has(tag)))
}

/** Whether the query searches texts of each monitor: that of many takes more than one turn. */
export function isSearch({ tags, metadata, q }: MonitorQuery): boolean {
  return tags !== undefined || metadata !== undefined || q !== undefined
}

function isMarked(own: JsonObject, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true
  const entries = metadataEntries(own)
  return wanted.every((entry) => entries.includes(entry))
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

export function isLongRevoked({ revoked_before }: PruneOptions): (key: KeyRecord) => boolean {
  return ({ revoked_at }) => revoked_at !== null && revoked_at < revoked_before
}

/** The name in `meta` of a revoked key that `prune` has removed. */
export function revokedKeyName(hash: string): string {
  return `revoked_key:${hash}`
}

/** The engine says it of a key that it finds, a store of one that another request has just stored. */
export function keyTaken(): ValidationError {
  return new ValidationError({ key: 'invalid: this key exists already' })
}
