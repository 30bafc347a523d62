/**
 * The controls of a form, made from a table of fields: nothing here depends on a type. A group is a set of controls
 * with dotted names.
 *
 * @module
 */

import type { AnyField, FieldInfo, FieldTable } from '../../fields/field.ts'
import type { Json, JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import type { Said } from '../layout/markup.ts'

export type ControlKind =
  'line' | 'secret' | 'number' | 'checkbox' | 'select' | 'lines' | 'headers' | 'text' | 'json'

export interface Choice {
  readonly value: string
  readonly label: string | Said
}

export interface Control {
  /** Dotted in a group. */
  readonly name: string
  /** The group, of a nested field. */
  readonly group: string | undefined
  readonly kind: ControlKind
  readonly info: FieldInfo
  readonly required: boolean
  /** In wire form; `null` without one. */
  readonly fallback: Json
  /** The values of a select; of `lines`, those that can be ticked. */
  readonly choices: readonly Choice[]
}

/** A text longer than this is written in several lines. */
const LINE_CHARS = 4096

export function controlsOf(
  fields: FieldTable,
  { choices = {}, group }: { readonly choices?: Choices; readonly group?: string } = {},
): readonly Control[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { info } = field
    const full = group === undefined ? name : `${group}.${name}`
    if (info.fields !== undefined) return controlsOf(info.fields, { choices, group: full })
    return [
      {
        name: full,
        group,
        kind: kindOf(field, choices[full]),
        info,
        required: field.presence === 'required',
        fallback: (field.fallback ?? null) as Json,
        choices: choices[full] ?? choicesOf(field),
      },
    ]
  })
}

/** Choices that depend on the account: its locations and contacts. */
export type Choices = Readonly<Record<string, readonly Choice[]>>

function kindOf({ info, presence }: AnyField, given: readonly Choice[] | undefined): ControlKind {
  const { kind, secret, max = 0, item } = info
  if (secret === 'value') return 'secret'
  if (secret === 'by_header_name') return 'headers'
  if (kind === 'boolean') return presence === 'default' ? 'checkbox' : 'select'
  if (kind === 'enum') return 'select'
  if (kind === 'integer' || kind === 'number') return given === undefined ? 'number' : 'select'
  if (kind === 'array') return isPlain(item) ? 'lines' : 'json'
  if (kind === 'object') return 'json'
  return kind === 'string' && max > LINE_CHARS ? 'text' : 'line'
}

function isPlain(item: AnyField | undefined): boolean {
  return item !== undefined && !['object', 'array'].includes(item.info.kind)
}

function choicesOf({ info }: AnyField): readonly Choice[] {
  if (info.kind === 'boolean')
    return [
      { value: 'true', label: ({ words }) => words.forms.yes },
      { value: 'false', label: ({ words }) => words.forms.no },
    ]
  return (info.enum ?? []).map((value) => ({ value: String(value), label: String(value) }))
}

/** The value of a control in settings as a view has them, nested or dotted. */
export function valueAt(settings: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(settings, name)) return settings[name]
  return name
    .split('.')
    .reduce<Json | undefined>(
      (value, step) =>
        isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined,
      settings,
    )
}

/** A value as the control shows it. Never that of a secret. */
export function textOf({ kind, info }: Control, value: Json | undefined): string {
  if (value === undefined || value === null || kind === 'secret') return ''
  if (kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n')
  if (kind === 'headers' && isJsonObject(value)) return headerLines(value)
  if (kind === 'json') {
    const empty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
    return empty ? '' : JSON.stringify(value, null, 2)
  }
  if (info.kind === 'scalar' && typeof value === 'string') return quotedScalar(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A text that would be read as another value is quoted. */
function quotedScalar(value: string): string {
  return parsedJson(value) === undefined ? value : JSON.stringify(value)
}

export function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function headerLines(headers: JsonObject): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => {
      const values = Array.isArray(value) ? (value as readonly Json[]) : [value]
      return values.map(
        (each) => `${name}: ${typeof each === 'string' ? each : JSON.stringify(each)}`,
      )
    })
    .join('\n')
}
