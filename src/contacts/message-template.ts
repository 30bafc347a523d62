/**
 * The setting `template` of the kinds that people read: own words for a message, once for all events or for one of them.
 * It is the user's text with the markup of the service; what is inserted is escaped, so that neither a name nor a
 * cause can mention somebody, hide a link or break the markup.
 *
 * @module
 */

import { defineField } from '../fields/field.ts'
import type { FieldBuilder } from '../fields/field.ts'
import { problemAt } from '../fields/problems.ts'
import { field } from '../fields/vocabulary.ts'
import { isJsonObject } from '../model/json.ts'
import { nearestName } from '../options.ts'
import { SAMPLE_EVENTS } from '../webhook/sample.ts'
import { at, PLACEHOLDERS, readTemplate } from './template.ts'
import type { Template } from './template.ts'

/** What a service allows in one part of a message. */
export interface PartRules {
  /** Of the whole part once it is filled in, as the service counts. */
  readonly max: number
  /** Default: the number of UTF-16 units. */
  readonly lengthOf?: ((text: string) => number) | undefined
  /** `false`: one line. */
  readonly lines: boolean
  /** The user's own text is escaped as well: this part has no markup. */
  readonly plain?: boolean | undefined
  /** The markup of the service in a value, made harmless. */
  escape(this: void, value: string, name: string): string
  /** A mistake in the markup that the user wrote, as text with its position. */
  readonly problem?: ((text: string) => string | undefined) | undefined
}

export interface MessageRules {
  readonly title: PartRules
  readonly body: PartRules
}

type Parts<P extends string> = Readonly<Partial<Record<P, Template>>>
type Texts<P extends string> = Readonly<Partial<Record<P, string>>>

/** Of a whole template, in characters of JSON. */
const MAX_CHARS = 65_536

const lengthIn = ({ lengthOf }: PartRules, text: string): number => lengthOf?.(text) ?? text.length

/** The template of one part, or its problem with the position. */
function readPart(rules: PartRules, value: unknown): Template | string {
  if (typeof value !== 'string' || value.trim() === '') return 'invalid: a text is expected'
  const line = rules.lines ? -1 : value.search(/[\r\n]/)
  if (line >= 0) return at(line, 'invalid: a title is one line')
  const lone = value.search(/\p{Surrogate}/u)
  if (lone >= 0) return at(lone, 'invalid: it is not well-formed Unicode')
  const template = readTemplate(value, PLACEHOLDERS)
  if (typeof template === 'string') return template
  const own = template.filter((part) => typeof part === 'string').join('')
  const literal = rules.plain === true ? rules.escape(own, '') : own
  if (lengthIn(rules, literal) > rules.max)
    return `out_of_range: 1..${rules.max} ${rules.lengthOf === undefined ? 'characters' : 'bytes'} without what is inserted`
  return rules.problem?.(value) ?? template
}

function partField(rules: PartRules, description: string): FieldBuilder<string, Template> {
  return defineField<string, Template>(
    { kind: 'string', min: 1, max: rules.max, description },
    schemaOf<string>((value) => {
      const template = readPart(rules, value)
      return typeof template === 'string'
        ? { issues: [{ message: template }] }
        : { value: String(value) }
    }),
    (wire) => decoded(rules, wire),
  )
}

function decoded(rules: PartRules, text: string): Template {
  const template = readPart(rules, text)
  if (typeof template === 'string') throw new TypeError(template)
  return template
}

type EventTexts<P extends string> = Readonly<Record<string, Texts<P>>>
type EventParts<P extends string> = ReadonlyMap<string, Parts<P>>

/** `{ down: { title, body }, digest: { … } }`. */
function eventsField<P extends string>(
  rules: Readonly<Record<P, PartRules>>,
): FieldBuilder<EventTexts<P>, EventParts<P>> {
  return defineField<EventTexts<P>, EventParts<P>>(
    { kind: 'object', description: 'Other words for single events: names to title and body' },
    schemaOf<EventTexts<P>>((value) => {
      if (!isJsonObject(value))
        return { issues: [{ message: 'invalid: an object of events is expected' }] }
      if (JSON.stringify(value).length > MAX_CHARS)
        return { issues: [{ message: `out_of_range: 1..${MAX_CHARS} characters` }] }
      const issues = Object.entries(value).flatMap(([event, texts]) =>
        problemsOf(rules, event, texts).map((message) => ({ message })),
      )
      return issues.length > 0 ? { issues } : { value: value as EventTexts<P> }
    }),
    (wire) =>
      new Map(
        Object.entries(wire).map(([event, texts]) => {
          const parts = Object.entries<string | undefined>(texts).map(([name, text]) => [
            name,
            decoded(rules[name as P], text ?? ''),
          ])
          return [event, Object.fromEntries(parts) as Parts<P>]
        }),
      ),
  )
}

function problemsOf<P extends string>(
  rules: Readonly<Record<P, PartRules>>,
  event: string,
  texts: unknown,
): string[] {
  if (!SAMPLE_EVENTS.includes(event)) return [problemAt([event], unknownName(event, SAMPLE_EVENTS))]
  if (!isJsonObject(texts) || Object.keys(texts).length === 0)
    return [problemAt([event], 'invalid: an object with title or body is expected')]
  return Object.entries(texts).flatMap(([name, text]) => {
    if (!Object.hasOwn(rules, name))
      return [problemAt([event, name], unknownName(name, Object.keys(rules)))]
    const template = readPart(rules[name as P], text)
    return typeof template === 'string' ? [problemAt([event, name], template)] : []
  })
}

function unknownName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  const hint = near === undefined ? '' : `did you mean "${near}"? `
  return `invalid: ${hint}One of ${known.join(', ')} is expected`
}

function schemaOf<Wire>(validate: (value: unknown) => Validated<Wire>) {
  return { '~standard': { version: 1 as const, vendor: 'watchpost', validate } }
}

type Validated<Wire> =
  | { readonly value: Wire; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

const DESCRIPTION = 'Own words for messages, with placeholders; absent parts stay as they are'

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the fields are their own types
export function messageTemplate(rules: MessageRules) {
  return field.group(
    {
      title: partField(rules.title, 'Title of every message'),
      body: partField(rules.body, 'Text below the title'),
      events: eventsField<'title' | 'body'>({ title: rules.title, body: rules.body }),
    },
    { description: DESCRIPTION },
  )
}

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the fields are their own types
export function mailTemplate(rules: MessageRules & { readonly html: PartRules }) {
  return field.group(
    {
      title: partField(rules.title, 'Subject of every message'),
      body: partField(rules.body, 'Text of every message'),
      html: partField(rules.html, 'HTML of every message; where absent it is made of the text'),
      events: eventsField<'title' | 'body' | 'html'>({
        title: rules.title,
        body: rules.body,
        html: rules.html,
      }),
    },
    { description: DESCRIPTION },
  )
}
