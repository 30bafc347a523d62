/**
 * HTML as tagged templates: interpolated values are escaped, unless they are markup. Only a template creates markup.
 *
 * Values are allowed between tags and inside quoted attributes; nowhere else.
 *
 * @module
 */

const MARKUP: unique symbol = Symbol('watchpost.markup')

export interface Markup {
  readonly [MARKUP]: string
}

/** `null`, `undefined` and `false` render nothing, lists are joined. */
export type Content = Markup | string | number | null | undefined | false | readonly Content[]

export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const parts = strings.map((text, at) => text + (at < values.length ? written(values[at]) : ''))
  return { [MARKUP]: parts.join('') }
}

/** A whole document or fragment as text. */
export function textOf(markup: Markup): string {
  return markup[MARKUP]
}

/** Text of users or servers, isolated from the direction of the surrounding text. */
export function foreign(text: string): Markup {
  return html`<bdi>${text}</bdi>`
}

function written(value: Content): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return String(value)
  return isMarkup(value) ? value[MARKUP] : value.map(written).join('')
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

/** Control characters are invalid in HTML; they are shown as the replacement character. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
    .replace(/[^\P{Cc}\t\n]|\p{Cs}/gu, '\uFFFD')
}
