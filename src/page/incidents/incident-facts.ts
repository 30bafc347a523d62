/**
 * The data of an incident's page.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type {
  IncidentView,
  MonitorView,
  NotificationView,
  ResultView,
} from '../../engine/api/views.ts'
import { unlessGone } from '../../errors.ts'

const MAX_NOTIFICATIONS = 200
const FAILED = 12
/** Incidents that are read to find those at the same time, and how many of these are shown. */
const ROWS_READ = 100
const BESIDE = 20

export interface IncidentInFull {
  readonly incident: IncidentView
  /** Absent if it was removed. */
  readonly monitor: MonitorView | undefined
  readonly type: TypeView | undefined
  /** The monitor whose failure explains this one, if it still exists. */
  readonly parent: { readonly id: number; readonly name: string } | undefined
  /** Oldest first. */
  readonly notifications: readonly NotificationView[]
  readonly contacts: ReadonlyMap<number, string>
  /** The first failed checks, oldest first. */
  readonly failed: readonly ResultView[]
  readonly more_failed: boolean
  /** Other incidents that overlap with this one, newest first. */
  readonly beside: readonly IncidentView[]
}

/** @throws NotFoundError */
export async function incidentInFull(
  scope: AccountScope,
  types: readonly TypeView[],
  id: number,
): Promise<IncidentInFull> {
  const incident = await scope.incidents.get(id)
  const { monitor: of, suppressed_by } = incident
  const [monitor, parent, notifications, contacts, failed, beside] = await Promise.all([
    scope.monitors.get(of.id).catch(unlessGone),
    suppressed_by === null ? undefined : scope.monitors.get(suppressed_by).catch(unlessGone),
    scope.notifications.list({ incident_id: id, limit: MAX_NOTIFICATIONS }),
    scope.contacts.list(),
    failedChecks(scope, incident),
    incidentsBeside(scope, incident),
  ])
  return {
    incident,
    monitor,
    type: types.find(({ type }) => type === of.type),
    parent,
    notifications: [...notifications.items].reverse(),
    contacts: new Map(contacts.map((contact) => [contact.id, contact.name])),
    failed: failed?.items ?? [],
    more_failed: failed !== undefined && failed.next !== null,
    beside,
  }
}

/** `undefined` if the monitor was removed. */
async function failedChecks(
  { results }: AccountScope,
  { monitor, started_at, ended_at }: IncidentView,
): Promise<Awaited<ReturnType<AccountScope['results']['list']>> | undefined> {
  return results
    .list(monitor.id, {
      verdict: 'fail',
      order: 'asc',
      from: started_at,
      limit: FAILED,
      ...(ended_at === null ? {} : { to: ended_at }),
    })
    .catch(unlessGone)
}

async function incidentsBeside(
  { incidents }: AccountScope,
  { id, started_at, ended_at }: IncidentView,
): Promise<readonly IncidentView[]> {
  const { items } = await incidents.list({
    limit: ROWS_READ,
    ...(ended_at === null ? {} : { to: ended_at }),
  })
  return items
    .filter((each) => each.id !== id && (each.ended_at === null || each.ended_at > started_at))
    .slice(0, BESIDE)
}
