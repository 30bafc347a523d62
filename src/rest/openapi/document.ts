/**
 * OpenAPI 3.1, generated from the route table and the field tables.
 *
 * @module
 */

import type { Engine } from '../../engine/api/engine.ts'
import type { JsonObject } from '../../model.ts'
import { AUDIT_VIEWS } from '../audit-log.ts'
import { MONITOR_BULK } from '../bulk.ts'
import { CONTACT_INPUTS } from '../contacts.ts'
import { MAINTENANCE_INPUTS } from '../maintenance.ts'
import { PUBLIC_PAGE_INPUTS } from '../public-pages.ts'
import { STATUS_REPORT_INPUTS } from '../status-reports.ts'
import type { Operation } from '../operation.ts'
import type { QueryTable } from '../query.ts'
import { rateHeaders } from '../rate-limit.ts'
import type { Route } from '../routes.ts'
import { errorSchema, REFUSALS, object, ref } from './schemas.ts'
import { HEARTBEAT_PATHS } from '../heartbeat.ts'
import { HOUR_VIEWS } from './hours.ts'
import type { Schema } from './schemas.ts'
import { VIEWS } from './views.ts'
import { jsonSchema } from '../../fields/describe.ts'

interface DocumentOptions {
  readonly routes: readonly Route[]
  readonly types: Engine['types']
  readonly base_path: string
}

export function openApiDocument({ routes, types, base_path }: DocumentOptions): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const item = (paths[path] ??= {})
    item[route.method.toLowerCase()] = describeOperation(route)
  }
  const bodies = new Set(routes.map(({ operation }) => operation.body))
  return {
    openapi: '3.1.0',
    info: {
      title: 'watchpost',
      version: '1',
      description: 'Monitors, results, incidents, notifications and reference lists.',
    },
    servers: [{ url: base_path === '' ? '/' : base_path }],
    security: [{ key: [] }],
    paths: { ...paths, ...HEARTBEAT_PATHS, ...SELF },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key' } },
      schemas: {
        ...VIEWS,
        ...AUDIT_VIEWS,
        ...HOUR_VIEWS,
        ...inputSchemas(types),
        MonitorBulk: MONITOR_BULK,
        ...MAINTENANCE_INPUTS,
        ...PUBLIC_PAGE_INPUTS,
        ...STATUS_REPORT_INPUTS,
        ...(bodies.has('ContactCreate') ? CONTACT_INPUTS : {}),
        Error: errorSchema,
      },
    },
  }
}

const SELF: JsonObject = {
  '/api/v1/openapi.json': {
    get: {
      operationId: 'openapi',
      summary: 'This document',
      tags: ['Account and reference lists'],
      security: [],
      responses: {
        200: answer('The document', { type: 'object' }, { ETag: { schema: { type: 'string' } } }),
        304: { description: 'It is still what `If-None-Match` names' },
      },
    },
  },
}

function describeOperation(route: Route): JsonObject {
  const { method, path, operation } = route
  const { summary, description, tag } = operation
  return {
    operationId: operationId(method, path),
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(operation.scope === null ? {} : { 'x-scope': operation.scope }),
    parameters: parametersOf(route),
    ...bodyOf(operation),
    responses: { ...answersOf(operation), ...refusalsOf(route) },
  }
}

/** `POST /api/v1/monitors/:id/pause` becomes `post_monitors_id_pause`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .split(/\W+/)
    .filter((word) => word !== '')
  return [method.toLowerCase(), ...words].join('_')
}

function parametersOf(route: Route): JsonObject[] {
  const { path, operation } = route
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  }))
  return [...ids, ...queryParameters(operation.query), ...headerParameters(route)]
}

function queryParameters(table: QueryTable): JsonObject[] {
  return Object.entries(table).map(([name, { description, schema, members }]) => ({
    name,
    in: 'query',
    description,
    schema,
    ...(members === true ? { style: 'deepObject', explode: true } : {}),
  }))
}

function headerParameters(route: Route): JsonObject[] {
  const { method, operation } = route
  const header = (name: string, description: string): JsonObject => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  })
  return [
    ...(operation.repeatable === true
      ? [header('Idempotency-Key', 'Sent again within 24 hours, the request takes effect once')]
      : []),
    ...(comparesVersion(route)
      ? [header('If-Match', 'Refused with 412 where another version is stored')]
      : []),
    ...(operation.versioned === true && method === 'GET'
      ? [header('If-None-Match', 'Answered with 304 where nothing has changed')]
      : []),
  ]
}

/** Whether the operation modifies a versioned resource. */
function comparesVersion({ method, path, operation }: Route): boolean {
  return operation.versioned === true && path.includes(':id') && method !== 'GET'
}

function bodyOf({ body }: Operation): JsonObject {
  if (body === undefined || body === 'none') return {}
  return {
    requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } },
  }
}

function answersOf(operation: Operation): JsonObject {
  return Object.fromEntries(
    Object.entries(operation.answers).map(([status, members]) => [
      status,
      answer(operation.summary, object({ ok: { const: true }, ...members }), {
        ...RATE_HEADERS,
        ...(operation.versioned === true && isTagged(members) ? { ETag: HEADER } : {}),
        ...(status === '201' ? { Location: HEADER } : {}),
      }),
    ]),
  )
}

/** Whether the response contains the one resource whose version its entity tag is. */
export function isTagged(members: object): boolean {
  return TAGGED.some((name) => name in members) && !('next_cursor' in members)
}

const TAGGED = ['monitor', 'contact', 'maintenance', 'public_page', 'status_report']

function refusalsOf(route: Route): JsonObject {
  const { path, operation } = route
  const statuses = [
    ...[401, 403, 422, 429, 500, 503],
    ...(path.includes(':id') ? [404] : []),
    ...(operation.body === undefined ? [] : [400, 408, 413, 415]),
    ...(operation.repeatable === true ? [409] : []),
    ...(comparesVersion(route) ? [412] : []),
    ...(operation.refusals ?? []),
  ]
  const refusals = [...new Set(statuses)].sort((a, b) => a - b)
  return Object.fromEntries(refusals.map((status) => [status, REFUSALS[status] ?? {}]))
}

const HEADER: JsonObject = { schema: { type: 'string' } }

const RATE_HEADERS: JsonObject = Object.fromEntries(
  Object.keys(
    rateHeaders(
      { requests: 1, windowSec: 1 },
      { allowed: true, remaining: 1, reset_ms: 1 },
      { now: () => 0 },
    ),
  ).map((name) => [name, HEADER]),
)

function answer(description: string, schema: Schema, headers: JsonObject = {}): JsonObject {
  return { description, headers, content: { 'application/json': { schema } } }
}

/**
 * The bodies of `POST /monitors` and `PATCH /monitors/:id`, one schema per registered type, from the same field tables
 * that validate the input.
 */
function inputSchemas(types: Engine['types']): Readonly<Record<string, Schema>> {
  const tables = [...types.tables()]
  const creates = tables.map(([type, { title, fields, common }]): [string, Schema] => {
    const schema = jsonSchema({ ...common, ...fields })
    return [
      schemaName('MonitorCreate', type),
      {
        ...schema,
        title,
        properties: { type: { const: type }, ...(schema['properties'] as JsonObject) },
        required: ['type', ...((schema['required'] as readonly string[] | undefined) ?? [])],
      },
    ]
  })
  const updates = tables.map(([type, { title, fields, common }]): [string, Schema] => {
    const schema = jsonSchema({ ...common, ...fields }, { partial: true })
    const properties = Object.entries(schema['properties'] as JsonObject)
    return [
      schemaName('MonitorUpdate', type),
      { ...schema, title, properties: Object.fromEntries(properties.map(resettable)) },
    ]
  })
  return {
    MonitorCreate: {
      oneOf: creates.map(([name]) => ref(name)),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          tables.map(([type]) => [
            type,
            `#/components/schemas/${schemaName('MonitorCreate', type)}`,
          ]),
        ),
      },
    },
    MonitorUpdate: {
      description: "Fields of the monitor's own type; `null` resets a field to its default.",
      anyOf: updates.map(([name]) => ref(name)),
    },
    ...Object.fromEntries([...creates, ...updates]),
  }
}

/** Component names allow only letters, digits, dots, hyphens and underscores. */
function schemaName(kind: string, type: string): string {
  return `${kind}.${type.replace(/[^\w.-]/g, '_')}`
}

function resettable([name, schema]: [string, unknown]): [string, Schema] {
  return [name, { anyOf: [schema as Schema, { type: 'null' }] }]
}
