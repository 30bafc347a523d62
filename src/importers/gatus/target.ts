/**
 * What an endpoint of Gatus asks, by the scheme of its address.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { hostAndPort, noteExtraType, oauthFrom, withoutLogin } from '../imported.ts'
import type { Taking } from '../taking.ts'

export interface Target {
  readonly settings: JsonObject & { readonly type: string }
  readonly host: string
  /** Where TLS is spoken from the first byte. */
  readonly tls_port: number | undefined
}

type Note = (what: string) => void

export function targetOf(from: Taking, note: Note): Target | undefined {
  const url = from.text('url')
  if (url === undefined) {
    note('not imported: it has no url')
    return undefined
  }
  const dns = from.object('dns')
  const query = dns.text('query-name')
  if (query !== undefined) return question(url, query, dns.text('query-type'))
  const [, scheme = '', rest = ''] = /^([a-z0-9+.-]+):\/\/(.*)$/i.exec(url) ?? []
  const make = Object.hasOwn(SCHEMES, scheme.toLowerCase())
    ? SCHEMES[scheme.toLowerCase()]
    : undefined
  const target = make?.({ url, from, note, ...hostAndPort(rest.replace(/[/?#].*/s, '')) })
  if (make === undefined)
    note(`not imported: ${scheme === '' ? withoutLogin(url) : `${scheme}://`} has no counterpart`)
  else if (target === undefined) note('not imported: its address has no port')
  return target
}

interface Asked {
  readonly url: string
  readonly host: string
  readonly port: number | undefined
  readonly from: Taking
  readonly note: Note
}

const SCHEMES: Readonly<Record<string, (asked: Asked) => Target | undefined>> = {
  http: request,
  https: request,
  tcp: ({ host, port }) => stream(host, port, false),
  tls: ({ host, port, note, from }) => {
    if (from.object('client').flag('insecure') === true)
      note('client.insecure: the certificate is verified')
    return stream(host, port, true)
  },
  ws: websocket,
  wss: websocket,
  icmp: ({ host }) => ({ settings: { type: 'ping', host }, host, tls_port: undefined }),
  starttls: ({ host, port }) => ({
    settings: { type: 'smtp', host, tls: 'starttls', ...(port === undefined ? {} : { port }) },
    host,
    tls_port: undefined,
  }),
}

function stream(host: string, port: number | undefined, tls: boolean): Target | undefined {
  if (port === undefined) return undefined
  const settings = { type: 'tcp', host, port, ...(tls ? { tls } : {}) }
  return { settings, host, tls_port: tls ? port : undefined }
}

/** Gatus sends its body as a message and takes the next one as the answer; without one it only connects. */
function websocket({ url, host, port, from, note }: Asked): Target {
  noteExtraType('websocket', note)
  const [send, headers] = [from.text('body'), from.value('headers')]
  const settings = {
    type: 'websocket',
    url,
    ...(send === undefined ? { ping: false } : { send, message_regex: '.' }),
    ...(headers === undefined || headers === null ? {} : { headers }),
    ...(from.object('client').flag('insecure') === true ? { ignore_tls_errors: true } : {}),
  }
  return { settings, host, tls_port: /^wss:/i.test(url) ? (port ?? 443) : undefined }
}

function question(server: string, query: string, type: string | undefined): Target {
  const nameserver = server.replace(/^[a-z]+:\/\//i, '')
  const settings = {
    type: 'dns',
    dns_name: query.replace(/\.$/, ''),
    nameserver,
    ...(type === undefined ? {} : { rrtype: type.toUpperCase() }),
  }
  return { settings, host: query.replace(/\.$/, ''), tls_port: undefined }
}

function request({ url, host, port, from, note }: Asked): Target {
  const client = from.object('client')
  const method = from.text('method') ?? 'GET'
  const body = from.text('body')
  const graphql = from.flag('graphql') === true
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  if (body !== undefined && !hasBody) note(`the body: a ${method} request has none`)
  const headers = from.value('headers')
  const settings = {
    type: 'http',
    url,
    method: graphql && body !== undefined ? 'POST' : method,
    ...(hasBody || (graphql && body !== undefined)
      ? { body: graphql ? JSON.stringify({ query: body }) : body }
      : {}),
    ...(headers === undefined || headers === null ? {} : { headers }),
    ...(client.flag('insecure') === true ? { ignore_tls_errors: true } : {}),
    ...(client.flag('ignore-redirect') === true ? { follow_redirects: false } : {}),
    ...oauthOf(client.object('oauth2')),
    // Without a condition on it Gatus does not look at the status.
    expected_status: '100-599',
  }
  const tls_port = /^https:/i.test(url) ? (port ?? 443) : undefined
  return { settings, host, tls_port }
}

function oauthOf(from: Taking): JsonObject {
  const scopes = from.texts('scopes')
  return oauthFrom({
    token_url: from.text('token-url'),
    client_id: from.text('client-id'),
    client_secret: from.text('client-secret'),
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
  })
}
