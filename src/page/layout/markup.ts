/**
 * HTML as tagged templates: interpolated values are escaped, unless they are markup. Only a template creates markup.
 * Words are functions of the language: it is chosen when the markup is written, so that what makes the markup need not
 * know it.
 *
 * Values are allowed between tags and inside quoted attributes; nowhere else.
 *
 * @module
 */

import type { Language } from '../words/language.ts'

const MARKUP: unique symbol = Symbol('watchpost.markup')

export interface Markup {
  readonly [MARKUP]: Template
}

interface Template {
  readonly strings: readonly string[]
  /** Behind each of the strings but the last. */
  readonly values: readonly Content[]
}

/** A text in the language of the reader. */
export type Said = (language: Language) => string

/** `null`, `undefined` and `false` render nothing, lists are joined, functions are asked in the language. */
export type Content =
  | Markup
  | string
  | number
  | null
  | undefined
  | false
  | readonly Content[]
  | ((language: Language) => Content)

export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return { [MARKUP]: { strings, values } }
}

/** A whole document or fragment as text. */
export function textOf(content: Content, language: Language): string {
  return written(content, language)
}

/** Written once, for markup that is sent many times. It stays in this language. */
export function settled(content: Content, language: Language): Markup {
  return { [MARKUP]: { strings: [written(content, language)], values: [] } }
}

/** Text of users or servers, isolated from the direction of the surrounding text. */
export function foreign(text: string | Said): Markup {
  return html`<bdi>${text}</bdi>`
}

/** English of the API in any language: what types, fields and their problems say of themselves. */
export function english(text: string): Markup {
  return html`<bdi lang="en">${text}</bdi>`
}

function written(value: Content, language: Language): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'function') return written(value(language), language)
  let text = ''
  if (!isMarkup(value)) {
    for (const each of value) text += written(each, language)
    return text
  }
  const { strings, values } = value[MARKUP]
  for (let at = 0; at < strings.length; at++)
    text += (strings[at] ?? '') + written(values[at], language)
  return text
}

function isMarkup(value: Markup | readonly Content[]): value is Markup {
  return MARKUP in value
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control and noncharacters are invalid in HTML, and some in XML; they are shown as the replacement character. */
function escaped(text: string): string {
  // Most texts are plain.
  if (/^[\w .,:;/?=#@%()+-]*$/.test(text)) return text
  return text
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
    .replace(/[^\P{Cc}\t\n]|[\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\uFFFD')
}
