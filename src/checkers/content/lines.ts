/**
 * Splits a text into lines and hashes it, in steps.
 *
 * @module
 */

import { createHash } from 'node:crypto'

/**
 * Texts with more lines are not stored by lines: the lines would take more memory than the text.
 */
export const MAX_LINES = 100_000

/** Lines before other work runs. */
const STEP = 4096

/** Characters hashed per step. */
const HASHED_CHARACTERS = 256 * 1024

export interface Lines {
  readonly count: number
  /** `undefined` if there are more than {@link MAX_LINES}. */
  readonly lines: readonly string[] | undefined
}

export function* linesOf(text: string): Generator<void, Lines> {
  const lines: string[] = []
  let count = 0
  for (let at = 0; at <= text.length; count++) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end
    if (count < MAX_LINES) lines.push(text.slice(at, next))
    at = next + 1
    if (count % STEP === STEP - 1) yield
  }
  return { count, lines: count > MAX_LINES ? undefined : lines }
}

/** SHA-256, hex. */
export function* hashOf(text: string): Generator<void, string> {
  const hash = createHash('sha256')
  for (let at = 0; at < text.length;) {
    if (at > 0) yield
    const end = pairEnd(text, at + HASHED_CHARACTERS)
    hash.update(text.slice(at, end))
    at = end
  }
  return hash.digest('hex')
}

/** Never splits a surrogate pair: its halves have no UTF-8 encoding. */
function pairEnd(text: string, end: number): number {
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(end - 1, end + 1))
  return isPair ? end + 1 : end
}
