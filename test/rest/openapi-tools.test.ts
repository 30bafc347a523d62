/** The OpenAPI document in the hands of programs that are not ours: a linter, and a generator of clients. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import createClient from 'openapi-fetch'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { memoryStore } from '../../src/store/memory.ts'

const KEY = 'key-of-a-generated-client'

const engine = createEngine({ store: memoryStore(), checkers: builtinCheckers({ extra: true }) })
const server = createServer(toNodeHandler(createRest(engine)))
let url = ''
let source = ''

beforeAll(async () => {
  await engine.keys.create({ key: KEY })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // The compiler holds the loop for seconds: a kept connection would be used after the server has closed it.
  const headers = { Connection: 'close' }
  source = await (await fetch(`${url}/api/v1/openapi.json`, { headers })).text()
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await engine.stop()
})

/** What a user of the generated types writes. */
const USAGE = `
import type createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

export async function use(create: typeof createClient, baseUrl: string, key: string) {
  const api = create<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } })
  const made = await api.POST('/api/v1/monitors', {
    body: { type: 'tcp', name: 'Shop', host: 'shop.example', port: 443, tags: ['a'] },
    params: { header: { 'Idempotency-Key': 'once' } },
  })
  if (made.data === undefined) throw new Error(made.error.error)
  const { id, state } = made.data.monitor
  await api.PATCH('/api/v1/monitors/{id}', { params: { path: { id } }, body: { name: 'Store' } })
  const list = await api.GET('/api/v1/monitors', { params: { query: { type: 'tcp', limit: 10 } } })
  const names = list.data?.monitors.map(({ name }) => name)
  const uptime = await api.GET('/api/v1/monitors/{id}/uptime', { params: { path: { id }, query: { days: 7 } } })
  const overall: number | null | undefined = uptime.data?.uptime.overall
  const site: components['schemas']['MonitorCreate.http'] = {
    type: 'http', url: 'https://shop.example/', headers: { 'X-A': 'b' }, location_ids: [1], tags: ['a'],
    maintenance: [{ at: '03:00', duration_min: 30 }], contact_delay: { '1': 5 },
  }
  // @ts-expect-error A location is known by its number.
  const nowhere: typeof site = { ...site, location_ids: ['local'] }
  const refused = await api.POST('/api/v1/monitors', { body: { type: 'tcp', name: 'x', host: 'x.example', port: 70000 } })
  const gone = await api.DELETE('/api/v1/monitors/{id}', { params: { path: { id } } })
  const input = { type: 'tcp', name: 'x', host: 'x' } as const
  // @ts-expect-error The port is missing, and the compiler says so.
  const without: components['schemas']['MonitorCreate'] = input
  return { state, names, overall, fields: refused.error?.fields, deleted: gone.data?.deleted.id === id }
}
`

describe('the OpenAPI document', () => {
  it('is without fault to a linter at its strictest', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // It is the API of whoever mounts it; under which licence is not ours to say.
      rules: { 'info-license': 'off' },
    })
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    const told = problems.map(({ ruleId, location: [where] }) => `${ruleId} ${where?.pointer}`)
    // The document itself needs no key and has no parameter: it is refused to nobody.
    const self = '#/paths/~1api~1v1~1openapi.json/get/responses'
    expect(told).toEqual([`operation-4xx-response ${self}`])
  })

  it('makes a client that compiles, and works', async () => {
    const api = astToString(
      await openapiTS(JSON.parse(source) as never, { defaultNonNullable: false }),
    )
    const { problems, emitted } = compile(USAGE, api)
    expect(problems).toEqual([])
    const module = `data:text/javascript,${encodeURIComponent(emitted)}`
    const { use } = (await import(/* @vite-ignore */ module)) as {
      use: (create: typeof createClient, url: string, key: string) => Promise<unknown>
    }
    expect(await use(createClient, url, KEY)).toEqual({
      state: 'pending',
      names: ['Store'],
      overall: null,
      fields: { port: 'out_of_range: 1..65535' },
      deleted: true,
    })
  })
})

/** Checks and emits `use.ts` beside the generated `api.ts`, both only in memory. */
function compile(use: string, api: string): { problems: string[]; emitted: string } {
  const place = (name: string): string => join(root, 'test/rest', name)
  const files = new Map([
    [place('use.ts'), use],
    [place('api.ts'), api],
  ])
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    rewriteRelativeImportExtensions: true,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.readFile = (path) => files.get(path) ?? readFile(path)
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path)
    return text === undefined
      ? getSourceFile(path, ...rest)
      : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  }
  let emitted = ''
  const program = ts.createProgram([place('use.ts')], options, host)
  program.emit(program.getSourceFile(place('use.ts')), (_, text) => void (emitted = text))
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  return { problems, emitted }
}
