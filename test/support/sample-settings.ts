/**
 * Settings with which a built-in checker runs: made of its table of fields, with what `<type>.samples.ts` beside its
 * test says otherwise.
 *
 * @module
 */

import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { AnyField, FieldTable } from '../../src/fields/field.ts'
import type { Json, JsonObject } from '../../src/model.ts'

/** What a samples file exports as `settings`. */
type Sample = (port: number) => JsonObject

const folder = new URL('../checkers/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.samples.ts'),
)
const samples = new Map(
  await Promise.all(
    files.map(async (path) => {
      const file = new URL(path.replaceAll('\\', '/'), folder).href
      const { settings } = (await import(/* @vite-ignore */ file)) as { readonly settings: Sample }
      return [basename(path, '.samples.ts'), settings] as const
    }),
  ),
)

/** Right settings, secrets among them; `port` of 127.0.0.1 is called where the type calls what its settings name. */
export function sampleSettings({ type, fields }: AnyChecker, port: number): JsonObject {
  return { ...sampleOf(fields, port), ...samples.get(type)?.(port) }
}

function sampleOf(fields: FieldTable, port: number): JsonObject {
  const login = Object.values(fields).some(({ info }) => info.secret === 'value')
  const values = Object.entries(fields).flatMap(([name, field]) => {
    const needed = field.presence === 'required' || (login && name === 'user')
    const value = needed ? required(field, port) : optional(name, field, port)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}

function required({ info }: AnyField, port: number): Json {
  const { kind, format, example, min = 1 } = info
  if (format === 'url') return `http://127.0.0.1:${port}/`
  if (format === 'host') return '127.0.0.1'
  if (format === 'port') return port
  if (info.enum !== undefined) return info.enum[0] ?? ''
  if (kind === 'integer' || kind === 'number') return min
  return example ?? 'sample'
}

function optional(name: string, { info }: AnyField, port: number): Json | undefined {
  if (info.format === 'port') return port
  // One of several kinds of credentials.
  if (name === 'oauth') return undefined
  // A key needs its certificate.
  if (name.startsWith('tls_key')) return undefined
  if (info.secret === 'value') return `canary-${name}`
  // The server has no certificate.
  if (name === 'tls') return ['none', 'off'].find((word) => info.enum?.includes(word))
  const inner = info.fields === undefined ? {} : sampleOf(info.fields, port)
  return Object.keys(inner).length === 0 ? undefined : inner
}
