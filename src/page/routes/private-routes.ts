/**
 * The routes for signed-in users: pages, buttons, live events.
 *
 * @module
 */

import type { AccountScope, Engine } from '../../engine/api/engine.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import { sessionIn, visitorOf } from '../session/access.ts'
import type { Answer } from '../http/answer.ts'
import { idList, oneOf, positive } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import { auditRoutes } from '../audit/audit-log.ts'
import { contactRoutes } from '../contacts/contact-routes.ts'
import { editRoutes } from '../edit/edit-routes.ts'
import { incidentRoutes } from '../incidents/incident-routes.ts'
import { checksFound, checksPage } from '../monitor/checks.ts'
import { keyRoutes } from '../keys/key-routes.ts'
import { maintenanceRoutes } from '../maintenance/maintenance-routes.ts'
import { bulkRoutes } from '../overview/bulk-routes.ts'
import { wantedOf } from '../overview/filter.ts'
import { collectMonitors } from '../overview/monitors.ts'
import { overviewFacts, overviewPage, leadOf } from '../overview/overview.ts'
import { clientFor } from '../live/connection-limits.ts'
import { action, page } from './signed-in.ts'
import type { Said } from '../layout/markup.ts'

/** Maximum number of monitors in one event stream: more than a page ever shows. */
const LISTENED = 100

export const privateRoutes: readonly Route[] = [
  page(/^\/$/, async ({ call, scope, can_act }) => {
    const { frame, url, service } = call
    const types = service.engine.types.list()
    const wanted = wantedOf(url.searchParams, types)
    const facts = await overviewFacts(
      { engine: service.engine, account_id: scope.account_id, scope, clock: service.clock },
      wanted,
      types,
    )
    const ids = facts.rows.map(({ monitor }) => monitor.id)
    return {
      title: frame.brand,
      main: overviewPage(facts, { frame, wanted, types, can_act }),
      said: facts.counts.total > 0 && leadOf(facts),
      down: facts.counts.down.length,
      section: 'monitors',
      rows: true,
      events: { shown: ids, all: true },
    }
  }),
  page(/^\/wall$/, async ({ call, scope }) => {
    const { frame, url, service } = call
    const { wallFacts, wallPage } = await import('../overview/wall.ts')
    const types = service.engine.types.list()
    const wanted = wantedOf(url.searchParams, types)
    const { account_id } = scope
    const reading = { engine: service.engine, account_id, scope, clock: service.clock }
    const facts = await wallFacts(reading, wanted, types)
    return {
      title: frame.brand,
      main: wallPage(facts, frame),
      said: facts.counts.total > 0 && leadOf(facts),
      down: facts.counts.down.length,
      section: 'monitors',
      wall: true,
      events: { shown: facts.tiles.map(({ monitor }) => monitor.id), all: true },
    }
  }),
  ...editRoutes,
  page(/^\/monitors\/(\d{1,15})$/, async (seen) => {
    const { monitorSheet } = await import('../monitor/monitor-sheet.ts')
    return monitorSheet(seen)
  }),
  page(/^\/monitors\/(\d{1,15})\/checks$/, async ({ call, scope }) => {
    const { frame, url, service, params } = call
    const ask = {
      id: Number(params[0]),
      verdict: oneOf(url.searchParams, 'verdict', ['ok', 'fail', 'unknown']),
      location_id: positive(url.searchParams, 'location'),
      after: positive(url.searchParams, 'after'),
    }
    const found = await checksFound(scope, service.engine.types.list(), ask)
    const title: Said = ({ words }) => words.monitor.checksOf(found.monitor.name)
    return { title, main: checksPage(found, ask, frame), section: 'monitors' }
  }),
  action(/^\/monitors\/(\d{1,15})\/(check|pause|resume)$/, async ({ call, scope }) => {
    const [id = '', what] = call.params
    await act(what, { call, scope, id: Number(id) })
    return `/monitors/${Number(id)}`
  }),
  ...incidentRoutes,
  ...contactRoutes,
  ...auditRoutes,
  ...maintenanceRoutes,
  ...keyRoutes,
  ...bulkRoutes,
  { method: 'GET', pattern: /^\/events$/, answer: listen },
]

interface Acted {
  readonly call: Call
  readonly scope: AccountScope
  readonly id: number
}

async function act(what: string | undefined, { call, scope, id }: Acted): Promise<void> {
  const { monitors } = scope
  if (what === 'check') {
    await call.service.requests.check({ account_id: scope.account_id, id })
    await monitors.queueCheck(id)
  }
  if (what === 'pause') await monitors.pause(id)
  if (what === 'resume') await monitors.resume(id)
}

/** 401 and 403 end an EventSource permanently; the page then says that it is no longer live. */
async function listen(call: Call): Promise<Answer | Response> {
  const { service, request, url } = call
  // 204 stops an EventSource from reconnecting; the session cannot be verified any more.
  if (service.live.stopped) return { status: 204 }
  const visitor = await visitorOf(request, service)
  if (visitor === undefined || visitor instanceof Response) return { status: 401 }
  await service.requests.view(visitor)
  if (request.method === 'HEAD') return { status: 200 }
  const { account_id } = visitor
  const asked = idList(url.searchParams, 'monitors', LISTENED)
  const all = oneOf(url.searchParams, 'all', ['1']) === '1'
  const { shown, states } = await service.viewsAtWork(account_id, async () => {
    const own = await ownAmong(service.engine, { account_id, asked })
    return { shown: own, states: all ? await everyId(service.engine, account_id) : own }
  })
  return service.live.listen({
    audience: {
      kind: 'account',
      id: account_id,
      session: visitor.session ? sessionIn(request, service) : undefined,
      client: clientFor(request, service.clientOf),
    },
    admitted: () => isStillOf(account_id, call),
    states,
    rounds: shown,
    deliveries: all,
    // It hears of the monitors of its account alone.
    ...(all ? { joins: () => Promise.resolve(true) } : {}),
  })
}

async function isStillOf(account_id: number, { request, service }: Call): Promise<boolean> {
  const visitor = await visitorOf(request, service)
  return visitor !== undefined && 'account_id' in visitor && visitor.account_id === account_id
}

interface Asked {
  readonly account_id: number
  readonly asked: readonly number[]
}

async function ownAmong(
  engine: Engine,
  { account_id, asked }: Asked,
): Promise<ReadonlySet<number>> {
  const entries = await requestServicesOf(engine).accountMonitors.byIds(account_id, asked)
  return new Set(entries.map(({ id }) => id))
}

async function everyId(engine: Engine, account_id: number): Promise<ReadonlySet<number>> {
  const { entries } = await collectMonitors({ engine, account_id })
  return new Set(entries.map(({ id }) => id))
}
