/**
 * A document that a target may answer with and that is dear to look at. Made by code, as megabytes have no place
 * in a repository.
 *
 * @module
 */

export interface HostileDocument {
  /** Unique, says what it is: "json: an object of 400,000 keys". */
  readonly name: string
  make(): Buffer
}

/** As the answer of a web server. */
export interface HostilePage extends HostileDocument {
  /** With its parameters. */
  readonly type: string
  /** `Content-Encoding`. */
  readonly coding?: string
  /** Lines of the header section besides. */
  readonly headers?: readonly string[]
  /** Sent in chunks of so many bytes. */
  readonly chunkBytes?: number
  /** Behind each chunk's length. */
  readonly extension?: string
  /** Lines behind the last chunk. */
  readonly trailers?: string
  /** Default `200 OK`. */
  readonly status?: string
  /** Settings of `content` with which it is dear. */
  readonly ignore_regex?: string
}

/** Largest body that is read. */
export const BODY_BYTES = 4 * 1024 * 1024

/** So many letters, nearly all of them different: what a name of them costs grows with the square of their number. */
export function differentLetters(count: number): string {
  return Array.from({ length: count }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
}

/** `text` again and again, up to so many bytes. */
export function filled(text: string | Buffer, bytes = BODY_BYTES): Buffer {
  return Buffer.alloc(bytes, text)
}

/** Between what stands before and behind it. */
export function between(before: string, middle: Buffer | string, behind: string): Buffer {
  return Buffer.concat([Buffer.from(before), Buffer.from(middle as string), Buffer.from(behind)])
}

/** Numbered pieces, joined. */
export function numbered(count: number, piece: (n: number) => string, glue = ''): string {
  return Array.from({ length: count }, (_, n) => piece(n)).join(glue)
}
