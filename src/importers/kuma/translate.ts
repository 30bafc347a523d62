/**
 * Translates the types of Uptime Kuma's monitors.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { hostAndPort, noteExtraType, oauthFrom } from '../imported.ts'
import type { Taking } from '../taking.ts'
import { canParseUrl } from '../../model/url.ts'

export interface Translated {
  readonly settings: JsonObject & { readonly type: string }
  /** Where its certificate can be seen. */
  readonly certificate?: { readonly host: string; readonly port: number }
}

type Note = (what: string) => void

/** `undefined`, with a note, if there is no such type here, or something required is missing. */
export function translate(from: Taking, note: Note): Translated | undefined {
  const type = from.text('type') ?? ''
  const translator = Object.hasOwn(TRANSLATORS, type) ? TRANSLATORS[type] : undefined
  const translated = translator?.(from, note)
  if (translator === undefined)
    note(
      type === 'group'
        ? 'not imported: a group; its members have it as a tag'
        : `not imported: the type ${type || '(none)'} has no counterpart`,
    )
  else if (translated === undefined) note(`not imported: its address is missing or cannot be read`)
  return translated
}

const TRANSLATORS: Readonly<Record<string, (from: Taking, note: Note) => Translated | undefined>> =
  {
    http,
    keyword(from, note) {
      const word = from.text('keyword')
      const found = http(from, note)
      if (found === undefined || word === undefined) return found
      const field = from.flag('invertKeyword') === true ? 'keyword_absent' : 'keyword_present'
      return { ...found, settings: { ...found.settings, [field]: word } }
    },
    'json-query'(from, note) {
      note(
        `the condition on JSON (${from.text('jsonPath') ?? ''}): only status and headers are judged`,
      )
      return http(from, note)
    },
    port: (from) =>
      withHost(from, (host) => {
        const port = from.number('port')
        return port === undefined ? undefined : { type: 'tcp', host, port }
      }),
    ping: (from) => withHost(from, (host) => ({ type: 'ping', host })),
    dns: (from, note) =>
      withHost(from, (dns_name) => {
        const [server, port] = [from.text('dns_resolve_server'), from.number('port')]
        note('which records were found before: without "expected" any record will do')
        return {
          type: 'dns',
          dns_name,
          rrtype: from.text('dns_resolve_type') ?? 'A',
          nameserver:
            server === undefined || port === undefined || port === 53
              ? server
              : `${server}:${port}`,
        }
      }),
    push(from, note) {
      const retries = from.number('maxretries') ?? 0
      const grace_sec = Math.round(retries * (from.number('retryInterval') ?? 0))
      note('its address: the job has to call the new one (ping_url of the monitor)')
      return { settings: { type: 'heartbeat', ...(grace_sec > 0 ? { grace_sec } : {}) } }
    },
    mysql: (from) => database(from, 'mysql', from.text('radiusPassword')),
    postgres: (from) => database(from, 'postgres'),
    redis,
    'websocket-upgrade': websocket,
    smtp: (from) =>
      withHost(from, (host) => {
        const security = from.text('smtpSecurity')
        const tls =
          security === 'secure' ? 'implicit' : security === 'starttls' ? 'starttls' : 'none'
        return { type: 'smtp', host, port: from.number('port'), tls }
      }),
  }

/** `redis://user:password@host:port/database`, or `rediss://` with TLS. */
function redis(from: Taking, note: Note): Translated | undefined {
  const text = from.text('databaseConnectionString')
  if (text === undefined || !canParseUrl(text)) return undefined
  const { protocol, host, username, password } = new URL(text)
  const target = hostAndPort(host)
  if (target.host === '' || !/^rediss?:$/.test(protocol)) return undefined
  noteExtraType('redis', note)
  const [user, pass] = [decoded(username), decoded(password)]
  return {
    settings: {
      type: 'redis',
      ...target,
      ...(protocol === 'rediss:' ? { tls: true } : {}),
      ...(from.flag('ignoreTls') === true ? { ignore_tls_errors: true } : {}),
      // Redis knows "default" where no user is named.
      ...(pass === '' ? {} : { pass, ...(user === '' ? {} : { user }) }),
    },
  }
}

/** Kuma is content once the WebSocket is open. */
function websocket(from: Taking, note: Note): Translated | undefined {
  const url = from.text('url')
  if (url === undefined || !canParseUrl(url)) return undefined
  noteExtraType('websocket', note)
  const subprotocols = (from.text('wsSubprotocol') ?? '')
    .split(/[\s,]+/)
    .filter((each) => each !== '')
  return {
    settings: {
      type: 'websocket',
      url,
      ping: false,
      ...(subprotocols.length > 0 ? { subprotocols } : {}),
      ...(from.flag('ignoreTls') === true ? { ignore_tls_errors: true } : {}),
      ...headersOf(from, note),
    },
  }
}

function http(from: Taking, note: Note): Translated | undefined {
  const url = from.text('url')
  if (url === undefined || !canParseUrl(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  const method = from.text('method') ?? 'GET'
  const redirects = from.number('maxredirects') ?? 10
  if (redirects !== 0 && redirects !== 10)
    note(`maxredirects of ${redirects}: up to 10 are followed`)
  const statuses = from.texts('accepted_statuscodes')
  const settings = {
    type: 'http',
    url,
    method,
    ...(statuses.length > 0 ? { expected_status: statuses.join(',') } : {}),
    ...(redirects === 0 ? { follow_redirects: false } : {}),
    ...(from.flag('ignoreTls') === true ? { ignore_tls_errors: true } : {}),
    ...bodyOf(from, method, note),
    ...headersOf(from, note),
    ...authOf(from, note),
  }
  if (protocol !== 'https:') return { settings }
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { settings, certificate: { host, port: port === '' ? 443 : Number(port) } }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
}

function bodyOf(from: Taking, method: string, note: Note): JsonObject {
  const body = from.text('body')
  if (body === undefined) return {}
  if (method === 'GET' || method === 'HEAD') {
    note(`the body: a ${method} request has none`)
    return {}
  }
  const content_type = CONTENT_TYPES[from.text('httpBodyEncoding') ?? 'json']
  return { body, ...(content_type === undefined ? {} : { content_type }) }
}

function headersOf(from: Taking, note: Note): JsonObject {
  const text = from.text('headers')
  if (text === undefined) return {}
  try {
    return { headers: JSON.parse(text) as JsonObject }
  } catch {
    note('headers: they are no JSON')
    return {}
  }
}

function authOf(from: Taking, note: Note): JsonObject {
  const method = from.text('authMethod')
  if (method === 'oauth2-cc') return oauthOf(from)
  const [user, pass] = [from.text('basic_auth_user'), from.text('basic_auth_pass')]
  if (method !== undefined && method !== 'basic') {
    note(`the login by ${method}: only a password and client credentials are known here`)
    return {}
  }
  return user === undefined ? {} : { auth: { user, ...(pass === undefined ? {} : { pass }) } }
}

function oauthOf(from: Taking): JsonObject {
  const auth_method = from.text('oauth_auth_method')
  return oauthFrom({
    token_url: from.text('oauth_token_url'),
    client_id: from.text('oauth_client_id'),
    client_secret: from.text('oauth_client_secret'),
    scope: from.text('oauth_scopes'),
    audience: from.text('oauth_audience'),
    auth_method: auth_method === 'client_secret_post' ? auth_method : undefined,
  })
}

function withHost(
  from: Taking,
  settingsOf: (host: string) => (JsonObject & { readonly type: string }) | undefined,
): Translated | undefined {
  const host = from.text('hostname')
  const settings = host === undefined ? undefined : settingsOf(host.trim())
  return settings === undefined ? undefined : { settings }
}

/** A connection string is a URL; user and password are percent-encoded in it. */
function database(from: Taking, type: string, password?: string): Translated | undefined {
  const text = from.text('databaseConnectionString')
  if (text === undefined || !canParseUrl(text)) return undefined
  const { host, username, password: own, pathname } = new URL(text)
  const target = hostAndPort(host)
  const user = decoded(username)
  if (target.host === '' || user === '') return undefined
  const [pass, name, query] = [
    password ?? (own === '' ? undefined : decoded(own)),
    decoded(pathname.slice(1)),
    from.text('databaseQuery'),
  ]
  return {
    settings: {
      type,
      host: target.host,
      user,
      ...(target.port === undefined ? {} : { port: target.port }),
      ...(pass === undefined ? {} : { pass }),
      ...(name === '' ? {} : { database: name }),
      ...(query === undefined ? {} : { query }),
    },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
