/**
 * Queries RDAP servers for one name (RFC 9082, 3.1.3; RFC 7480 for the meaning of status codes).
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import type { HttpExchange } from '../../net/net.ts'
import { VERSION } from '../../version.ts'
import { askInTurn, isFinal } from './asking.ts'
import type { Asked, Asking } from './asking.ts'
import { parseDate } from './dates.ts'
import { readRdapObject } from './rdap-object.ts'
import type { Answer, Sourced } from './registration.ts'

/**
 * An object with all its entities has about ten KiB; the limit is what can be parsed in one turn.
 */
const BODY_LIMIT_BYTES = 256 * 1024

/** From the registry to the server that has the object, and to its new URL. */
const MAX_REDIRECTS = 4

/** A longer `Retry-After` is capped: it is a mistake. */
const MAX_HOLD_MS = 24 * 60 * 60_000

/** Queries the servers of a registry in order until one answers; `undefined` if there are none. */
export async function askRdap(
  asking: Asking,
  bases: readonly string[],
  name: string,
): Promise<Sourced | undefined> {
  let last: Sourced | undefined
  for (const base of bases) {
    const server = new URL(base).host
    const ask = (): Promise<Asked> => query(asking, base, name)
    const answer = await askInTurn(asking, { source: 'rdap', server, ask }, 0.5)
    last = { ...answer, source: 'rdap', server }
    if (isFinal(answer)) break
  }
  return last
}

export function jsonOf({ body_cut, body }: HttpExchange): unknown {
  if (body_cut) throw new CheckFailure('too_long', 'The answer is too long')
  try {
    // JSON is UTF-8 (RFC 8259, 8.1), whatever the header says; a byte order mark may be ignored.
    return JSON.parse(new TextDecoder().decode(body))
  } catch (cause) {
    throw new CheckFailure('protocol_error', 'The answer is no JSON', { cause })
  }
}

export const USER_AGENT = ['User-Agent', `watchpost/${VERSION}`] as const

async function query({ ctx }: Asking, base: string, name: string): Promise<Asked> {
  const exchange = await ctx.net.http({
    url: `${base}domain/${name}`,
    headers: [['Accept', 'application/rdap+json, application/json;q=0.9'], USER_AGENT],
    redirects: MAX_REDIRECTS,
    bodyLimit: BODY_LIMIT_BYTES,
  })
  // Another server, which the registry redirects to, must not keep all others from the registry.
  const isOfRegistry = new URL(exchange.final_url).host === new URL(base).host
  if (exchange.status === 429 && isOfRegistry) return limited(exchange, ctx.clock.now())
  if (exchange.status === 404 && isRdapRefusal(exchange)) return { answer: { state: 'free' } }
  if (exchange.status !== 200) {
    throw new CheckFailure('http_status', `HTTP status ${exchange.status}`)
  }
  return { answer: answerOf(exchange, name) }
}

function answerOf(exchange: HttpExchange, name: string): Answer {
  const problem = (what: string): Answer => ({
    state: 'unanswered',
    cause_code: 'probe_rdap_unparsed',
    cause_text: `The registry answered with ${what}`,
  })
  let object: unknown
  try {
    object = jsonOf(exchange)
  } catch (error) {
    return problem(error instanceof CheckFailure ? 'what is no RDAP' : String(error))
  }
  const read = readRdapObject(object, name)
  if ('problem' in read) return problem(read.problem)
  const { registration } = read
  if (registration.expires_at !== null || registration.statuses.length > 0) {
    return { state: 'registered', registration }
  }
  return {
    state: 'unanswered',
    cause_code: 'probe_expiry_unpublished',
    cause_text: 'The record has neither the date of the end nor a status',
  }
}

/** A 404 of an ordinary web server does not mean that the name is unregistered. */
function isRdapRefusal({ headers, body }: HttpExchange): boolean {
  return body.length === 0 || !/\bhtml\b/i.test(headers['content-type'] ?? '')
}

function limited({ headers }: HttpExchange, now: number): Asked {
  return {
    answer: {
      state: 'unanswered',
      cause_code: 'probe_rate_limited',
      cause_text: 'The registry answers no more for the time being (429)',
    },
    ...holdOf(headers['retry-after'], now),
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function holdOf(text: string | undefined, now: number): Pick<Asked, 'hold_ms'> {
  if (text === undefined) return {}
  const date = parseDate(text)
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : date === undefined ? NaN : date - now
  return Number.isNaN(ms) ? {} : { hold_ms: Math.min(Math.max(ms, 1000), MAX_HOLD_MS) }
}
