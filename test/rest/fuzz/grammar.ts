/**
 * Valid requests: every operation of the OpenAPI document, every type by its table of fields. What the
 * document gains is asked for here without a change.
 */

import fc from 'fast-check'
import type { Engine } from '../../../src/engine/api/engine.ts'
import type { FieldInfo, FieldTable } from '../../../src/fields/field.ts'
import { place } from './live.ts'
import { maintenance } from './maintenance.ts'
import { publicPage, statusReport } from './public-pages.ts'
import type { Shot } from './shot.ts'

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

export interface DocumentedOperation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: unknown
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, unknown>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: {
    readonly type?: string
    readonly enum?: readonly string[]
    readonly minimum?: number
    readonly maximum?: number
  }
}

interface Subject {
  readonly document: Document
  readonly types: ReturnType<Engine['types']['tables']>
  readonly key: string
}

/** A valid request, as far as a grammar without knowledge of the checkers can make one. */
export function validShots({ document, types, key }: Subject): fc.Arbitrary<Shot> {
  const bodies = bodiesOf(types)
  const shots = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      weight: weightOf(path, method, operation.requestBody !== undefined),
      arbitrary: shotOf({
        ...{ path, method, operation, key },
        body: ownBody(path) ?? bodies[method],
      }),
    })),
  )
  return fc.oneof(...shots)
}

/** A monitor is made in one of many types, and most attempts at one have a setting that the type refuses. */
function weightOf(path: string, method: string, hasBody: boolean): number {
  if (path === '/api/v1/monitors' && method === 'post') return 100
  return !hasBody || /^\/hb|\/bulk$/.test(path) ? 2 : 25
}

/** Of the paths whose bodies are no monitor. */
function ownBody(path: string): fc.Arbitrary<Body> | undefined {
  if (path.endsWith('/bulk')) return bulk
  if (path.includes('/status-reports')) return statusReport(path)
  if (path.includes('/public-pages')) return publicPage(path.endsWith('}'))
  return path.includes('/maintenance') ? maintenance(path.endsWith('}')) : undefined
}

interface Told {
  readonly path: string
  readonly method: string
  readonly operation: DocumentedOperation
  readonly key: string
  readonly body: fc.Arbitrary<Body> | undefined
}

interface Body {
  /** The type of monitor it is made for. */
  readonly type?: string
  readonly json: Readonly<Record<string, unknown>>
}

/** HEAD is documented wherever GET is, but for heartbeats, where it is no signal. */
function verbsOf(method: string, path: string): readonly string[] {
  const verb = method.toUpperCase()
  return verb === 'GET' && !path.startsWith('/hb') ? [verb, 'HEAD'] : [verb]
}

function shotOf({ path, method, operation, key, body }: Told): fc.Arbitrary<Shot> {
  const { parameters = [], requestBody, security } = operation
  const query = parameters.filter((one) => one.in === 'query')
  const isMonitor = requestBody !== undefined && !path.startsWith('/hb')
  return fc
    .record({
      query: fewOf(query, 4).chain((some) => fc.tuple(...some.map(parameter))),
      body: isMonitor && body !== undefined ? body : fc.constant(undefined),
      signal: fc.constantFrom('start', 'fail', 'log', '0', '1', '255'),
      verb: fc.constantFrom(...verbsOf(method, path)),
      extra: headersOf(parameters),
    })
    .map(({ query: pairs, body: sent, signal, verb, extra }) => ({
      method: isMonitor ? method.toUpperCase() : verb,
      path: placed(path, sent?.type).replace('{signal}', signal),
      query: pairs,
      headers: [
        ['Host', 'localhost'],
        ...(security?.length === 0 ? [] : [['Authorization', `Bearer ${key}`] as const]),
        ...(sent === undefined ? [] : [['Content-Type', 'application/json'] as const]),
        ...extra,
      ],
      ...(sent === undefined ? {} : { body: { json: sent.json } }),
      damage: [],
    }))
}

/** `/monitors/{id}` asks for a monitor that is there, of the wanted type where the body belongs to one. */
function placed(path: string, type: string | undefined): string {
  return path
    .replace(/\/(\w+)s\/\{id\}/, (_all, kind: string) => `/${kind}s/${place(kind, type)}`)
    .replace('/maintenance/{id}', `/maintenance/${place('maintenance')}`)
    .replace('/public-pages/{id}', `/public-pages/${place('page')}`)
    .replace('/status-reports/{id}', `/status-reports/${place('report')}`)
    .replace('{token}', place('token'))
}

function parameter({ name, schema }: Parameter): fc.Arbitrary<string> {
  return valueOfParameter(name, schema).map((value) => `${name}=${value}`)
}

/** Parameters whose values a schema cannot tell. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  status: ['up', 'down,paused', 'pending', 'unknown'],
  type: ['http', 'tcp,heartbeat'],
  tag: ['shop', 'shop,%C3%A4'],
  q: ['a', 'example', '%F0%9F%98%80'],
  cause_code: ['connect_refused'],
  from: ['1767225600', '2026-01-01', '2026-01-01T10:00:00%2B02:00'],
  to: ['4102444800', '2099-01-01T00:00:00.000Z'],
  cursor: [place('cursor')],
  location_id: [place('location')],
  monitor_id: [place('monitor')],
  contact_id: [place('contact')],
  incident_id: ['1'],
}

function valueOfParameter(name: string, schema: Parameter['schema']): fc.Arbitrary<string> {
  const known = PARAMETERS[name] ?? schema.enum
  if (known !== undefined) return fc.constantFrom(...known)
  const { minimum: min = 1, maximum: max = 1000 } = schema
  if (schema.type === 'integer') return fc.integer({ min, max }).map(String)
  return fc.constantFrom('a', 'b1')
}

/** The headers that the operation heeds, each now and then. */
function headersOf(parameters: readonly Parameter[]): fc.Arbitrary<[string, string][]> {
  const names = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
  const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
    // Few, so that they are repeated and what is kept for them stays small.
    'Idempotency-Key': fc.integer({ min: 1, max: 40 }).map((n) => `order-${n}`),
    'If-Match': fc.constantFrom('*', place('etag')),
    'If-None-Match': fc.constantFrom('*', place('etag'), '"x"'),
  }
  const one = (name: string): fc.Arbitrary<[string, string]> =>
    (values[name] ?? fc.constant('a')).map((value) => [name, value])
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.tuple(...names.map(one)) },
  )
}

function bodiesOf(types: Subject['types']): Readonly<Record<string, fc.Arbitrary<Body>>> {
  const tables = [...types].map(([type, { fields, common }]) => {
    const { location_ids: _l, contact_ids: _c, contact_delay: _d, ...free } = common
    return { type, fields, common: free as FieldTable }
  })
  const create = tables.map(({ type, fields, common }) =>
    fc
      .tuple(settings(common, 3), settings(fields, 3), links)
      .map(([own, special, link]) => ({ type, json: { type, ...own, ...special, ...link } })),
  )
  const patch = tables.map(({ type, fields, common }) =>
    settings({ ...common, ...fields }, 3, false).map((json) => ({ type, json })),
  )
  return { post: fc.oneof(...create), patch: fc.oneof(...patch) }
}

/** What leaves the monitors to the other requests: few are removed, the rest is counted only. */
const bulk: fc.Arbitrary<Body> = fc
  .tuple(
    fc.constantFrom(
      { action: 'pause' },
      { action: 'resume' },
      { action: 'tag', add_tags: ['shop'], remove_tags: ['a'] },
      { action: 'remove', dry_run: true },
    ),
    fc.constantFrom({ ids: [1] }, { all: true }, { tag: ['shop'] }, { q: 'a' }),
  )
  .map(([action, filter]) => ({ json: { ...action, filter } }))

const links = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ contact_ids: [1], contact_delay: { 1: 5 } }) },
  { weight: 1, arbitrary: fc.constant({ location_ids: [1, 2], confirm_locations: 1 }) },
)

/** The required fields and a few others. */
function settings(
  table: FieldTable,
  few: number,
  complete = true,
): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(table)
  const required = complete ? names.filter((name) => table[name]?.presence === 'required') : []
  const others = names.filter((name) => !required.includes(name))
  return fewOf(others, few).chain((some) =>
    fc.record(
      Object.fromEntries(
        [...required, ...some].flatMap((name) => {
          const info = table[name]?.info
          return info === undefined ? [] : [[name, valueOf(info)]]
        }),
      ),
    ),
  )
}

/** Values of formats: what the words of the table mean. */
const FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  url: ['http://127.0.0.1/', 'https://shop.example/a?b=c#d', 'https://münchen.example:8443/'],
  host: ['127.0.0.1', 'shop.example', '[::1]', 'MÜNCHEN.example'],
  port: [1, 80, 65_535],
  regex: ['a+', '/^ok$/i'],
  status_ranges: ['200-299', '200,301-302', 204],
  patterns: ['\\d+ views', 'a\nb'],
  escaped: ['PING\\r\\n', 'a'],
  dns_name: ['shop.example', '_dmarc.shop.example'],
  name_servers: ['192.0.2.53', 'tls://dns.example.net'],
  days: [[14], [30, 7, 1], 14, '14,7'],
  domain: ['example.com', 'münchen.de'],
  target: ['192.0.2.1', 'mail.example.com'],
  delays: [{}],
}

const letter = fc.constantFrom('a', 'Z', '0', ' ', '-', '.', '<', '&', '"', 'ä', '漢', '😀')

function valueOf({
  kind,
  format,
  enum: words,
  min,
  max,
  fields,
  example,
}: FieldInfo): fc.Arbitrary<unknown> {
  if (fields !== undefined) return settings(fields, 2)
  const known = FORMATS[format ?? ''] ?? words
  if (known !== undefined) return fc.constantFrom(...known)
  if (kind === 'boolean') return fc.boolean()
  if (kind === 'integer') return fc.integer({ min: min ?? 0, max: max ?? 1000 })
  if (kind === 'number') return fc.double({ min: min ?? 0, max: max ?? 1e6, noNaN: true })
  if (kind === 'array') return fc.constantFrom<unknown>([], ['a'], ['a', 'b'], example ?? [])
  if (kind === 'object') return fc.constantFrom({}, { 'X-A': 'b', Authorization: 'c' })
  return fc
    .array(letter, { minLength: Math.max(1, min ?? 1), maxLength: 12 })
    .map((all) => all.join(''))
}

function fewOf<T>(items: T[], few: number): fc.Arbitrary<T[]> {
  return fc.subarray(items, { maxLength: Math.min(few, items.length) })
}
