/**
 * The routes of the public pages.
 *
 * @module
 */

import type { EngineEvents } from '../../engine/api/events.ts'
import { htmlAnswer } from '../http/answer.ts'
import { FIRST_ACCOUNT } from '../../model.ts'
import { documentOf } from '../layout/frame.ts'
import { clientFor } from '../live/connection-limits.ts'
import type { Route, Service } from '../http/call.ts'
import { cachedFor, spokenFor } from './cached.ts'
import { chosenMonitors, publicFacts, scopeOf } from './public-facts.ts'
import type { PublicStatus } from './public-facts.ts'
import { publicPage, saidOf } from './public-page.ts'

/** A state change is visible at once, everything else at most this late. */
const KEPT_MS = 2000

export function publicRoutes(service: Service, pages: readonly PublicStatus[]): readonly Route[] {
  const [first] = pages
  if (first === undefined) return []
  const lead: Route = {
    method: 'GET',
    pattern: /^\/status\/?$/,
    answer: () => ({ status: 302, headers: { Location: `${service.base}/status/${first.slug}` } }),
  }
  return [lead, ...pages.flatMap((page) => routesOf(service, page))]
}

function routesOf(service: Service, page: PublicStatus): readonly Route[] {
  const { engine, clock, base, live } = service
  const path = `/status/${page.slug}`
  const scope = scopeOf(engine, page)
  const { account_id = FIRST_ACCOUNT } = page
  const kept = { clock, ms: KEPT_MS }
  let shown: ReadonlySet<number> | undefined
  // Cached with its markup, which takes longer to render than its data to read.
  const drawn = spokenFor(async (language) => {
    const monitors = await chosenMonitors(engine, page)
    shown = new Set(monitors.map(({ id }) => id))
    const facts = await publicFacts(scope, page, {
      ...{ engine, account_id, clock, groups: [{ name: '', monitors }] },
    })
    return { main: await publicPage(facts, clock, language), said: saidOf(facts) }
  }, kept)
  const chosen = cachedFor(() => chosenMonitors(engine, page), kept)
  // A visitor who receives an event fetches the page again, and must not get a cached one from before it.
  const forget = (
    change: Pick<EngineEvents['state'], 'account_id'> & {
      readonly monitor: { readonly id: number }
    },
  ): void => {
    if (change.account_id !== account_id) return
    if (shown === undefined || shown.has(change.monitor.id)) drawn.forget()
  }
  engine.on('state', forget)
  engine.on('starved', forget)
  return [
    {
      method: 'GET',
      pattern: new RegExp(`^${path}$`),
      async answer({ frame }) {
        const { main, said } = await drawn.get(frame.language)
        const sheet = {
          title: page.title,
          masthead: page.title,
          main,
          said,
          events: `${base}${path}/events`,
        }
        return htmlAnswer(documentOf({ ...frame, brand: page.title }, sheet), frame)
      },
    },
    {
      method: 'GET',
      pattern: new RegExp(`^${path}/events$`),
      async answer({ request }) {
        if (request.method === 'HEAD') return { status: 200 }
        const monitors = await chosen.get()
        return live.listen({
          audience: {
            kind: 'public',
            id: page.slug,
            client: clientFor(request, service.clientOf),
          },
          states: new Set(monitors.map(({ id }) => id)),
          // Visitors learn nothing of a monitor that has left the page meanwhile.
          stays: async (id) => (await chosen.get()).some((monitor) => monitor.id === id),
          rounds: new Set(),
        })
      },
    },
  ]
}
