/**
 * The routes for signed-in users: pages, buttons, live events.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import { SESSION_COOKIE, visitorOf } from '../session/access.ts'
import type { Visitor } from '../session/access.ts'
import { htmlAnswer, seeOther } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import { ownForm, idList, oneOf, positive } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import { cookieOf } from '../session/cookies.ts'
import { documentOf } from '../layout/frame.ts'
import type { Sheet } from '../layout/frame.ts'
import { incidentsFound, incidentsPage } from '../incidents/incidents.ts'
import { checksFound, checksPage } from '../monitor/checks.ts'
import { RANGES } from '../monitor/latency-data.ts'
import { monitorFacts } from '../monitor/monitor-facts.ts'
import { monitorPage } from '../monitor/monitor-page.ts'
import { wantedOf } from '../overview/filter.ts'
import { collectMonitors } from '../overview/monitors.ts'
import type { Reading } from '../overview/monitors.ts'
import { overviewFacts, overviewPage, leadOf } from '../overview/overview.ts'
import { clientFor } from '../live/places.ts'
import { forbidden } from '../http/http-error.ts'
import { shownAs } from '../layout/words.ts'

/** Maximum number of monitors in one event stream: more than a page ever shows. */
const LISTENED = 100

export const privateRoutes: readonly Route[] = [
  page(/^\/$/, async ({ call, scope }) => {
    const { frame, url, service } = call
    const types = service.engine.types.list()
    const wanted = wantedOf(url.searchParams, types)
    const facts = await overviewFacts({ scope, clock: service.clock }, wanted, types)
    const ids = facts.rows.map(({ monitor }) => monitor.id)
    return {
      title: frame.brand,
      main: overviewPage(facts, { frame, wanted, types }),
      said: facts.all.length > 0 && leadOf(facts),
      section: 'monitors',
      events: { shown: ids, all: true },
    }
  }),
  page(/^\/monitors\/(\d{1,15})$/, async ({ call, scope, visitor }) => {
    const { frame, url, service, params } = call
    const range = oneOf(url.searchParams, 'range', RANGES)
    const ask = { id: Number(params[0]), range, now: frame.now }
    const facts = await monitorFacts(scope, service.engine.types.list(), ask)
    return {
      title: facts.monitor.name,
      said: [facts.monitor.name, ': ', shownAs(facts.status).label],
      main: monitorPage(facts, { frame, can_act: visitor.read_only !== true }),
      section: 'monitors',
      events: { shown: [facts.monitor.id] },
    }
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
    const title = `Checks of ${found.monitor.name}`
    return { title, main: checksPage(found, ask, frame), section: 'monitors' }
  }),
  page(/^\/incidents$/, async ({ call, scope }) => {
    const { frame, url } = call
    const ask = {
      monitor_id: positive(url.searchParams, 'monitor'),
      open: oneOf(url.searchParams, 'open', ['1']) === '1',
      after: positive(url.searchParams, 'after'),
    }
    const found = await incidentsFound(scope, ask)
    return {
      title: 'Incidents',
      main: incidentsPage(found, ask, frame),
      section: 'incidents',
      events: { shown: [], all: true },
    }
  }),
  {
    method: 'POST',
    pattern: /^\/monitors\/(\d{1,15})\/(check|pause|resume)$/,
    answer: act,
  },
  {
    method: 'POST',
    pattern: /^\/incidents\/(\d{1,15})\/acknowledge$/,
    answer: acknowledge,
  },
  { method: 'GET', pattern: /^\/events$/, answer: listen },
]

interface Seen {
  readonly call: Call
  readonly scope: AccountScope
  readonly visitor: Visitor
}

type PrivateSheet = Pick<Sheet, 'title' | 'main' | 'said'> & {
  readonly section: 'monitors' | 'incidents'
  /** Absent if nothing on the page is live. */
  readonly events?: {
    /** Monitors on the page. */
    readonly shown: readonly number[]
    /** State changes of any other monitor count as well. Default `false`. */
    readonly all?: boolean
  }
}

function page(pattern: RegExp, show: (seen: Seen) => Promise<PrivateSheet>): Route {
  return {
    method: 'GET',
    pattern,
    async answer(call) {
      const { service, frame, request } = call
      const visitor = await visitorOf(request, service)
      if (visitor instanceof Response) return visitor
      if (visitor === undefined) return turnedAway(call)
      await service.requests.view(visitor.by)
      const scope = service.engine.account(visitor.account_id)
      const { section, events, ...sheet } = await show({ call, scope, visitor })
      const document = documentOf(frame, {
        ...sheet,
        signed_in: { section, can_leave: visitor.session },
        ...(events === undefined
          ? {}
          : {
              events: `${service.base}/events?monitors=${events.shown.join(',')}${events.all === true ? '&all=1' : ''}`,
            }),
      })
      return htmlAnswer(document, frame)
    },
  }
}

function turnedAway({ service, frame }: Call): Answer {
  if (service.authorize !== undefined) throw forbidden('You may not see this page.')
  const back = frame.here === `${service.base}/` ? '' : `?return=${encodeURIComponent(frame.here)}`
  return seeOther(`${service.base}/sign-in${back}`)
}

/** The account of a user who may press buttons; counts the request with those of the API. @throws HttpError */
async function actorOf(call: Call): Promise<AccountScope | Response> {
  const { service, request } = call
  await ownForm(call)
  const visitor = await visitorOf(request, service)
  if (visitor instanceof Response) return visitor
  if (visitor === undefined || visitor.read_only === true)
    throw forbidden('Sign in first; then press the button again.')
  await service.requests.action(visitor.by)
  return service.engine.account(visitor.account_id, { actor: visitor.actor })
}

async function acknowledge(call: Call): Promise<Answer | Response> {
  const scope = await actorOf(call)
  if (scope instanceof Response) return scope
  const { monitor } = await scope.incidents.acknowledge(Number(call.params[0]))
  return seeOther(`${call.service.base}/monitors/${monitor.id}`)
}

async function act(call: Call): Promise<Answer | Response> {
  const scope = await actorOf(call)
  if (scope instanceof Response) return scope
  const { service, params } = call
  const { monitors } = scope
  const [id = '', action] = params
  if (action === 'check') {
    await service.requests.check({ account_id: scope.account_id, id: Number(id) })
    await monitors.queueCheck(Number(id))
  }
  if (action === 'pause') await monitors.pause(Number(id))
  if (action === 'resume') await monitors.resume(Number(id))
  return seeOther(`${service.base}/monitors/${Number(id)}`)
}

/** 401 and 403 end an EventSource permanently; the page then says that it is no longer live. */
async function listen(call: Call): Promise<Answer | Response> {
  const { service, request, url } = call
  // 204 stops an EventSource from reconnecting; the session cannot be verified any more.
  if (service.live.stopped) return { status: 204 }
  const visitor = await visitorOf(request, service)
  if (visitor === undefined || visitor instanceof Response) return { status: 401 }
  await service.requests.view(visitor.by)
  if (request.method === 'HEAD') return { status: 200 }
  const { account_id } = visitor
  const scope = service.engine.account(account_id)
  const asked = idList(url.searchParams, 'monitors', LISTENED)
  const own = await Promise.all(asked.map((id) => isOwn(scope, id)))
  const shown = new Set(asked.filter((_, at) => own[at]))
  const all = oneOf(url.searchParams, 'all', ['1']) === '1'
  return service.live.listen({
    audience: {
      kind: 'account',
      id: account_id,
      session: visitor.session ? cookieOf(request, SESSION_COOKIE) : undefined,
      client: clientFor(request, service.clientOf),
    },
    admitted: () => isStillOf(account_id, call),
    states: all ? await everyId({ scope, clock: service.clock }) : shown,
    rounds: shown,
    ...(all ? { joins: (id) => isOwn(scope, id) } : {}),
  })
}

async function isStillOf(account_id: number, { request, service }: Call): Promise<boolean> {
  const visitor = await visitorOf(request, service)
  return visitor !== undefined && 'account_id' in visitor && visitor.account_id === account_id
}

function isOwn(scope: AccountScope, id: number): Promise<boolean> {
  return scope.monitors.get(id).then(
    () => true,
    () => false,
  )
}

async function everyId(reading: Reading): Promise<ReadonlySet<number>> {
  const { monitors } = await collectMonitors(reading)
  return new Set(monitors.map(({ id }) => id))
}
