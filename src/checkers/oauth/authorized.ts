/**
 * An exchange with a token of client credentials.
 *
 * @module
 */

import type { Settings } from '../../fields/field.ts'
import type { HeaderPair } from '../../net/http/headers.ts'
import { isSameParty } from '../../net/http/redirect.ts'
import type { HttpExchange } from '../../net/net.ts'
import { MASK } from '../../secrets/redaction.ts'
import type { CheckContext } from '../checker.ts'
import { proxyOf } from '../http/request-fields.ts'
import type { proxyFields } from '../http/request-fields.ts'
import type { ClientCredentials, oauthField } from './fields.ts'
import type { Grant } from './token-request.ts'
import { createTokens } from './tokens.ts'

/** Of the checks of one engine, whatever their types. */
const TOKENS = Symbol('oauth tokens')

type Authorized = Settings<typeof proxyFields & { readonly oauth: typeof oauthField }> & {
  readonly url: string
}

interface Sending {
  /** Sends the request with these headers added. */
  readonly send: (authorization: readonly HeaderPair[]) => Promise<HttpExchange>
  /** 401 is an answer like any other. Default `false`. */
  readonly expects401?: boolean
}

/**
 * The exchange with the kept token of `oauth`, or with a new one; where it is not set, without. Once, where the target
 * answers a kept one with 401, it is repeated with a new one: the authorization server may have revoked it.
 *
 * @throws CheckFailure of a token that cannot be had, and those of `send`
 */
export function authorized(
  ctx: CheckContext,
  settings: Authorized,
  { send, expects401 = false }: Sending,
): Promise<HttpExchange> {
  const { url, oauth } = settings
  if (oauth === undefined) return send([])
  // The fields that it needs are required together.
  const grant = { ...(oauth as ClientCredentials), proxy: proxyOf(settings) }
  return withToken(ctx, { url, grant, send, expects401 })
}

interface Granted extends Required<Sending> {
  readonly url: string
  readonly grant: Grant
}

async function withToken(
  ctx: CheckContext,
  { url, grant, send, expects401 }: Granted,
): Promise<HttpExchange> {
  const tokens = ctx.shared(TOKENS, createTokens)
  const bearing = (token: string): Promise<HttpExchange> => {
    ctx.conceal(token)
    return send([['Authorization', `Bearer ${token}`]])
  }
  const kept = tokens.kept(ctx, grant)
  const token = kept ?? (await ctx.phase('oauth', () => tokens.get(ctx, grant)))
  const exchange = await bearing(token)
  const { origin } = new URL(url)
  // Another origin that a redirect leads to has not got the token.
  const isRefused =
    exchange.status === 401 && isSameParty(new URL(url), new URL(exchange.final_url))
  if (kept === undefined || !isRefused || expects401) return exchange
  const fresh = await ctx.phase('oauth', () => tokens.renew(ctx, grant, { token, origin }))
  if (fresh === undefined) return exchange
  const repeated = await bearing(fresh)
  if (repeated.status === 401) tokens.giveUp(ctx, grant, origin)
  return repeated
}

/** What is looked for: `String.indexOf` is linear for words up to this length, however hostile the text. */
const HEAD_CHARACTERS = 200

/**
 * The text without the token in `authorization`, also where only its beginning is repeated. What is remembered of a
 * page must not hold it, and a new token is no change of the page.
 */
export function withoutToken(text: string, authorization: readonly HeaderPair[]): string {
  const token = authorization[0]?.[1].replace(/^Bearer /, '') ?? ''
  if (token === '') return text
  const head = token.slice(0, HEAD_CHARACTERS)
  let left = ''
  let from = 0
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, from)) {
    left += text.slice(from, at) + MASK
    from = at + head.length
    while (from < at + token.length && text[from] === token[from - at]) from++
  }
  return left + text.slice(from)
}
