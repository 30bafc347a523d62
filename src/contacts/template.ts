/**
 * Templates of messages: text with placeholders, `{{monitor.name}}`, or `{{title:130}}` for its first 130
 * characters. There are no conditions, loops, functions or nested templates, and a value is never read as a
 * template, so that nothing a checked server says can do more than appear in the text.
 *
 * @module
 */

import { isJsonObject } from '../model/json.ts'
import type { JsonObject } from '../model.ts'
import type { Delivery } from '../webhook/contact-kind.ts'
import type { Message } from './message.ts'
import { cut, factLines, markedTitle, MARKS, span, tidyLine } from './text.ts'

const MAX_PLACEHOLDERS = 40
const VALUE_CHARS = 600
const MAX_CUT = 16_384

/** The values of every message. */
const OF_MESSAGE = [
  'title',
  'marked_title',
  'mark',
  'facts',
  'severity',
  'link',
  'source',
  'event',
  'notification_id',
  'sent_at',
  'alert_key',
  'lasted',
  'digest.first',
  'digest.worst',
] as const

/** Values of the payload; empty where an event has none. */
const OF_PAYLOAD = [
  'monitor.id',
  'monitor.name',
  'monitor.type',
  'monitor.target',
  'incident.id',
  'incident.started_at',
  'incident.cause_code',
  'incident.cause_text',
  'incident.ended_at',
  'incident.duration_sec',
  'incident.closed_reason',
  'incident.acknowledged_at',
  'digest.count',
] as const

export type Placeholder = (typeof OF_MESSAGE)[number] | (typeof OF_PAYLOAD)[number]

export const PLACEHOLDERS: readonly Placeholder[] = [...OF_MESSAGE, ...OF_PAYLOAD]

/** Those without a character that could change the path of an address. */
export const ADDRESS_PLACEHOLDERS: readonly Placeholder[] = [
  'severity',
  'notification_id',
  'alert_key',
  'monitor.id',
  'incident.id',
]

/** In the body of a request alone. */
export const SECRET = 'secret'

export type Values = ReadonlyMap<string, string>

interface Insertion {
  readonly name: string
  readonly max: number | undefined
}

/** Literal texts and insertions, in order. */
export type Template = readonly (string | Insertion)[]

const MARK = /\{\{([^{}]*)\}\}/g
const INSIDE = /^\s*([a-z_]+(?:\.[a-z_]+)?)\s*(?::\s*(\d{1,5})\s*)?$/

/** The template, or its problem as text, with the position of the mistake. */
export function readTemplate(text: string, allowed: readonly string[]): Template | string {
  const parts: (string | Insertion)[] = []
  let from = 0
  for (const match of text.matchAll(MARK)) {
    const before = text.slice(from, match.index)
    const stray = strayBraces(before, from)
    if (stray !== undefined) return stray
    from = match.index + match[0].length
    const insertion = readInsertion(match[1] ?? '', allowed)
    if (typeof insertion === 'string') return at(match.index, insertion)
    parts.push(before, insertion)
  }
  const stray = strayBraces(text.slice(from), from)
  if (stray !== undefined) return stray
  parts.push(text.slice(from))
  return parts.length > 2 * MAX_PLACEHOLDERS + 1
    ? `out_of_range: 0..${MAX_PLACEHOLDERS} placeholders`
    : parts.filter((part) => part !== '')
}

function strayBraces(literal: string, from: number): string | undefined {
  const index = literal.search(/\{\{|\}\}/)
  if (index < 0) return undefined
  return at(from + index, 'invalid: {{ and }} belong around a placeholder')
}

/** The problem with the position of its first character, counted from 1. */
export function at(index: number, problem: string): string {
  return problem.replace(': ', `: character ${index + 1}: `)
}

function readInsertion(inside: string, allowed: readonly string[]): Insertion | string {
  const [, name, max] = INSIDE.exec(inside) ?? []
  if (name === undefined || !allowed.includes(name))
    return `invalid: there is no {{${tidyLine(inside).slice(0, 40)}}} here: ${allowed.join(', ')}`
  if (max !== undefined && !(Number(max) >= 1 && Number(max) <= MAX_CUT))
    return `out_of_range: 1..${MAX_CUT} characters of {{${name}}}`
  return { name, max: max === undefined ? undefined : Number(max) }
}

/** Whether the template has a piece of the secret only, which nothing would know for one where a receiver repeats it. */
export function cutsSecret(template: Template): boolean {
  return template.some(
    (part) => typeof part !== 'string' && part.name === SECRET && part.max !== undefined,
  )
}

/** `escape` is applied to each value, after it is cut; the secret is whole, whatever length is stored with it. */
export function render(
  template: Template,
  values: Values,
  escape: (value: string, name: string) => string,
): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part
      const value = values.get(part.name) ?? ''
      const isWhole = part.max === undefined || part.name === SECRET
      return escape(isWhole ? value : cut(value, part.max), part.name)
    })
    .join('')
}

/** Every value, on one line and bounded; only `facts` has several lines. */
export function valuesOf(message: Message, { payload }: Pick<Delivery, 'payload'>): Values {
  const { title, severity, link, source, event, notification_id, sent_at } = message
  const own: Record<(typeof OF_MESSAGE)[number], string> = {
    title,
    marked_title: markedTitle(message),
    mark: MARKS[severity],
    facts: factLines(message.facts),
    severity,
    link: link ?? '',
    source,
    event: tidyLine(event),
    notification_id: String(notification_id),
    sent_at,
    alert_key: alertKey(message),
    lasted: span(scalarAt(payload, 'incident.duration_sec')) ?? '',
    'digest.first': factOf(message, 'First'),
    'digest.worst': factOf(message, 'Most frequent'),
  }
  const rest = OF_PAYLOAD.map((path) => [path, scalarAt(payload, path)] as const)
  return new Map<string, string>([...Object.entries(own), ...rest])
}

/** One alert per incident; an event without an incident is an alert of its own. */
export function alertKey({ incident_key, notification_id, sent_at }: Message): string {
  return `watchpost-${incident_key ?? `notification-${notification_id}-${Date.parse(sent_at)}`}`
}

function factOf({ event, facts }: Message, label: string): string {
  if (event !== 'digest') return ''
  return facts.find((fact) => fact.label === label)?.text ?? ''
}

function scalarAt(payload: JsonObject, path: string): string {
  const [group = '', name = ''] = path.split('.')
  const within = payload[group]
  const value = isJsonObject(within) ? within[name] : undefined
  if (typeof value === 'string') return cut(tidyLine(value), VALUE_CHARS)
  return typeof value === 'number' ? String(value) : ''
}
