/**
 * From the bytes of a body to its text: byte order mark, charset of the header, meta element or XML
 * declaration, in this order (WHATWG Encoding and HTML 13.2.3); UTF-8 where none of them helps.
 *
 * @module
 */

import { TextDecoder } from 'node:util'

/** As far as a browser looks for a meta element. */
const PRESCAN_BYTES = 1024

/** Takes a millisecond in the slowest of charsets. */
const PIECE_BYTES = 64 * 1024

/** Never fails: what cannot be decoded becomes U+FFFD, an unknown label is taken as UTF-8. */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  return decoderOf(body, contentType).decode(body)
}

/** The same, a piece at a time. */
export function* textSteps(
  body: Uint8Array,
  contentType: string | undefined,
): Generator<void, string> {
  const decoder = decoderOf(body, contentType)
  if (body.length <= PIECE_BYTES) return decoder.decode(body)
  const pieces: string[] = []
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    pieces.push(decoder.decode(body.subarray(at, at + PIECE_BYTES), { stream: true }))
    yield
  }
  return pieces.join('') + decoder.decode()
}

/** By the beginning of a body, of a kilobyte or all of it. */
export function decoderOf(body: Uint8Array, contentType: string | undefined): TextDecoder {
  return decoderFor(markedCharset(body) ?? headerCharset(contentType) ?? declaredCharset(body))
}

function decoderFor(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label ?? 'utf-8')
  } catch {
    return new TextDecoder('utf-8')
  }
}

function markedCharset(body: Uint8Array): string | undefined {
  const [first, second, third] = body
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return undefined
}

function headerCharset(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1]
}

function declaredCharset(body: Uint8Array): string | undefined {
  const head = Buffer.from(body.subarray(0, PRESCAN_BYTES)).toString('latin1')
  const label =
    /<meta\s[^>]*?charset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1]
  // Whoever can read an ASCII meta element is not looking at UTF-16 (HTML 13.2.3.2, step on UTF-16).
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}
