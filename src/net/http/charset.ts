/**
 * Decodes the bytes of a body to text: byte order mark, charset of the header, meta element or XML
 * declaration, in this order (WHATWG Encoding and HTML 13.2.3); otherwise UTF-8.
 *
 * @module
 */

import { TextDecoder } from 'node:util'

/** Bytes in which a browser searches for a meta element. */
const PRESCAN_BYTES = 1024

/** Decodes in about a millisecond in the slowest charset. */
const PIECE_BYTES = 64 * 1024

/** Never fails: invalid bytes become U+FFFD, an unknown label means UTF-8. */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  return decoderOf(body, contentType).decode(body)
}

/** {@link decodeText} in steps, one piece each. */
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

/** Chosen by the beginning of a body: a kilobyte, or all of it. */
export function decoderOf(body: Uint8Array, contentType: string | undefined): TextDecoder {
  const told = markedCharset(body) ?? headerCharset(contentType)
  if (told !== undefined) return decoderFor(told)
  const declared = decoderFor(declaredCharset(body))
  // A declaration that is readable as ASCII rules out UTF-16, whatever it is called (HTML 13.2.3.2, step on UTF-16).
  return declared.encoding.startsWith('utf-16') ? new TextDecoder() : declared
}

function decoderFor(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
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
  return (
    /<meta\s[^>]*?charset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1]
  )
}
