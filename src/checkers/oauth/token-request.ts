/**
 * One request of a token by client credentials (RFC 6749, 4.4.2), and its answer.
 *
 * @module
 */

import { formEncoded } from '../../secrets/forms.ts'
import { isJsonObject } from '../../model/json.ts'
import { toFailure } from '../../net/explain.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { OAuthCause } from '../../net/failure.ts'
import type { HttpExchange, HttpRequest } from '../../net/net.ts'
import type { Proxy } from '../../net/proxy/proxy.ts'
import { USER_AGENT } from '../http/request-fields.ts'
import type { CheckContext } from '../checker.ts'
import type { ClientCredentials } from './fields.ts'

/** What is asked for, and the way to the token endpoint. */
export interface Grant extends ClientCredentials {
  readonly proxy?: Proxy | undefined
}

export interface GrantedToken {
  readonly token: string
  /** `null` where the server does not say. */
  readonly expires_in_ms: number | null
}

/** A token has a few KiB at most: the headers of a request are limited to 8 to 16 KiB by most servers. */
const MAX_TOKEN_CHARACTERS = 8192
const BODY_LIMIT_BYTES = 64 * 1024

/** @throws CheckFailure an {@link OAuthCause}; of the proxy, the guard or this machine another one */
export async function requestToken(
  { net, signal }: Pick<CheckContext, 'net' | 'signal'>,
  grant: Grant,
): Promise<GrantedToken> {
  const { host } = new URL(grant.token_url)
  try {
    return tokenIn(await net.http(requestOf(grant)), host)
  } catch (error) {
    throw signal.aborted ? error : endpointFailure(error, host)
  }
}

function requestOf(grant: Grant): HttpRequest {
  const { token_url, client_id, client_secret, scope, audience, auth_method, proxy } = grant
  const inBody = auth_method === 'client_secret_post'
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
    ...(inBody ? { client_id, client_secret } : {}),
  })
  return {
    aside: true,
    url: token_url,
    method: 'POST',
    headers: [
      ['User-Agent', USER_AGENT],
      ['Accept', 'application/json'],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: form.toString(),
    // Encoded as in a form before it is packed (RFC 6749, 2.3.1).
    ...(inBody ? {} : { auth: { user: formEncoded(client_id), pass: formEncoded(client_secret) } }),
    proxy,
    redirects: 0,
    bodyLimit: BODY_LIMIT_BYTES,
  }
}

function tokenIn(exchange: HttpExchange, host: string): GrantedToken {
  const { status, body_cut } = exchange
  const wrong = (what: string): CheckFailure =>
    failure('oauth_protocol_error', `The token endpoint ${host} answers with ${what}`)
  if (status >= 300 && status < 400)
    throw wrong(`a redirect (status ${status}), which is not followed`)
  const answer = body_cut ? undefined : objectIn(exchange)
  const refusal = refusalIn(answer, status)
  if (refusal !== undefined)
    throw failure(
      'oauth_refused',
      `The token endpoint ${host} refuses the client credentials: ${refusal}`,
    )
  if (status < 200 || status > 299) throw wrong(`status ${status}`)
  if (body_cut) throw wrong(`more than ${BODY_LIMIT_BYTES} bytes`)
  if (answer === undefined) throw wrong('what is no JSON object')
  const { access_token: token, token_type = 'Bearer', expires_in } = answer
  if (typeof token !== 'string' || token === '') throw wrong('no access_token')
  if (token.length > MAX_TOKEN_CHARACTERS)
    throw wrong(`a token of more than ${MAX_TOKEN_CHARACTERS} characters`)
  // What cannot be sent in a header would end it, or be another one.
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrong('a token that is not visible ASCII')
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
    throw wrong('a token of another type than Bearer')
  return { token, expires_in_ms: durationOf(expires_in) }
}

/** Servers that are asked too often, or that fail, say so by codes as well (RFC 6749, 4.1.2.1). */
const OF_SERVER = ['temporarily_unavailable', 'server_error', 'slow_down']

/** Why no token was granted, where the server says so; some do with status 200. */
function refusalIn(
  answer: Readonly<Record<string, unknown>> | undefined,
  status: number,
): string | undefined {
  if (status >= 402 && status !== 403) return undefined
  const { error: code, access_token } = answer ?? {}
  const isCode = typeof code === 'string' && /^[\w.-]{1,64}$/.test(code)
  if (isCode && access_token === undefined)
    return OF_SERVER.includes(code) ? undefined : `${code} (status ${status})`
  return status === 401 ? 'status 401' : undefined
}

function objectIn({ body }: HttpExchange): Readonly<Record<string, unknown>> | undefined {
  try {
    // JSON is UTF-8 (RFC 8259, 8.1), whatever the header says.
    const answer: unknown = JSON.parse(body.toString('utf8'))
    return isJsonObject(answer) ? answer : undefined
  } catch {
    return undefined
  }
}

/** Seconds, by some servers as a text. */
function durationOf(seconds: unknown): number | null {
  const isText = typeof seconds === 'string' && /^\d{1,15}$/.test(seconds)
  const given = isText ? Number(seconds) : seconds
  return typeof given === 'number' && Number.isFinite(given) ? Math.max(0, given * 1000) : null
}

/** The proxy has causes of its own, and so have the guard and this machine. */
const OTHERS = /^(?:probe_|internal_error$|connect_blocked$|proxy_(?:unreachable|auth|refused)$)/
const OF_ANSWER = /^(?:http_|too_long$|protocol_error$)/

function endpointFailure(error: unknown, host: string): CheckFailure {
  const cause = toFailure(error, { phase: 'oauth', target: host })
  const { code, message } = cause
  if (code.startsWith('oauth_')) return cause
  const text = `The token endpoint ${host}: ${message}`
  if (OTHERS.test(code)) return new CheckFailure(code, text, { phase: 'oauth', cause })
  return failure(OF_ANSWER.test(code) ? 'oauth_protocol_error' : 'oauth_unreachable', text, cause)
}

function failure(code: OAuthCause, text: string, cause?: unknown): CheckFailure {
  return new CheckFailure(code, text, { phase: 'oauth', cause })
}
