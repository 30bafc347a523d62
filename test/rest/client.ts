/** A client of the API that also holds every JSON answer against the OpenAPI document. */

import { expect } from 'vitest'
import { createRest } from '../../src/rest/index.ts'
import type { Rest, RestOptions } from '../../src/rest/index.ts'
import { departures } from './schema-check.ts'
import { KEY, service } from './service.ts'
import type { Service } from './service.ts'

export const tcpMonitor = { type: 'tcp', name: 'Shop', host: 'shop.example', port: 443 }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
  readonly body: any
}

interface Asked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `null` for none. */
  readonly key?: string | null
}

export interface Client extends Service {
  readonly rest: Rest
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** Makes a monitor and returns its id. */
  create(body?: object): Promise<number>
}

export function client(
  options: Omit<RestOptions, 'clock'> = {},
  within?: Parameters<typeof service>[0],
): Client {
  const made = service(within)
  const { engine, clock, ready } = made
  const mounted = createRest(engine, { rateLimit: false, logger: false, ...options, clock })
  const rest: Rest = {
    owns: mounted.owns,
    fetch: async (request) => {
      await ready
      return mounted.fetch(request)
    },
  }
  let document: Promise<Document> | undefined
  const ask: Client['ask'] = async (method, path, asked = {}) => {
    const answer = await answerOf(rest.fetch(requestTo(method, path, asked)))
    if (options.basePath === undefined && isDescribed(path, answer)) {
      expectDocumented(await (document ??= documentOf(rest)), { method, path, answer })
    }
    return answer
  }
  const create = async (body: object = tcpMonitor): Promise<number> =>
    Number((await ask('POST', '/api/v1/monitors', { body })).body.monitor.id)
  return { ...made, rest, ask, create }
}

export const idsOf = (items: readonly { readonly id: number }[]): number[] =>
  items.map(({ id }) => id)

export function requestTo(method: string, path: string, asked: Asked = {}): Request {
  const { body, key = KEY } = asked
  const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined
  return new Request(new URL(path, 'http://localhost'), {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(raw ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  })
}

async function answerOf(pending: Promise<Response>): Promise<Answer> {
  const response = await pending
  const { status, headers } = response
  const text = await response.text()
  const json = headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return { status, headers, text, body: json ? JSON.parse(text) : undefined }
}

const isDescribed = (path: string, { body }: Answer): boolean =>
  body !== undefined && !path.includes('openapi.json')

async function documentOf(rest: Rest): Promise<Document> {
  return (await rest.fetch(requestTo('GET', '/api/v1/openapi.json'))).json() as Promise<Document>
}

function expectDocumented(
  document: Document,
  told: { readonly method: string; readonly path: string; readonly answer: Answer },
): void {
  const { method, path, answer } = told
  const { paths } = document
  const pathname = path.split('?')[0] ?? ''
  const known = Object.keys(paths).find((pattern) =>
    new RegExp(`^${pattern.replace(/\{id\}/g, '\\d+').replace(/\{\w+\}/g, '[^/]+')}$`).test(
      pathname,
    ),
  )
  const operation = known === undefined ? undefined : paths[known]?.[method.toLowerCase()]
  const documented = operation?.responses[answer.status]
  const error = { $ref: '#/components/schemas/Error' }
  if (operation !== undefined && documented === undefined) {
    throw new Error(`${method} ${String(known)} answers ${answer.status}, which is not documented`)
  }
  const schema = documented?.content['application/json'].schema ?? error
  expect(departures(answer.body, schema, document)).toEqual([])
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: { readonly 'application/json': { readonly schema: unknown } } }
    >
  >
}
