/**
 * Fields that hold the template of a request's body. A value is inserted into the strings of JSON and into
 * the values of a form after they were parsed, so that it cannot end a string or add a member.
 *
 * @module
 */

import { defineField } from '../fields/field.ts'
import type { FieldBuilder, FieldInfo } from '../fields/field.ts'
import { isJsonObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model.ts'
import { cutsSecret, PLACEHOLDERS, readTemplate, SECRET } from './template.ts'
import type { Template } from './template.ts'

/** Renders one template, with the markup of values escaped. */
export type Fill = (template: Template) => string

export interface BodyTemplate {
  readonly contentType: string
  readonly usesSecret: boolean
  render(fill: Fill): string
}

const MAX_CHARS = 16_384
const MAX_DEPTH = 8
const MAX_FORM_FIELDS = 50
/** In one body. */
const MAX_PLACEHOLDERS = 40

type Info = Pick<FieldInfo, 'description' | 'example'>

const ALLOWED: readonly string[] = [...PLACEHOLDERS, SECRET]

/** The template of a text, or its problem. */
const templateOf = (text: string): Template | string => readTemplate(text, ALLOWED)

/** A JSON object whose strings are templates. */
export function jsonTemplateField(info: Info): FieldBuilder<JsonObject, BodyTemplate> {
  return defineField<JsonObject, BodyTemplate>(
    { kind: 'object', ...info },
    schemaOf((value) => {
      if (!isJsonObject(value)) return { problem: 'invalid: a JSON object is expected' }
      return checked(value)
    }),
    (wire) => {
      const texts = textsIn(wire)
      const templates = new Map(texts.map((text) => [text, readable(text)]))
      return {
        contentType: 'application/json',
        usesSecret: [...templates.values()].some(usesSecret),
        render: (fill) => JSON.stringify(mapTexts(wire, (text) => fill(templates.get(text) ?? []))),
      }
    },
  )
}

/** A form whose values are templates. */
export function formTemplateField(
  info: Info,
): FieldBuilder<Readonly<Record<string, string>>, BodyTemplate> {
  return defineField<Readonly<Record<string, string>>, BodyTemplate>(
    { kind: 'object', ...info },
    schemaOf((value) => {
      const isForm =
        isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string')
      if (!isForm) return { problem: 'invalid: an object of names and texts is expected' }
      if (Object.keys(value).length > MAX_FORM_FIELDS)
        return { problem: `out_of_range: 0..${MAX_FORM_FIELDS} fields` }
      return checked(value as Readonly<Record<string, string>>)
    }),
    (wire) => {
      const fields = Object.entries(wire).map(([name, text]) => [name, readable(text)] as const)
      return {
        contentType: 'application/x-www-form-urlencoded',
        usesSecret: fields.some(([, template]) => usesSecret(template)),
        render: (fill) =>
          new URLSearchParams(
            fields.map(([name, template]): [string, string] => [name, fill(template)]),
          ).toString(),
      }
    },
  )
}

/** Lines of text. */
export function textTemplateField(info: Info): FieldBuilder<string, BodyTemplate> {
  return defineField<string, BodyTemplate>(
    { kind: 'string', min: 1, max: MAX_CHARS, ...info },
    schemaOf((value) => {
      if (typeof value !== 'string' || value === '')
        return { problem: 'invalid: a text is expected' }
      return checked(value)
    }),
    (wire) => {
      const template = readable(wire)
      return {
        contentType: 'text/plain; charset=utf-8',
        usesSecret: usesSecret(template),
        render: (fill) => fill(template),
      }
    },
  )
}

type Read<Wire> = { readonly value: Wire } | { readonly problem: string }

function schemaOf<Wire>(read: (value: unknown) => Read<Wire>) {
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'watchpost',
      validate(value: unknown) {
        const result = read(value)
        return 'problem' in result ? { issues: [{ message: result.problem }] } : result
      },
    },
  }
}

function checked<Wire extends Json>(value: Wire): Read<Wire> {
  const problem = problemOfAll(value)
  return problem === undefined ? { value } : { problem }
}

/** The first problem of a template or a bound. */
function problemOfAll(value: Json): string | undefined {
  if (depthOf(value) > MAX_DEPTH) return `out_of_range: 0..${MAX_DEPTH} levels`
  const whole = JSON.stringify(value)
  // A text is sent as it is, anything else as JSON.
  const { length } = typeof value === 'string' ? value : whole
  if (length > MAX_CHARS) return `out_of_range: 1..${MAX_CHARS} characters`
  if (/\p{Surrogate}/u.test(whole) || /\\ud[89a-f]/i.test(whole))
    return 'invalid: it is not well-formed Unicode'
  if (namesIn(value).some((name) => name.includes('{{')))
    return 'invalid: a name has no placeholders'
  let placeholders = 0
  for (const text of textsIn(value)) {
    const template = templateOf(text)
    if (typeof template === 'string') return template
    if (cutsSecret(template)) return 'invalid: {{secret}} is inserted whole: it takes no length'
    placeholders += template.filter((part) => typeof part !== 'string').length
  }
  return placeholders > MAX_PLACEHOLDERS
    ? `out_of_range: 0..${MAX_PLACEHOLDERS} placeholders`
    : undefined
}

function readable(text: string): Template {
  const template = templateOf(text)
  if (typeof template === 'string') throw new TypeError(template)
  return template
}

function usesSecret(template: Template): boolean {
  return template.some((part) => typeof part !== 'string' && part.name === SECRET)
}

function depthOf(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const each of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(each))
    if (deepest > MAX_DEPTH) break
  }
  return deepest + 1
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

function namesIn(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each: Json) => mapTexts(each, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each ?? null, change)]),
  )
}
