/**
 * How many may listen at the same time: in all, per account or public page, and of these one session and
 * one client, so that nobody holds the places of all others.
 *
 * @module
 */

import { clientAddress, neighbourhoodOf } from '../../net/peer/client-address.ts'

/** Who listens; each account and each public page has its own number of places. */
export interface Audience {
  readonly kind: 'account' | 'public'
  readonly id: number | string
  /** The session, where one signed in here. */
  readonly session?: string | undefined
  /** The client, where it is known. */
  readonly client?: string | undefined
}

export interface Places {
  readonly perAccount: number
  readonly perPublicPage: number
  readonly perSession: number
  readonly perClient: number
  readonly total: number
}

const PLACES: Places = {
  perAccount: 50,
  perPublicPage: 200,
  perSession: 10,
  perClient: 25,
  total: 500,
}

/** A name with `undefined` is absent. */
export function placesOf(given: Partial<Places>): Places {
  const names = Object.keys(PLACES) as (keyof Places)[]
  const places = names.map((name) => [name, given[name] ?? PLACES[name]] as const)
  return Object.fromEntries(places) as Record<keyof Places, number>
}

export function hasPlace(wanted: Audience, taken: Iterable<Audience>, places: Places): boolean {
  const { kind, id, session, client } = wanted
  let [all, beside, ofSession, ofClient] = [0, 0, 0, 0]
  for (const each of taken) {
    all++
    if (each.kind === kind && each.id === id) beside++
    if (session !== undefined && each.session === session) ofSession++
    if (client !== undefined && each.client === client) ofClient++
  }
  return (
    all < places.total &&
    beside < (kind === 'account' ? places.perAccount : places.perPublicPage) &&
    ofSession < places.perSession &&
    ofClient < places.perClient
  )
}

/**
 * Whom a connection is counted with; `undefined` where nobody knows. From this machine comes a proxy that was not
 * named, and everybody behind it.
 */
export function clientFor(
  request: Request,
  clientOf: (request: Request) => string,
): string | undefined {
  const client = clientOf(request) || clientAddress(request)
  return client === undefined || LOOPBACK.test(client) ? undefined : neighbourhoodOf(client)
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/
