/**
 * Limits of concurrent live connections: in total, per account or public page, and within these per session and per
 * client, so that one client cannot use up the connections of all others.
 *
 * @module
 */

import { clientAddress, neighbourhoodOf } from '../../net/peer/client-address.ts'

/** Who is connected; an account, a public page of the host and all public pages of an account have a limit each. */
export interface Audience {
  readonly kind: 'account' | 'public'
  readonly id: number | string
  /** The session, if signed in by the page. */
  readonly session?: string | undefined
  /** The client, if known. */
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

/** A name with the value `undefined` counts as absent. */
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
 * The client for which a connection is counted; `undefined` if unknown. A connection from localhost is a proxy that
 * was not configured as trusted, and may represent many clients.
 */
export function clientFor(
  request: Request,
  clientOf: (request: Request) => string,
): string | undefined {
  const client = clientOf(request) || clientAddress(request)
  return client === undefined || LOOPBACK.test(client) ? undefined : neighbourhoodOf(client)
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/
