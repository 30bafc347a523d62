/** The REST API as its route table says it, with answers that the code gave. */

import { createEngine } from '../../src/engine/engine.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { Json, JsonObject } from '../../src/model.ts'
import { createRest } from '../../src/rest/fetch.ts'
import { isTagged } from '../../src/rest/openapi/document.ts'
import { contactRoutes, routes as always } from '../../src/rest/routes.ts'
import type { Route } from '../../src/rest/routes.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { block, code, table } from './markdown.ts'

const routes = [...always, ...contactRoutes]

export function routeTable(): string {
  return table(
    ['Method', 'Path', 'What it does', 'Status'],
    routes.map(({ method, path, operation }) => [
      method,
      code(path),
      operation.summary,
      Object.keys(operation.answers).join(', '),
    ]),
  )
}

/** Per route what the table has no room for: parameters, members of the answer. */
export function routeDetails(): string {
  return routes
    .map((route) => [`### ${route.method} ${route.path}`, ...details(route)].join('\n\n'))
    .join('\n\n')
}

function details({ method, path, operation }: Route): string[] {
  const { summary, description, query, answers } = operation
  const parameters = Object.entries(query).map(([name, { description: about, schema }]) => [
    code(name),
    valuesOf(schema),
    about,
  ])
  const answered = Object.entries(answers).map(
    ([status, members]) => `${status} with ${Object.keys(members).map(code).join(', ')}`,
  )
  const tagged = operation.versioned === true && isTagged(Object.values(answers)[0] ?? {})
  const marks = [
    ...(operation.versioned === true && path.includes(':id')
      ? [method === 'GET' ? '`If-None-Match`' : '`If-Match`']
      : []),
    ...(operation.repeatable === true ? ['`Idempotency-Key`'] : []),
  ]
  const notes = [
    ...(tagged ? ['Sends `ETag`.'] : []),
    ...(marks.length === 0 ? [] : [`Accepts ${marks.join(' and ')}.`]),
  ]
  return [
    `${summary}. ${description ?? ''}`.trim(),
    ...(parameters.length === 0 ? [] : [table(['Parameter', 'Value', 'Meaning'], parameters)]),
    [`Returns ${answered.join('; ')}.`, ...notes].join(' '),
  ]
}

function valuesOf(schema: JsonObject): string {
  const { type, enum: words, minimum, maximum, maxLength, default: fallback } = schema
  const bounds =
    minimum !== undefined && maximum !== undefined
      ? `${textOf(minimum)} to ${textOf(maximum)}`
      : maxLength !== undefined
        ? `at most ${textOf(maxLength)} characters`
        : ''
  const values = Array.isArray(words)
    ? words.map((word) => code(textOf(word as Json))).join(', ')
    : [textOf(type), bounds].filter((part) => part !== '').join(', ')
  return fallback === undefined ? values : `${values}; default ${code(textOf(fallback))}`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const KEY = 'key-of-the-example'

/** A short session: what a client sends, and what the API answers to it. */
export async function restSession(checkers: readonly AnyChecker[]): Promise<string> {
  const clock = simulatedClock({ now: Date.UTC(2026, 4, 4, 9, 0) })
  const engine = createEngine({ store: memoryStore({ clock }), checkers, clock })
  await engine.keys.create({ name: 'example', key: KEY })
  const rest = createRest(engine, { clock })
  const ask = async (status: number, line: string, body?: JsonObject): Promise<string> => {
    const [method = '', path = ''] = line.split(' ')
    const response = await rest.fetch(
      new Request(`https://watch.example.com${path}`, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          'x-request-id': 'example',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    if (response.status !== status) throw new Error(`${line}: ${response.status}`)
    const sent = body === undefined ? line : `${line}\n\n${JSON.stringify(body, undefined, 2)}`
    const answer = JSON.stringify(await response.json(), undefined, 2)
    return [block('http', sent), `${response.status}:`, block('json', answer)].join('\n\n')
  }
  const parts = [
    await ask(201, 'POST /api/v1/monitors', {
      type: 'http',
      name: 'Shop',
      url: 'https://shop.example.com/',
      expected_status: '200-299',
      keyword_present: 'Welcome',
      tags: ['shop'],
    }),
    await ask(200, 'GET /api/v1/monitors?tag=shop&limit=1'),
    await ask(422, 'PATCH /api/v1/monitors/1', { interval_sec: 5, colour: 'red' }),
    await ask(404, 'GET /api/v1/monitors/2'),
  ]
  await engine.stop()
  return parts.join('\n\n')
}
