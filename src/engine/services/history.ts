/**
 * History of one account: results, incidents, notifications.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { ConflictError, NotFoundError, UnreadableError } from '../../errors.ts'
import type {
  IncidentRecord,
  MonitorRecord,
  NotificationRecord,
  ResultRecord,
} from '../../model.ts'
import type { AccountScope } from '../api/engine.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import { readableContacts } from '../core/stored-contacts.ts'
import { incidentView, notificationView, resultView } from '../views/views.ts'
import type { IncidentView, NotificationView } from '../api/views.ts'
import { readFilter } from './read-filter.ts'
import { planAcknowledged } from '../rounds/plan-notifications.ts'
import { incidentFilter, notificationFilter, resultFilter } from './filters.ts'
import { pageOf, pageQuery } from './paging.ts'
import type { ServiceContext } from './service-context.ts'
import type { ResultQuery } from '../../store/store.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'

/** Results per query: a usual page of 100 takes one. Most have a few hundred characters of details, none above 64 KiB. */
const READ_AT_ONCE = 128
/**
 * Notifications per query, at first and where the last ones had long answers, and otherwise. Each has a payload of up to
 * 256 KiB, and usually at most five attempts with 16 KiB of an answer, longer where they are escaped.
 */
const [HEAVY_NOTIFICATIONS, NOTIFICATIONS_AT_ONCE] = [8, 40]
/** Characters of answers of one query up to which they are short. */
const LIGHT_CHARS = 65_536
/** Maximum characters of details or answers of one page, unless its first item alone exceeds it. */
const PAGE_CHARS = 1024 * 1024

interface ResultPage {
  readonly records: readonly ResultRecord[]
  /** The id after which the next page starts. */
  readonly next: number | null
}

type Scope = Pick<AccountScope, 'results' | 'incidents' | 'notifications'>

export function historyOf(context: ServiceContext, account_id: number): Scope {
  return {
    results: resultsOf(context, account_id),
    incidents: incidentsOf(context, account_id),
    notifications: notificationsOf(context, account_id),
  }
}

function resultsOf(
  { core, monitorCache, ready }: ServiceContext,
  account_id: number,
): Scope['results'] {
  async function requireMonitor(id: number): Promise<MonitorRecord> {
    await ready()
    const record = await recordOf({ core, monitorCache }, id)
    if (record?.account_id !== account_id) throw new NotFoundError('monitor')
    return record
  }

  return {
    async list(monitor_id, given) {
      const { limit = 100, after, ...filter } = readFilter(resultFilter, given)
      const { type } = await requireMonitor(monitor_id)
      const checker = core.registry.get(type)?.checker
      const query = {
        monitor_id,
        ...filter,
        limit,
        ...(after === undefined ? {} : { after_id: after }),
      }
      const { records, next } = await listResults(core, query)
      return { items: records.map((record) => resultView(record, checker)), next }
    },
  }
}

function incidentsOf(context: ServiceContext, account_id: number): Scope['incidents'] {
  const { core, ready } = context
  const { store } = core

  async function ownIncident(id: number): Promise<IncidentRecord> {
    await ready()
    const incident = await store.incidents.get(id)
    if (incident?.account_id !== account_id) throw new NotFoundError('incident')
    return incident
  }

  async function openIncident(id: number): Promise<IncidentRecord> {
    const incident = await ownIncident(id)
    if (incident.ended_at === null) return incident
    throw new ConflictError('closed', 'The incident is over; there is nothing to acknowledge')
  }

  async function viewOf(incident: IncidentRecord): Promise<IncidentView> {
    const [view] = await viewsOf(context, [incident])
    if (view === undefined) throw new NotFoundError('incident')
    return view
  }

  async function planAcknowledgement(id: number, cached: CachedMonitor): Promise<Planned | null> {
    const { record } = cached
    const open = await openIncident(id)
    if (open.acknowledged_at !== null) return null
    const at = core.clock.now()
    const contacts = await readableContacts(core, account_id)
    return {
      change: {
        monitor_id: record.id,
        revision: record.revision,
        at,
        update_incident: { id, acknowledged_at: at },
        cancel: { scope: 'later', incident_id: id, reason: 'acknowledged' },
        notify: planAcknowledged({ core, cached, contacts, at }, open),
      },
    }
  }

  return {
    get: async (id) => viewOf(await ownIncident(id)),
    async list(given) {
      // `monitor_id` is not looked up: the incidents of a removed monitor are listed as well.
      const { query, limit } = pageQuery(account_id, readFilter(incidentFilter, given))
      await ready()
      return pageOf(
        await viewsOf(context, await store.incidents.list(query, setAside(core, 'incident'))),
        limit,
      )
    },
    async acknowledge(id) {
      const { monitor_id, acknowledged_at } = await openIncident(id)
      if (acknowledged_at === null) {
        const changed = await context.monitorCache.change(monitor_id, (cached) =>
          planAcknowledgement(id, cached),
        )
        if (changed !== null) await context.changeBus.publish(changed)
      }
      return viewOf(await ownIncident(id))
    },
  }
}

function notificationsOf(
  { core, outbox, ready }: ServiceContext,
  account_id: number,
): Scope['notifications'] {
  const { store } = core

  async function ownNotification(id: number): Promise<NotificationRecord> {
    await ready()
    const record = await store.notifications.get(id)
    if (record?.account_id !== account_id) throw new NotFoundError('notification')
    return record
  }

  async function withAttempts(records: readonly NotificationRecord[]): Promise<NotificationView[]> {
    const attempts = await store.notifications.attempts(
      records.map(({ id }) => id),
      setAside(core, 'notification'),
    )
    return records.map((record) =>
      notificationView(
        record,
        attempts.filter(({ notification_id }) => notification_id === record.id),
      ),
    )
  }

  return {
    async get(id) {
      const [view] = await withAttempts([await ownNotification(id)])
      if (view === undefined) throw new NotFoundError('notification')
      return view
    },
    async list(given) {
      const { query, limit } = pageQuery(account_id, readFilter(notificationFilter, given))
      await ready()
      const yieldIfLong = yielderOf(core.clock)
      const items: NotificationView[] = []
      let chars = 0
      let at_once = HEAVY_NOTIFICATIONS
      for (let rest = query; ;) {
        const wanted = Math.min(at_once, limit + 1 - items.length)
        const step = { ...rest, limit: wanted }
        const records = await store.notifications.list(step, setAside(core, 'notification'))
        const before = chars
        for (const view of await withAttempts(records)) {
          await yieldIfLong()
          for (const { answer } of view.attempts) chars += JSON.stringify(answer).length
          if (items.length === limit || (items.length > 0 && chars > PAGE_CHARS))
            return { items, next: items.at(-1)?.id ?? null }
          items.push(view)
        }
        const last = records.at(-1)
        if (last === undefined || records.length < wanted) return { items, next: null }
        rest = { ...query, before_id: last.id }
        at_once = chars - before > LIGHT_CHARS ? HEAVY_NOTIFICATIONS : NOTIFICATIONS_AT_ONCE
      }
    },
    resend: async (id) => notificationView(await outbox.resend(await ownNotification(id)), []),
  }
}

type MonitorSource = Pick<ServiceContext, 'core' | 'monitorCache'>

/** From memory where it is there; the settings of a stored one are not decrypted, and a damaged one has no name. */
async function recordOf(
  { core, monitorCache }: MonitorSource,
  id: number,
): Promise<MonitorRecord | undefined> {
  const known = monitorCache.peek(id)?.record
  if (known !== undefined) return known
  try {
    return await core.store.monitors.get(id)
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    setAside(core, 'monitor')(error)
    return undefined
  }
}

/**
 * The monitor of an incident may be removed; its incidents stay. One that is not in memory may be expensive to
 * read.
 */
async function viewsOf(
  source: MonitorSource,
  incidents: readonly IncidentRecord[],
): Promise<IncidentView[]> {
  const { clock } = source.core
  const monitors = new Map<number, IncidentView['monitor']>()
  const yieldIfLong = yielderOf(clock)
  for (const { monitor_id } of incidents) {
    if (monitors.has(monitor_id)) continue
    await yieldIfLong()
    const record = await recordOf(source, monitor_id)
    const { common, type, target } = record ?? { common: { name: '' }, type: '', target: '' }
    monitors.set(monitor_id, { id: monitor_id, name: common.name, type, target })
  }
  return incidents.map((incident) =>
    incidentView(incident, monitors.get(incident.monitor_id) ?? GONE, clock.now()),
  )
}

const GONE: IncidentView['monitor'] = { id: 0, name: '', type: '', target: '' }

/** The details of each result may be 64 KiB of JSON: a page ends where their total exceeds a limit. */
async function listResults(core: Core, query: ResultQuery): Promise<ResultPage> {
  const { store, clock } = core
  const records: ResultRecord[] = []
  const ended = (more: boolean): ResultPage => ({
    records,
    next: more ? (records.at(-1)?.id ?? null) : null,
  })
  const yieldIfLong = yielderOf(clock)
  let chars = 0
  for (let rest = query; ;) {
    // One more than the page, to know whether it is the last.
    const limit = Math.min(READ_AT_ONCE, query.limit + 1 - records.length)
    const step = await store.results.list({ ...rest, limit }, setAside(core, 'result'))
    for (const record of step) {
      await yieldIfLong()
      chars += JSON.stringify(record.details).length
      if (records.length === query.limit) return ended(true)
      if (records.length > 0 && chars > PAGE_CHARS) return ended(true)
      records.push(record)
    }
    const last = step.at(-1)
    if (last === undefined || step.length < limit) return ended(false)
    rest = { ...query, after_id: last.id }
  }
}
