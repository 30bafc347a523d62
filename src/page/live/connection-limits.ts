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

export interface LiveLimits {
  readonly perAccount: number
  readonly perPublicPage: number
  readonly perSession: number
  readonly perClient: number
  readonly total: number
}

const DEFAULTS: LiveLimits = {
  perAccount: 50,
  perPublicPage: 200,
  perSession: 10,
  perClient: 25,
  total: 500,
}

/** A name with the value `undefined` counts as absent. */
export function liveLimitsOf(given: Partial<LiveLimits>): LiveLimits {
  const names = Object.keys(DEFAULTS) as (keyof LiveLimits)[]
  const limits = names.map((name) => [name, given[name] ?? DEFAULTS[name]] as const)
  return Object.fromEntries(limits) as Record<keyof LiveLimits, number>
}

export function isWithinLimits(
  wanted: Audience,
  taken: Iterable<Audience>,
  limits: LiveLimits,
): boolean {
  const { kind, id, session, client } = wanted
  let [all, beside, ofSession, ofClient] = [0, 0, 0, 0]
  for (const each of taken) {
    all++
    if (each.kind === kind && each.id === id) beside++
    if (session !== undefined && each.session === session) ofSession++
    if (client !== undefined && each.client === client) ofClient++
  }
  return (
    all < limits.total &&
    beside < (kind === 'account' ? limits.perAccount : limits.perPublicPage) &&
    ofSession < limits.perSession &&
    ofClient < limits.perClient
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
