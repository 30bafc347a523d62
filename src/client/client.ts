/**
 * A typed client of the REST API, on any runtime with `fetch`.
 *
 * @module
 */

import type { AnyChecker } from '../checkers/checker.ts'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { BulkView } from '../engine/api/bulk.ts'
import type { SignalInput, VersionOptions } from '../engine/api/engine.ts'
import { ConfigurationError, ValidationError } from '../errors.ts'
import type { MonitorView } from '../engine/api/views.ts'
import type { BuiltinChecker } from '../monitors/define.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import type { Client, CreateOptions } from './api.ts'
import { call } from './call.ts'
import type { Call, Caller, CallOptions } from './call.ts'
import { listOf, queryText } from './lists.ts'
import type { List } from './lists.ts'
import { canParseUrl } from '../model/url.ts'

export interface ClientOptions {
  /**
   * The address of the service: `https://watch.example.com`, with the path before `/api/v1` if
   * there is one.
   */
  readonly url: string
  readonly apiKey: string
  /** Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Time of one attempt, response included; default 30000. */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum retries of a failed call; default 2, at most 100. Only requests that are safe to repeat
   * are retried.
   */
  readonly retries?: number | undefined
  readonly clock?: Clock | undefined
}

type Ask = <T>(
  asked: Omit<Call, 'repeatable' | 'signal'> & { readonly repeatable?: boolean },
  options: CallOptions | undefined,
) => Promise<T>

/**
 * Typed for the built-in checkers. With checkers of your own: `createClient<BuiltinChecker |
 * ReturnType<typeof mine>>(…)`. Every call rejects with an `ApiError`.
 *
 * @throws ConfigurationError for an invalid address
 */
export function createClient<C extends AnyChecker = BuiltinChecker>(
  options: ClientOptions,
): Client<C> {
  const caller = callerOf(options)
  const ask: Ask = (asked, asking) =>
    call(caller, {
      repeatable: asked.method === 'GET',
      ...asked,
      signal: asking?.signal,
    })
  const read = async <T>(path: string, name: string, asking?: CallOptions): Promise<T> =>
    member(await ask({ method: 'GET', path }, asking), name)
  const client: Client = {
    me: (asking) => read('/me', 'me', asking),
    balance: (asking) => read('/balance', 'balance', asking),
    types: (asking) => ask({ method: 'GET', path: '/types' }, asking),
    monitors: monitorsOf(caller, { ask, read }),
    results: {
      list: listOf(caller, ({ monitor_id, ...query }) => ({
        path: below('monitors', monitor_id, '/results'),
        name: 'results',
        query,
      })),
    },
    incidents: {
      list: listOf(caller, ({ monitor_id, ...query }) => ({
        path: monitor_id === undefined ? '/incidents' : below('monitors', monitor_id, '/incidents'),
        name: 'incidents',
        query,
      })),
      get: async (id, asking) => read(below('incidents', id), 'incident', asking),
      acknowledge: async (id, asking) =>
        member(await ask(again(below('incidents', id, '/acknowledge')), asking), 'incident'),
    },
    notifications: {
      list: listOf(caller, (query) => ({ path: '/notifications', name: 'notifications', query })),
      get: async (id, asking) => read(below('notifications', id), 'notification', asking),
      resend: async (id, asking) =>
        member(
          await ask(once(below('notifications', id, '/resend'), asking), asking),
          'notification',
        ),
    },
    maintenance: {
      ...versionedOf(caller, { ask, read }, { group: 'maintenance', one: 'maintenance' }),
      upcoming: async ({ days, monitor_id, limit, ...asking } = {}) =>
        read(
          `/maintenance/upcoming${queryText({ days, monitor_id, limit })}`,
          'occurrences',
          asking,
        ),
    },
    statusReports: {
      ...versionedOf(caller, { ask, read }, { group: 'status-reports', one: 'status_report' }),
      addUpdate: async (id, body, asking) => {
        const path = below('status-reports', id, '/updates')
        return member(await ask({ ...once(path, asking), body }, asking), 'status_report')
      },
    },
    publicPages: versionedOf(caller, { ask, read }, { group: 'public-pages', one: 'public_page' }),
    contacts: {
      ...versionedOf(caller, { ask, read }, { group: 'contacts', one: 'contact' }),
      list: (asking) => read('/contacts', 'contacts', asking),
      preview: async (id, event = 'down', asking) =>
        read(below('contacts', id, `/preview${queryText({ event })}`), 'preview', asking),
      test: async (id, asking) =>
        member(await ask(once(below('contacts', id, '/test'), asking), asking), 'notification'),
    },
    auditLog: {
      list: listOf(caller, (query) => ({ path: '/audit-log', name: 'entries', query })),
    },
    locations: { list: (asking) => read('/locations', 'locations', asking) },
    signal: (token, signal, asking) =>
      call(
        { ...caller, url: caller.url.replace(/\/api\/v1$/, ''), headers: {} },
        {
          method: 'POST',
          path: signalPath(token, signal),
          text: signal?.message,
          repeatable: false,
          signal: asking?.signal,
        },
      ),
  }
  return client as unknown as Client<C>
}

interface Asking {
  readonly ask: Ask
  readonly read: <T>(path: string, name: string, options?: CallOptions) => Promise<T>
}

interface BulkAnswer {
  readonly bulk: Omit<BulkView, 'next'>
  readonly next_cursor: string | null
}

function monitorsOf(caller: Caller, { ask, read }: Asking): Client['monitors'] {
  return {
    list: listOf(caller, (query) => ({ path: '/monitors', name: 'monitors', query })),
    create: async (body, asking) =>
      warned(await ask({ ...once('/monitors', asking), body }, asking)),
    get: async (id, asking) => read(below('monitors', id), 'monitor', asking),
    async update(id, body, asking) {
      const headers = ifMatch(asking)
      const path = below('monitors', id)
      return warned(await ask({ method: 'PATCH', path, body, headers }, asking))
    },
    async remove(id, asking) {
      const path = below('monitors', id)
      await ask({ method: 'DELETE', path, headers: ifMatch(asking) }, asking)
    },
    pause: async (id, asking) =>
      member(await ask(once(below('monitors', id, '/pause'), asking), asking), 'monitor'),
    resume: async (id, asking) =>
      member(await ask(once(below('monitors', id, '/resume'), asking), asking), 'monitor'),
    check: async (id, asking) => ask(once(below('monitors', id, '/check?wait=1'), asking), asking),
    async queueCheck(id, asking) {
      await ask(once(below('monitors', id, '/check'), asking), asking)
    },
    async bulk(body, asking) {
      const asked = { ...once('/monitors/bulk', asking), body }
      const { bulk, next_cursor } = await ask<BulkAnswer>(asked, asking)
      return { ...bulk, next: next_cursor }
    },
    status: async (id, asking) => read(below('monitors', id, '/status'), 'status', asking),
    uptime: async (id, { days, ...asking } = {}) =>
      read(below('monitors', id, `/uptime${queryText({ days })}`), 'uptime', asking),
    hours: async (id, { from, to, step_hours, ...asking } = {}) =>
      read(below('monitors', id, `/hours${queryText({ from, to, step_hours })}`), 'hours', asking),
  }
}

interface Named {
  /** Of the path; the member of a list, with underscores. */
  readonly group: string
  /** The member of an answer. */
  readonly one: string
}

/** What is listed, created, shown, changed in a version and removed. */
function versionedOf<View extends { readonly id: number }, Filter extends object>(
  caller: Caller,
  { ask, read }: Asking,
  { group, one }: Named,
): Versioned<View, Filter> {
  const at = (id: number): string => below(group, id)
  const name = group.replaceAll('-', '_')
  return {
    list: listOf(caller, (query) => ({ path: `/${group}`, name, query })),
    create: async (body, asking) =>
      member(await ask({ ...once(`/${group}`, asking), body }, asking), one),
    get: async (id, asking) => read(at(id), one, asking),
    async update(id, body, asking) {
      const headers = ifMatch(asking)
      return member(await ask({ method: 'PATCH', path: at(id), body, headers }, asking), one)
    },
    async remove(id, asking) {
      await ask({ method: 'DELETE', path: at(id), headers: ifMatch(asking) }, asking)
    },
  }
}

interface Versioned<View, Filter extends object> {
  readonly list: List<View, Filter>
  create(input: object, options?: CreateOptions): Promise<View>
  get(id: number, options?: CallOptions): Promise<View>
  update(id: number, patch: object, options?: CallOptions & VersionOptions): Promise<View>
  remove(id: number, options?: CallOptions & VersionOptions): Promise<void>
}

/**
 * The path of one object and its subresources. The id is validated: `1/pause` or `../me` from user
 * input would address another request with the key.
 *
 * @throws ValidationError
 */
function below(group: string, id: number, rest = ''): string {
  if (/^\d{1,16}$/.test(String(id))) return `/${group}/${id}${rest}`
  throw new ValidationError({ id: 'invalid: a whole number is expected' })
}

/** A request that takes effect once, however often it is sent. */
function once(
  path: string,
  options: (CreateOptions & VersionOptions) | undefined,
): Omit<Call, 'signal'> {
  const key = options?.idempotencyKey ?? globalThis.crypto.randomUUID()
  return {
    method: 'POST',
    path,
    headers: { 'Idempotency-Key': key, ...ifMatch(options) },
    repeatable: true,
  }
}

/** An idempotent request. */
function again(path: string): Omit<Call, 'signal'> {
  return { method: 'POST', path, repeatable: true }
}

function ifMatch(options: VersionOptions | undefined): Record<string, string> {
  return options?.version === undefined ? {} : { 'If-Match': `"${options.version}"` }
}

/** A monitor with its warnings, as the engine returns it. */
function warned(answer: unknown): MonitorView {
  const { monitor, warnings = [] } = answer as Pick<MonitorView, 'warnings'> & {
    readonly monitor: MonitorView
  }
  return warnings.length === 0 ? monitor : { ...monitor, warnings }
}

function member<T>(answer: unknown, name: string): T {
  return (answer as Record<string, unknown>)[name] as T
}

function signalPath(token: string, signal: SignalInput | undefined): string {
  const { kind = 'success', exit_code, run_id, duration_ms } = signal ?? {}
  const suffix = exit_code ?? (kind === 'success' ? undefined : kind)
  const end = suffix === undefined ? '' : `/${encodeURIComponent(suffix)}`
  const query = queryText({ rid: run_id, duration_ms })
  return `/hb/${encodeURIComponent(token)}${end}${query}`
}

const OPTIONS: OptionTable<ClientOptions> = {
  url: option.text,
  apiKey: option.text,
  fetch: option.callback,
  timeoutMs: option.milliseconds(1),
  retries: option.wholeNumber(0, 100),
  clock: option.clock,
}

function callerOf(options: ClientOptions): Caller {
  checkOptions('createClient', options, OPTIONS)
  const { url, clock = systemClock, timeoutMs = 30_000, retries = 2 } = options
  // Files end with a line break that is not part of the key.
  const key = options.apiKey.trim()
  if (!isAddress(url))
    throw new ConfigurationError('createClient needs the address of the API, https://…')
  // The error of `fetch` would repeat an invalid key.
  if (!/^[\x20-\x7e\xa0-\xff]+$/.test(key)) {
    throw new ConfigurationError('createClient: apiKey: a key is one line of printable characters')
  }
  return {
    url: `${url.replace(/(?<!\/)\/+$/, '')}/api/v1`,
    headers: { Authorization: `Bearer ${key}` },
    // Read at each call: tests and instrumentation may replace it.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock,
    timeoutMs,
    retries,
  }
}

/** No credentials, since errors show the address; and a path can be appended. */
function isAddress(text: string): boolean {
  const url = canParseUrl(text) ? new URL(text) : undefined
  const plain = url !== undefined && url.username + url.password === '' && !/[?#]/.test(text)
  return plain && /^https?:$/.test(url.protocol)
}
