/**
 * Reads DER (X.690) within bounds: elements inside elements, never beyond their length. What is not DER reads as
 * nothing.
 *
 * @module
 */

/** An element: its tag octet and its content. */
export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** With tag and length. */
  readonly whole: Buffer
}

export const DER_TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const

/** The first element of `bytes`; `undefined` if there is none, or not a whole one. */
export function firstOf(bytes: Buffer): DerElement | undefined {
  return elementAt(bytes, 0)
}

/** The elements in a constructed one, at most `most`; empty if one of them is not whole. */
export function elementsIn(content: Buffer, most: number): readonly DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < content.length;) {
    const element = elementAt(content, at)
    if (element === undefined || elements.length === most) return []
    elements.push(element)
    at += element.whole.length
  }
  return elements
}

/** Tags beyond 30 and lengths beyond 2^24 do not occur in what is read here. */
function elementAt(bytes: Buffer, at: number): DerElement | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined
  const more = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || more > 3 || at + 2 + more > bytes.length) return undefined
  const length = more === 0 ? first : bytes.readUIntBE(at + 2, more)
  const from = at + 2 + more
  if (from + length > bytes.length) return undefined
  const end = from + length
  return { tag, content: bytes.subarray(from, end), whole: bytes.subarray(at, end) }
}

/** A non-negative INTEGER or ENUMERATED of at most six octets. */
export function smallNumber({ content }: DerElement): number | undefined {
  if (content.length === 0 || content.length > 6 || (content[0] ?? 0) > 0x7f) return undefined
  return content.readUIntBE(0, content.length)
}

/** An OBJECT IDENTIFIER as hex, which is enough to compare it. */
export function oidHex({ content }: DerElement): string {
  return content.toString('hex')
}
