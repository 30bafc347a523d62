/**
 * The data of a monitor's page, and the notes on its state.
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
import { chartData } from '../chart/chart-data.ts'
import type { ChartData } from '../chart/chart-data.ts'
import { usualRange } from '../chart/ranges.ts'
import type { Range } from '../chart/ranges.ts'
import type { Frame } from '../layout/frame.ts'
import { PLANNED_READ, PLANNED_SHOWN } from '../layout/planned.ts'
import type { PlannedWork } from '../layout/planned.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import { relative } from '../layout/words.ts'

/** Maintenance windows further ahead are only shown in the settings. */
const SOON_MS = 24 * 60 * 60 * 1000

export interface MonitorFacts {
  readonly monitor: MonitorView
  readonly status: StatusView
  readonly planned: readonly PlannedWork[]
  readonly type: TypeView | undefined
  readonly uptime: Readonly<Record<7 | 30 | 90, UptimeView>>
  readonly chart: ChartData
  readonly results: readonly ResultView[]
  readonly incidents: readonly IncidentView[]
  readonly open: IncidentView | undefined
  /** The parent that suppresses the open incident, if it still exists. */
  readonly parent: { readonly id: number; readonly name: string } | undefined
  readonly more_incidents: boolean
  readonly notifications: readonly NotificationView[]
  readonly contacts: ReadonlyMap<number, string>
}

const PLANNED_DAYS = 30
const CHECKS = 12
const INCIDENTS = 10
const MAX_NOTIFICATIONS = 200

/** @throws NotFoundError */
export async function monitorFacts(
  scope: AccountScope,
  types: readonly TypeView[],
  ask: { readonly id: number; readonly range: Range | undefined; readonly now: number },
): Promise<MonitorFacts> {
  const { id, now } = ask
  const monitor = await scope.monitors.get(id)
  const [status, week, month, quarter, results, incidents, notifications, contacts] =
    await Promise.all([
      scope.monitors.status(id),
      scope.monitors.uptime(id, { days: 7 }),
      scope.monitors.uptime(id, { days: 30 }),
      scope.monitors.uptime(id, { days: 90 }),
      scope.results.list(id, { limit: CHECKS }),
      scope.incidents.list({ monitor_id: id, limit: INCIDENTS }),
      scope.notifications.list({ monitor_id: id, limit: MAX_NOTIFICATIONS }),
      scope.contacts.list(),
    ])
  const planned = await plannedFor(scope, id, status)
  const type = types.find((each) => each.type === monitor.type)
  const range = ask.range ?? usualRange(quarter)
  const longest = range === '7d' ? week : range === '30d' ? month : quarter
  const open = incidents.items.find(({ state }) => state === 'open')
  return {
    monitor,
    status,
    planned,
    type,
    uptime: { 7: week, 30: month, 90: quarter },
    chart: await chartData(scope, { monitor, type, range, now, uptime: longest }),
    results: results.items,
    incidents: incidents.items,
    open,
    parent: await parentOf(scope, open),
    more_incidents: incidents.next !== null,
    notifications: notifications.items,
    contacts: new Map(contacts.map((contact) => [contact.id, contact.name])),
  }
}

/** What the status has, and behind it what it leaves out. */
async function plannedFor(
  { maintenance }: AccountScope,
  monitor_id: number,
  { planned_maintenance }: StatusView,
): Promise<MonitorFacts['planned']> {
  if (planned_maintenance.length < PLANNED_SHOWN) return planned_maintenance
  return maintenance.upcoming({ monitor_id, days: PLANNED_DAYS, limit: PLANNED_READ })
}

function parentOf(
  { monitors }: AccountScope,
  open: IncidentView | undefined,
): Promise<MonitorFacts['parent']> {
  const id = open?.suppressed_by ?? null
  return id === null ? Promise.resolve(undefined) : monitors.get(id).catch(unlessGone)
}

/**
 * Suppression, acknowledgement, planned maintenance: shown after the state in a line that always exists, so that nothing
 * moves when one comes or goes.
 */
export function notes(facts: MonitorFacts, { now, base }: Frame): readonly Markup[] {
  const { degraded } = facts.status
  return [
    degraded !== null &&
      tag(
        ({ words }) =>
          words.monitor.degraded(relative(degraded.since, now), foreign(degraded.cause_text)),
        ({ words }) => words.monitor.degradedTitle,
      ),
    facts.status.flapping &&
      tag(
        ({ words }) => words.monitor.flapping,
        ({ words }) => words.monitor.flappingTitle,
      ),
    plannedWork(facts, now),
    explained(facts, base),
    acknowledged(facts, now),
  ].filter((note) => note !== false)
}

/** The button for an open incident that is not acknowledged. */
export function acknowledgeButton({ open }: MonitorFacts, { base }: Frame): Markup | false {
  if (open === undefined || open.acknowledged_at !== null) return false
  return html`<form method="post" action="${base}/incidents/${open.id}/acknowledge">
    <button title="${({ words }) => words.monitor.acknowledgeTitle}">
      ${({ words }) => words.monitor.acknowledge}
    </button>
  </form>`
}

function tag(content: Content, title: Said): Markup {
  return html` <span class="tag" title="${title}">${content}</span>`
}

/** A window that begins before another one ends changes the maintenance, and does not end it. */
function endOf({ planned_maintenance }: MonitorFacts['status'], changes_at: string): string {
  const [first, ...others] = planned_maintenance
  if (first?.active !== true) return changes_at
  return others.reduce(
    (end, { starts_at, ends_at }) => (starts_at <= end && ends_at > end ? ends_at : end),
    first.ends_at,
  )
}

function plannedWork({ status }: MonitorFacts, now: number): Markup | false {
  const { maintenance_changes_at: at, state } = status
  if (at === null) return false
  if (state === 'maintenance')
    return tag(
      ({ words }) => words.monitor.workEnds(relative(endOf(status, at), now)),
      ({ words }) => words.monitor.silentUntil,
    )
  if (Date.parse(at) - now > SOON_MS) return false
  return tag(
    ({ words }) => words.monitor.workBegins(relative(at, now)),
    ({ words }) => words.monitor.silentMeanwhile,
  )
}

/** The open incident is suppressed because a parent is down. */
function explained({ open, parent }: MonitorFacts, base: string): Markup | false {
  if (open === undefined || open.suppressed_by === null) return false
  const { suppressed_by: id } = open
  const shown: Content =
    parent === undefined
      ? ({ words }) => words.monitor.monitor(id)
      : html`<a href="${base}/monitors/${parent.id}">${foreign(parent.name)}</a>`
  return tag(
    ({ words }) => words.monitor.causedBy<Content>(shown),
    ({ words }) => words.monitor.causedTitle,
  )
}

function acknowledged({ open }: MonitorFacts, now: number): Markup | false {
  const at = open?.acknowledged_at ?? null
  if (at === null) return false
  return tag(
    ({ words }) => words.monitor.acknowledged(relative(at, now)),
    ({ words }) => words.monitor.acknowledgedTitle,
  )
}

/** A push type: its results have no duration and no location. */
export function isSignalled({ monitor }: MonitorFacts): boolean {
  return monitor.ping_url !== undefined
}
