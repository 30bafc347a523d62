/**
 * The measurements of a check as text instead of JSON.
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'

export interface Room {
  /** Maximum items of a list; the others are counted. */
  readonly items: number
  /** Maximum length in total; a longer text is cut. */
  readonly chars: number
}

const ROOMY: Room = { items: 20, chars: 1000 }

/** `yes`, `a, b`, `bits 2048, weak no`; items of a list of objects are separated by semicolons. */
export function inWords(value: Json, room: Room = ROOMY): string {
  const text = said(value, room)
  return text.length > room.chars ? `${text.slice(0, room.chars)}…` : text
}

function said(value: Json, room: Room): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return listed(value as readonly Json[], room)
  return Object.entries(value as JsonObject)
    .flatMap(([name, part]) =>
      part === undefined || part === null ? [] : [`${name} ${said(part, room)}`],
    )
    .join(', ')
}

function listed(values: readonly Json[], room: Room): string {
  const shown = values.slice(0, room.items).map((each) => said(each, room))
  const rest = values.length - shown.length
  const between = values.some((each) => typeof each === 'object') ? '; ' : ', '
  return shown.length === 0 ? 'none' : shown.join(between) + (rest > 0 ? `, and ${rest} more` : '')
}
