/**
 * The bodies of `POST /monitors` and `PATCH /monitors/:id`, one schema per registered type, from the same field
 * tables that validate the input.
 *
 * @module
 */

import type { Engine } from '../../engine/api/engine.ts'
import { jsonSchema } from '../../fields/describe.ts'
import type { JsonObject } from '../../model.ts'
import { ref } from './schemas.ts'
import type { Schema } from './schemas.ts'

export function inputSchemas(types: Engine['types']): Readonly<Record<string, Schema>> {
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
