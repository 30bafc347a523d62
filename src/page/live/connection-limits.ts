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

/** A connection that is open. */
interface Connected {
  readonly audience: Audience
}

/** A place for one more connection; `ends` is the one that gives its place to it. */
export interface Place<T> {
  readonly ends: T | undefined
}

/**
 * A place within every limit, or `undefined`. Where all places are taken, the account or page with the most
 * connections gives up its oldest one, as long as it keeps at least as many as the one that asks gets.
 */
export function placeFor<T extends Connected>(
  wanted: Audience,
  taken: Iterable<T>,
  limits: LiveLimits,
): Place<T> | undefined {
  const { kind, id, session, client } = wanted
  const byAudience = new Map<string, T[]>()
  let [all, ofSession, ofClient] = [0, 0, 0]
  for (const each of taken) {
    const { audience } = each
    all++
    if (session !== undefined && audience.session === session) ofSession++
    if (client !== undefined && audience.client === client) ofClient++
    const key = keyOf(audience)
    const known = byAudience.get(key)
    if (known === undefined) byAudience.set(key, [each])
    else known.push(each)
  }
  const own = byAudience.get(keyOf({ kind, id }))?.length ?? 0
  const ownLimit = kind === 'account' ? limits.perAccount : limits.perPublicPage
  if (own >= ownLimit || ofSession >= limits.perSession || ofClient >= limits.perClient)
    return undefined
  if (all < limits.total) return { ends: undefined }
  let most: readonly T[] = []
  for (const each of byAudience.values()) if (each.length > most.length) most = each
  return most.length > own + 1 ? { ends: most[0] } : undefined
}

function keyOf({ kind, id }: Pick<Audience, 'kind' | 'id'>): string {
  return `${kind} ${id}`
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
