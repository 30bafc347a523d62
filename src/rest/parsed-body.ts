/**
 * Bodies that a middleware has read and parsed, as text again.
 *
 * @module
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Properties that body parsers add to Node's request. */
export type ParsedRequest = IncomingMessage & {
  readonly body?: unknown
  /** The bytes as they came: NestJS with `rawBody: true`, and koa-bodyparser. */
  readonly rawBody?: unknown
}

/** The body as it was sent where a parser kept it, else a text that means the same. */
export function textOfParsed(req: ParsedRequest): Uint8Array | string | undefined {
  const { rawBody, body, headers } = req
  if (isText(rawBody)) return rawBody
  if (isText(body)) return body
  if (body === undefined || body === null) return undefined
  return isForm(headers) ? formText(body) : JSON.stringify(body)
}

function isText(body: unknown): body is Uint8Array | string {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** A form with files has text fields as well; the files are not part of a parsed body. */
function isForm(headers: IncomingHttpHeaders): boolean {
  return /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
    headers['content-type'] ?? '',
  )
}

/**
 * Escapes only what would be read differently, so that a text sent as a form (`curl -d 'disk 93% full'`, which
 * becomes a name without a value) is the same text again.
 */
function formText(form: object): string {
  return fieldsOf(form)
    .map(([name, value]) =>
      value === ''
        ? escaped(name, /[&=+]/g)
        : `${escaped(name, /[&=+]/g)}=${escaped(value, /[&+]/g)}`,
    )
    .join('&')
}

function escaped(text: string, special: RegExp): string {
  return text.replace(/%(?=[\da-f]{2})/gi, '%25').replace(special, encodeURIComponent)
}

/** Lists repeat their name; the members of an object follow its name in brackets. */
function fieldsOf(form: object): [name: string, value: string][] {
  const fields: [string, string][] = []
  const open = Object.entries(form as Readonly<Record<string, unknown>>).reverse()
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [name, value] = at
    if (Array.isArray(value)) {
      for (const one of (value as readonly unknown[]).toReversed()) open.push([name, one])
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value).reverse()) open.push([`${name}[${key}]`, one])
    } else if (value !== undefined && value !== null) {
      fields.push([name, textOf(value)])
    }
  }
  return fields
}

/** Of what form parsers make: text, or a number or boolean where they are told to convert. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
