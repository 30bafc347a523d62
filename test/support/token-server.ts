/**
 * An authorization server: grants `token-1`, `token-2`, … for client credentials, and an API that takes the last one.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '../../src/model.ts'
import { serve } from './http-exchange.ts'
import type { TestServer } from './http-exchange.ts'

export interface TokenRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface TokenServer extends AsyncDisposable {
  readonly url: string
  readonly server: TestServer
  /** Every request of a token, in order. */
  readonly asked: readonly TokenRequest[]
  /** The last token. */
  readonly token: string
  /** Merged over the next answers. */
  answer: JsonObject
  /** Answers in place of the server. */
  reply: ((response: ServerResponse, request: TokenRequest) => void) | undefined
}

export async function tokenServer(tls?: {
  readonly chain: string
  readonly key: string
}): Promise<TokenServer> {
  const asked: TokenRequest[] = []
  const server = await serve((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const { method, url, headers } = request
      asked.push({ method, url, headers, body })
      const token = {
        access_token: `token-${asked.length}`,
        token_type: 'Bearer',
        expires_in: 3600,
      }
      if (own.reply !== undefined) own.reply(response, { method, url, headers, body })
      else response.end(JSON.stringify({ ...token, ...own.answer }))
    })
  }, tls)
  const own: TokenServer = {
    url: `${server.origin}/token`,
    server,
    asked,
    get token() {
      return `token-${asked.length}`
    },
    answer: {},
    reply: undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return own
}

export interface Api extends TestServer {
  /** The Authorization header of each request. */
  readonly seen: readonly (string | undefined)[]
}

/** Answers 200 to whoever has `token()`, else 401. */
export async function api(token: () => string, page = '{"cpu":1,"ram":1,"disk":1}'): Promise<Api> {
  const seen: (string | undefined)[] = []
  const server = await serve((request, response) => {
    const { authorization } = request.headers
    seen.push(authorization)
    const isRight = authorization === `Bearer ${token()}`
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end(page)
  })
  return Object.assign(server, { seen })
}
