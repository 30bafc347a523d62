/**
 * The data of a monitor's page.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type {
  IncidentView,
  MonitorView,
  NotificationView,
  ResultView,
  StatusView,
  UptimeView,
} from '../../engine/api/views.ts'
import { unlessGone } from '../../errors.ts'
import { latencyOfDays, latencyOfToday, usualRange } from './latency-data.ts'
import type { Latency, Range } from './latency-data.ts'

export interface MonitorFacts {
  readonly monitor: MonitorView
  readonly status: StatusView
  readonly type: TypeView | undefined
  readonly uptime: Readonly<Record<7 | 30 | 90, UptimeView>>
  readonly latency: Latency
  readonly results: readonly ResultView[]
  readonly incidents: readonly IncidentView[]
  readonly open: IncidentView | undefined
  /** The parent that suppresses the open incident, if it still exists. */
  readonly parent: { readonly id: number; readonly name: string } | undefined
  readonly more_incidents: boolean
  readonly told: readonly NotificationView[]
  readonly contacts: ReadonlyMap<number, string>
}

const CHECKS = 12
const INCIDENTS = 10
const TOLD = 200

/** @throws NotFoundError */
export async function monitorFacts(
  scope: AccountScope,
  types: readonly TypeView[],
  ask: { readonly id: number; readonly range: Range | undefined; readonly now: number },
): Promise<MonitorFacts> {
  const { id, now } = ask
  const monitor = await scope.monitors.get(id)
  const [status, week, month, quarter, results, incidents, told, contacts] = await Promise.all([
    scope.monitors.status(id),
    scope.monitors.uptime(id, { days: 7 }),
    scope.monitors.uptime(id, { days: 30 }),
    scope.monitors.uptime(id, { days: 90 }),
    scope.results.list(id, { limit: CHECKS }),
    scope.incidents.list({ monitor_id: id, limit: INCIDENTS }),
    scope.notifications.list({ monitor_id: id, limit: TOLD }),
    scope.contacts.list(),
  ])
  const range = ask.range ?? usualRange(quarter)
  const open = incidents.items.find(({ state }) => state === 'open')
  return {
    monitor,
    status,
    type: types.find(({ type }) => type === monitor.type),
    uptime: { 7: week, 30: month, 90: quarter },
    latency:
      range === '24h'
        ? await latencyOfToday(scope, { id, now })
        : latencyOfDays(range, range === '30d' ? month : quarter),
    results: results.items,
    incidents: incidents.items,
    open,
    parent: await parentOf(scope, open),
    more_incidents: incidents.next !== null,
    told: told.items,
    contacts: new Map(contacts.map((contact) => [contact.id, contact.name])),
  }
}

function parentOf(
  { monitors }: AccountScope,
  open: IncidentView | undefined,
): Promise<MonitorFacts['parent']> {
  const id = open?.suppressed_by ?? null
  return id === null ? Promise.resolve(undefined) : monitors.get(id).catch(unlessGone)
}
