/**
 * Cutting secrets out of texts.
 *
 * @module
 */

import { spellingWithinLimits } from './forms.ts'

/** Stands for a secret in every answer; sent back in a PATCH it keeps what is stored. */
export const MASK = '***'

/**
 * A shorter secret is removed only as a whole word, between characters that are neither letters nor digits:
 * elsewhere it would blank out parts of ordinary words.
 */
const SHORTEST_ANYWHERE = 4

/** Where a text is cut off inside a secret, a beginning of the secret of at least this length is recognized. */
const SHORTEST_BEGINNING = 6

interface Sought {
  readonly long: readonly string[]
  readonly short: readonly RegExp[]
  readonly cut: readonly string[]
}

function soughtFor(forms: Iterable<string>): Sought {
  // The longest first: a secret may contain another one.
  const sorted = [...new Set(forms)].filter(Boolean).sort((a, b) => b.length - a.length)
  return {
    long: sorted.filter((form) => form.length >= SHORTEST_ANYWHERE),
    short: sorted.filter((form) => form.length < SHORTEST_ANYWHERE).map(aloneOf),
    cut: sorted.filter((form) => form.length > SHORTEST_BEGINNING),
  }
}

/** Puts {@link MASK} in place of each of `forms`. Takes time in proportion to the text and to the number of forms. */
export function redaction(forms: Iterable<string>): (text: string) => string {
  const sought = soughtFor(forms)
  if (sought.long.length + sought.short.length === 0) return (text) => text
  return (text) => endOf(stepsFor(text, sought))
}

/**
 * The same for a text of many KB, in steps: one that nearly repeats a long form takes milliseconds for this form alone.
 */
export function redactionSteps(text: string, forms: Iterable<string>): Generator<void, string> {
  return stepsFor(text, soughtFor(forms))
}

function* stepsFor(given: string, { long, short, cut }: Sought): Generator<void, string> {
  // Beginnings before and after: removing a whole form would hide a beginning in it, and may reveal one behind it.
  let text = withoutBeginnings(given, cut)
  for (const form of long) {
    yield
    text = text.replaceAll(form, MASK)
  }
  yield
  text = withoutBeginnings(text, cut)
  for (const pattern of short) {
    yield
    text = text.replace(pattern, MASK)
  }
  return text
}

function endOf<T>(steps: Generator<void, T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Of an excerpt, and of the whole text. */
function withoutBeginnings(text: string, forms: readonly string[]): string {
  return forms.reduce(withoutBeginning, withoutCutPieces(text, forms))
}

function aloneOf(form: string): RegExp {
  const literal = form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
}

/** What may follow a text that was cut off: nothing, an ellipsis, the quotes around an excerpt. */
const TAIL_CHARS = 6
const TAIL = new RegExp(`[…."'”»)\\s]{0,${TAIL_CHARS}}$`)

const ELLIPSIS = '…'
/** A text with more ellipses is not searched for cut pieces: texts of watchpost quote a few. */
const MAX_PIECES = 64

/** An excerpt ends with an ellipsis, also in the middle of a text, and may end inside a secret. */
function withoutCutPieces(text: string, forms: readonly string[]): string {
  const pieces = text.split(ELLIPSIS, MAX_PIECES + 1)
  if (pieces.length === 1 || pieces.length > MAX_PIECES) return text
  const last = pieces.pop() ?? ''
  return [...pieces.map((piece) => forms.reduce(withoutBeginning, piece)), last].join(ELLIPSIS)
}

/** Texts of servers are quoted up to a length, which may end inside a secret. */
function withoutBeginning(text: string, form: string): string {
  const from = Math.max(0, text.length - form.length - TAIL_CHARS)
  const at = text.indexOf(form.slice(0, SHORTEST_BEGINNING), from)
  if (at < 0) return text
  const rest = text.slice(at)
  const tail = TAIL.exec(rest)?.[0] ?? ''
  const begun = rest.slice(0, rest.length - tail.length)
  return form.startsWith(begun) ? text.slice(0, at) + MASK + tail : text
}

/** Without the secrets, in any encoding in which they may have been sent and are repeated. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return redaction(secrets.filter(Boolean).flatMap(spellingWithinLimits()))(text)
}

/** {@link withoutSecrets} in steps. */
export function* withoutSecretsSteps(
  text: string,
  secrets: readonly string[],
): Generator<void, string> {
  const spellingOf = spellingWithinLimits()
  const forms: string[] = []
  for (const secret of secrets.filter(Boolean)) {
    forms.push(...spellingOf(secret))
    yield
  }
  return yield* redactionSteps(text, forms)
}
