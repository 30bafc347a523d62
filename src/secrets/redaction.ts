/**
 * Cutting secrets out of texts.
 *
 * @module
 */

import { spellingWithinLimits } from './forms.ts'
import { MASK } from './mask.ts'

export { MASK }

/**
 * A shorter secret is removed only as a whole word, between characters that are neither letters nor digits:
 * elsewhere it would blank out parts of ordinary words.
 */
const SHORTEST_ANYWHERE = 4

/** Where a text is cut inside a secret, a piece of the secret of at least this length is recognized. */
const SHORTEST_PIECE = 6

/** A form of which a piece may be left of a text that was cut. */
interface CutForm {
  readonly form: string
  /** Its first and last characters. */
  readonly head: string
  readonly end: string
}

interface Sought {
  readonly long: readonly string[]
  readonly short: readonly RegExp[]
  readonly cut: readonly CutForm[]
}

function soughtFor(forms: Iterable<string>): Sought {
  // The longest first: a secret may contain another one.
  const sorted = [...new Set(forms)].filter(Boolean).sort((a, b) => b.length - a.length)
  return {
    long: sorted.filter((form) => form.length >= SHORTEST_ANYWHERE),
    short: sorted.filter((form) => form.length < SHORTEST_ANYWHERE).map(aloneOf),
    cut: sorted.filter((form) => form.length > SHORTEST_PIECE).map(cutFormOf),
  }
}

function cutFormOf(form: string): CutForm {
  return { form, head: form.slice(0, SHORTEST_PIECE), end: form.slice(-SHORTEST_PIECE) }
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
  // Pieces before and after: removing a whole form would hide a beginning in it, and may reveal one behind it.
  let text = yield* withoutPieces(given, cut)
  for (const form of long) {
    yield
    text = text.replaceAll(form, MASK)
  }
  yield
  text = yield* withoutPieces(text, cut)
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

function aloneOf(form: string): RegExp {
  const literal = form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
}

/** What may follow a text that was cut off: nothing, the quotes around an excerpt, half of a letter. */
const TAIL_CHARS = 6
const TAIL = new RegExp(`[…."'”»)\\s\\ufffd]{0,${TAIL_CHARS}}$`)

const ELLIPSIS = '…'
/** Texts of watchpost quote a few. What stands behind so many that a piece fits between is not searched, nor shown. */
const MAX_PIECES = 64
const UNSEARCHED = ' (the rest is not shown)'

/** Pieces and characters looked at before other work runs. */
const LOOKED_PER_STEP = 256
const CHARACTERS_LIKE_A_PIECE = 64

/**
 * Texts of servers are quoted up to a length or around a place, with an ellipsis where they are cut, which may be
 * inside a secret; also in the middle of a text. What was cut at the end of the text may have no ellipsis.
 */
function* withoutPieces(text: string, forms: readonly CutForm[]): Generator<void, string> {
  if (forms.length === 0 || !isLong(text)) return text
  const pieces = piecesOf(text)
  const long = [...pieces.keys()].filter((at) => isLong(pieces[at]))
  const behind = long.filter((at) => at > 0)
  const all = behind.length > 0 ? forms.map(({ form }) => form).join('\0') : ''
  for (const at of behind) if (all.includes(pieces[at] ?? '')) pieces[at] = MASK
  // One search through the text takes as long as those in a few pieces.
  const isMany = long.length > 8
  let looked = 0
  for (const form of forms) {
    if (!isMany || text.includes(form.end))
      for (const at of behind) pieces[at] = withoutEnding(pieces[at] ?? '', form)
    if (!isMany || text.includes(form.head))
      for (const at of long) pieces[at] = withoutBeginning(pieces[at] ?? '', form)
    looked += 1 + long.length + text.length / CHARACTERS_LIKE_A_PIECE
    if (looked < LOOKED_PER_STEP) continue
    looked = 0
    yield
  }
  // A secret may have an ellipsis of its own.
  return forms
    .filter(({ form }) => form.includes(ELLIPSIS))
    .reduce(withoutBeginning, pieces.join(ELLIPSIS))
}

function piecesOf(text: string): string[] {
  const pieces = text.split(ELLIPSIS)
  let long = 0
  const beyond = pieces.findIndex((piece) => isLong(piece) && ++long > MAX_PIECES)
  return beyond < 0 ? pieces : [...pieces.slice(0, beyond), UNSEARCHED]
}

function isLong(piece = ''): boolean {
  return piece.length >= SHORTEST_PIECE
}

/** A form that repeats itself is found in many places: after so many, the text is taken for a piece of it. */
const MAX_PLACES = 64

/** Without a beginning of the form at the end of the text. */
function withoutBeginning(text: string, { form, head }: CutForm): string {
  const from = Math.max(0, text.length - form.length - TAIL_CHARS)
  let at = text.indexOf(head, from)
  if (at < 0) return text
  const tail = TAIL.exec(text.slice(-TAIL_CHARS))?.[0] ?? ''
  const end = text.length - tail.length
  for (let places = 1; at >= 0; places++, at = text.indexOf(head, at + 1)) {
    const isPiece = places > MAX_PLACES || form.startsWith(text.slice(at, end))
    if (isPiece) return text.slice(0, at) + MASK + tail
  }
  return text
}

/** Without an ending of the form at the beginning of the text. */
function withoutEnding(text: string, { form, end }: CutForm): string {
  let at = text.lastIndexOf(end, form.length - end.length)
  for (let places = 1; at >= 0; places++) {
    const behind = at + end.length
    const isPiece = places > MAX_PLACES || form.endsWith(text.slice(0, behind))
    if (isPiece) return MASK + text.slice(behind)
    at = at === 0 ? -1 : text.lastIndexOf(end, at - 1)
  }
  return text
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
