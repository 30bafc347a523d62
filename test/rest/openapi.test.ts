import { describe, expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { wholeBody } from '../../src/access/whole-body.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { routes } from '../../src/rest/routes.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { client, requestTo, tcpMonitor } from './client.ts'
import { listen } from './hosts.ts'
import { departures, resolve } from './schema-check.ts'

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: unknown
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, unknown>>
}

async function load(): Promise<Document> {
  const { status, body } = await client().ask('GET', '/api/v1/openapi.json', { key: null })
  expect(status).toBe(200)
  return body as Document
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )

/** Section 4 of the specification. */
const SPECIFIED = [
  'GET /api/v1/me',
  'GET /api/v1/monitors',
  'POST /api/v1/monitors',
  'GET /api/v1/monitors/{id}',
  'PATCH /api/v1/monitors/{id}',
  'DELETE /api/v1/monitors/{id}',
  'POST /api/v1/monitors/{id}/pause',
  'POST /api/v1/monitors/{id}/resume',
  'POST /api/v1/monitors/{id}/check',
  'GET /api/v1/monitors/{id}/status',
  'GET /api/v1/monitors/{id}/results',
  'GET /api/v1/monitors/{id}/uptime',
  'GET /api/v1/monitors/{id}/incidents',
  'GET /api/v1/incidents',
  'GET /api/v1/locations',
  'GET /api/v1/contacts',
  'GET /api/v1/balance',
  'GET /api/v1/types',
  'GET /hb/{token}',
]

const BESIDE_THE_TABLE = [
  'GET /api/v1/openapi.json',
  'GET /hb/{token}',
  'POST /hb/{token}',
  'GET /hb/{token}/{signal}',
  'POST /hb/{token}/{signal}',
]

describe('the OpenAPI document', () => {
  it('is there without a key', async () => {
    expect((await load()).openapi).toBe('3.1.0')
  })

  it('holds every route of the specification', async () => {
    const held = operationsOf(await load()).map(
      ({ path, method }) => `${method.toUpperCase()} ${path}`,
    )
    expect(SPECIFIED.filter((route) => !held.includes(route))).toEqual([])
  })

  it('holds every route of the table, and the table every route of it', async () => {
    const held = operationsOf(await load()).map(
      ({ path, method }) => `${method.toUpperCase()} ${path}`,
    )
    const table = routes.map(({ method, path }) => `${method} ${path.replace(':id', '{id}')}`)
    expect(held.sort()).toEqual([...table, ...BESIDE_THE_TABLE].sort())
  })

  it('names every operation once', async () => {
    const names = operationsOf(await load()).map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has no reference that leads nowhere', async () => {
    const document = await load()
    const references = [...JSON.stringify(document).matchAll(/"(#\/components\/[^"]+)"/g)]
    const lost = references.filter(
      ([, reference = '']) => resolve(document, reference) === undefined,
    )
    expect(references.length).toBeGreaterThan(50)
    expect(lost.map(([, reference]) => reference)).toEqual([])
  })

  it('declares every parameter of a path', async () => {
    for (const { path, operation } of operationsOf(await load())) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = (operation.parameters ?? []).filter((one) => one.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(wanted)
    }
  })

  it('tells of all query parameters of the table', async () => {
    const { paths } = await load()
    for (const { method, path, operation } of routes) {
      const described = paths[path.replace(':id', '{id}')]?.[method.toLowerCase()]
      const names = described?.parameters
        ?.filter((one) => one.in === 'query')
        .map(({ name }) => name)
      expect(names).toEqual(Object.keys(operation.query))
    }
  })

  it('has an example that is an error of ours, for every refusal', async () => {
    const document = await load()
    const refusals = operationsOf(document).flatMap(({ operation }) =>
      Object.entries(operation.responses).filter(([status]) => Number(status) >= 400),
    ) as [string, { content: { 'application/json': { example: unknown; schema: unknown } } }][]
    for (const [, { content }] of refusals) {
      const { example, schema } = content['application/json']
      expect(departures(example, schema, document)).toEqual([])
    }
    expect(new Set(refusals.map(([status]) => status)).size).toBe(14)
  })

  it.each([
    [tcpMonitor, true],
    [{ type: 'heartbeat', name: 'Backup' }, true],
    [{ ...tcpMonitor, port: 70_000 }, false],
    [{ ...tcpMonitor, grace_sec: 1 }, false],
    [{ type: 'tcp', name: 'Shop' }, false],
    [{ ...tcpMonitor, type: 'telnet' }, false],
  ])('judges a new monitor %j as the API does', async (monitor, good) => {
    const document = await load()
    const schema = { $ref: '#/components/schemas/MonitorCreate' }
    expect(departures(monitor, schema, document).length === 0).toBe(good)
    const { status } = await client().ask('POST', '/api/v1/monitors', { body: monitor })
    expect(status === 201).toBe(good)
  })

  it.each([
    [{ name: 'Store' }, true],
    [{ interval_sec: null }, true],
    [{ port: 0 }, false],
  ])('judges a change %j as the API does', async (change, good) => {
    const document = await load()
    const schema = { $ref: '#/components/schemas/MonitorUpdate' }
    expect(departures(change, schema, document).length === 0).toBe(good)
    const { ask, create } = client()
    const { status } = await ask('PATCH', `/api/v1/monitors/${await create()}`, { body: change })
    expect(status === 200).toBe(good)
  })

  it('describes every built-in type by its own fields', async () => {
    const engine = createEngine({
      store: memoryStore(),
      checkers: builtinCheckers({ extra: true }),
    })
    const { fetch } = createRest(engine)
    const document = await (await fetch(requestTo('GET', '/api/v1/openapi.json'))).json()
    for (const [type, { fields, common }] of engine.types.tables()) {
      const schema = resolve(document, `#/components/schemas/MonitorCreate.${type}`) as {
        properties: object
      }
      const named = Object.keys(schema.properties).sort()
      expect(named).toEqual(['type', ...Object.keys(common), ...Object.keys(fields)].sort())
    }
    const create = { $ref: '#/components/schemas/MonitorCreate' }
    const monitor = { type: 'http', name: 'Shop', url: 'https://example.com', auth: { user: 'a' } }
    expect(departures(monitor, create, document)).toEqual([])
    expect(departures({ ...monitor, url: 7 }, create, document)).not.toEqual([])
  })

  it('is not sent again to who has it', async () => {
    const { ask } = client()
    const first = await ask('GET', '/api/v1/openapi.json', { key: null })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{16}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('GET', '/api/v1/openapi.json', {
        key: null,
        headers: { 'If-None-Match': known },
      })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      expect(again.headers.get('cache-control')).toBe('no-cache')
    }
    const other = await ask('GET', '/api/v1/openapi.json', { headers: { 'If-None-Match': '"x"' } })
    expect([other.status, other.text]).toEqual([200, first.text])
  })

  it('is made once, and the same bytes leave a Node server for everybody', async () => {
    const { rest } = client()
    const bytes: unknown[] = []
    const noting: typeof rest = {
      ...rest,
      fetch: async (request) => {
        const response = await rest.fetch(request)
        bytes.push(wholeBody(response))
        return response
      },
    }
    const host = await listen(toNodeHandler(noting))
    const texts = await Promise.all(
      [1, 2, 3].map(async () => (await host.fetch('/api/v1/openapi.json')).text()),
    )
    await host.close()
    expect(new Set(bytes).size).toBe(1)
    expect(bytes[0]).toBeInstanceOf(Uint8Array)
    expect(new Set(texts)).toEqual(new Set([Buffer.from(bytes[0] as Uint8Array).toString()]))
  })

  it('cannot be changed through what is read of it', async () => {
    const { rest } = client()
    const read = async () =>
      new Uint8Array(
        await (await rest.fetch(requestTo('GET', '/api/v1/openapi.json'))).arrayBuffer(),
      )
    const first = await read()
    const [letter] = first
    first.fill(0)
    expect((await read())[0]).toBe(letter)
  })

  it('takes GET and HEAD only', async () => {
    const { ask } = client()
    expect((await ask('POST', '/api/v1/openapi.json')).status).toBe(405)
    expect((await ask('HEAD', '/api/v1/openapi.json')).text).toBe('')
  })

  it('is there with a slash behind it, as every other path is', async () => {
    expect((await client().ask('GET', '/api/v1/openapi.json/', { key: null })).status).toBe(200)
  })
})
