/**
 * The forms in which a secret travels: as it is, and as protocols, formats and libraries write it. A
 * server that repeats what it was told repeats one of these.
 *
 * @module
 */

/** Fewer characters of base64 or hex stand in ordinary text by accident. */
const SHORTEST_ENCODED = 4

/** A secret by itself. The longest form is not always the first. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8')
  return distinct([
    ...textForms(secret),
    // Servers that take commands in any case repeat them in one.
    secret.toUpperCase(),
    secret.toLowerCase(),
    ...(isAscii(secret)
      ? []
      : [bytes.toString('latin1'), ...percentForms(bytes.toString('latin1'))]),
    ...encodedForms(bytes),
    ...(isAscii(secret) ? [] : encodedForms(Buffer.from(secret, 'latin1'))),
  ])
}

/** Characters of secrets that are spelled in every form; the secrets beyond are looked for as they are. */
const MAX_SPELLED_CHARACTERS = 8192
/** The same in units of work: a sign that encoders escape takes as much as so many letters. */
const MAX_SPELLED_WORK = 24_576
const WORK_OF_SIGN = 16

/**
 * {@link formsOf} for all secrets of one owner, within limits: a KiB of signs has 160 KB of forms, which take some 9 ms.
 * `more` adds forms to those of a secret that is spelled.
 */
export function spellingWithinLimits(
  more: (secret: string) => readonly string[] = () => [],
): (secret: string) => readonly string[] {
  let characters = 0
  let work = 0
  return (secret) => {
    characters += secret.length
    work += secret.length + WORK_OF_SIGN * (secret.match(/[^\w.~-]/g)?.length ?? 0)
    const isWithin = characters <= MAX_SPELLED_CHARACTERS && work <= MAX_SPELLED_WORK
    return isWithin ? [...formsOf(secret), ...more(secret)] : [secret]
  }
}

/**
 * A login: `user:pass` of Basic (RFC 7617) and the one line of AUTH PLAIN (RFC 4616). They hold the
 * password in a form of its own, which matters where that is too short to be looked for by itself.
 */
export function formsOfLogin(user: string, pass: string): readonly string[] {
  const pairs = [`${user}:${pass}`, `\0${user}\0${pass}`, `${user}\0${user}\0${pass}`]
  return distinct(pairs.flatMap((pair) => [pair, ...base64Forms(Buffer.from(pair, 'utf8'), [0])]))
}

/** As in a form; so are client id and secret before they are packed for Basic authentication (RFC 6749, 2.3.1). */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** Parts of a header value at least this long are looked for by themselves. */
const SHORTEST_PART = 6

/**
 * What a header value is made of: the token behind the name of a scheme, the values of cookies and of
 * parameters, and the login in Basic credentials.
 */
export function partsOfHeader(value: string): {
  readonly parts: readonly string[]
  readonly login?: { readonly user: string; readonly pass: string }
} {
  const [, scheme = '', token = ''] = /^([a-z][\w-]*)\s+(\S+)$/i.exec(value) ?? []
  const pieces = value
    .split(/[\s;,]+/)
    .map((piece) => piece.replace(/^[\w-]+=/, '').replace(/^"(.*)"$/, '$1'))
    .filter((piece) => piece.length >= SHORTEST_PART && piece !== value)
  const parts = distinct([...(token === '' ? [] : [token]), ...pieces])
  const decoded = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString() : ''
  const colon = decoded.indexOf(':')
  if (colon < 0) return { parts }
  return { parts, login: { user: decoded.slice(0, colon), pass: decoded.slice(colon + 1) } }
}

function textForms(text: string): string[] {
  return [text, ...jsonForms(text), ...htmlForms(text), ...percentForms(text)]
}

/** What an encoder of JSON escapes beside the quote, the backslash and controls. */
interface JsonEncoder {
  readonly escapes: RegExp
  readonly capitals: boolean
}

const JSON_ENCODERS: readonly JsonEncoder[] = [
  // Python, PHP and others, beyond ASCII.
  { escapes: /[\u007f-\uffff]/g, capitals: false },
  // Go, Rails.
  { escapes: /[&<>]/g, capitals: false },
  // Django's json_script.
  { escapes: /[&<>]/g, capitals: true },
  // Gson.
  { escapes: /[&<>='\u2028\u2029]/g, capitals: false },
  // System.Text.Json.
  { escapes: /["&'<>+`\u007f-\uffff]/g, capitals: true },
  // PHP with the four JSON_HEX flags and JSON_UNESCAPED_UNICODE.
  { escapes: /["&'<>]/g, capitals: true },
]

function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const encoded = JSON_ENCODERS.map((encoder) => encodedBy(encoder, json))
  // PHP with the four flags: in capitals what HTML gives a meaning to, in small letters what is beyond ASCII.
  const php = encodedBy({ escapes: /[\u007f-\uffff]/g, capitals: false }, encoded.at(-1) ?? json)
  // In the quotes of a normalized JSONPath (RFC 9535, 2.7).
  const path = json.replaceAll('\\"', '"').replaceAll("'", "\\'")
  const all = distinct([json, ...encoded, php, path])
  return text.includes('/') ? all.flatMap((form) => [form, form.replaceAll('/', '\\/')]) : [...all]
}

function encodedBy({ escapes, capitals }: JsonEncoder, json: string): string {
  const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0')
  const quotes = '"'.search(escapes) === 0 ? json.replaceAll('\\"', '"') : json
  return quotes.replace(escapes, (char) => `\\u${capitals ? hex(char).toUpperCase() : hex(char)}`)
}

type Entities = Readonly<Record<string, string>>

const ALWAYS: Entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Entities of what encoders of HTML escape beside these three. */
const HTML_ENCODERS: readonly Entities[] = [
  {},
  ...['&#39;', '&#x27;', '&apos;', '&#039;'].flatMap((apostrophe) =>
    ['&quot;', '&#34;'].map((quote) => ({ "'": apostrophe, '"': quote })),
  ),
  // Go.
  { "'": '&#39;', '"': '&#34;', '+': '&#43;' },
  // Mustache, Handlebars.
  { "'": '&#39;', '"': '&quot;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
  { "'": '&#x27;', '"': '&quot;', '`': '&#x60;', '=': '&#x3D;' },
  // The advice of OWASP.
  { "'": '&#x27;', '"': '&quot;', '/': '&#x2F;' },
]

function htmlForms(text: string): readonly string[] {
  if (!/[&<>"'+/`=]/.test(text)) return []
  return HTML_ENCODERS.map((entities) =>
    text.replace(/[&<>"'+/`=]/g, (char) => ALWAYS[char] ?? entities[char] ?? char),
  )
}

/** Of a path or query, of a form (a space is `+`), with every sign that is no letter or digit, and as browsers leave it. */
function percentForms(text: string): string[] {
  if (/^[\w-]*$/.test(text)) return []
  const component = encodeURIComponent(wellFormed(text))
  const strict = component.replace(/[!'()*~.]/g, percent)
  const form = component.replace(/[!'()~]/g, percent).replaceAll('%20', '+')
  const rfc3986 = component.replace(/[!'()*]/g, percent)
  const upper = [component, rfc3986, strict, form, encodeURI(wellFormed(text)), ...ofUrl(text)]
  return [...upper, ...upper.map(lowerHex)]
}

/** A lone half of a surrogate pair cannot be encoded, and is sent as U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`
}

function lowerHex(text: string): string {
  return text.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase())
}

/** The sets of the URL standard leave other signs alone in user info, path and query. */
function ofUrl(text: string): string[] {
  const url = new URL('http://h/')
  url.password = text
  const userinfo = url.password
  url.search = text.replace(/^\?*/, '?')
  return [userinfo, url.search.slice(1)].filter((form) => form !== '')
}

function encodedForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex')
  return [hex, hex.toUpperCase(), ...base64Forms(bytes, [0, 1, 2])].filter(
    (form) => form.length >= SHORTEST_ENCODED,
  )
}

/**
 * Base64 of a text that holds these bytes behind others: three bytes make four characters, so that there
 * are three ways to begin. Only the characters that belong to these bytes alone.
 */
function base64Forms(bytes: Buffer, offsets: readonly number[]): string[] {
  return offsets.flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const text = padded.toString('base64')
    const from = Math.ceil((offset * 8) / 6)
    const alone = text.slice(from, Math.floor((padded.length * 8) / 6))
    if (!/[+/]/.test(alone)) return [alone]
    const url = alone.replaceAll('+', '-').replaceAll('/', '_')
    return [alone, url, encodeURIComponent(alone), lowerHex(encodeURIComponent(alone))]
  })
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
