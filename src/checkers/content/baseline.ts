/**
 * The stored state of a page between two checks. A memo is limited to 64 KiB, a page may have
 * megabytes: the compressed text is kept if it fits, so that a change can be shown; else a short
 * hash of each line, so that it can be counted; else the hash of the whole text, so that it is
 * detected.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { EpochMs, Json } from '../../model.ts'
import { LAST_MS } from '../../model/time.ts'
import type { CheckContext } from '../checker.ts'

/**
 * Texts with more lines are not stored by lines: the lines would take more memory than the text.
 */
export const MAX_LINES = 100_000

/** Lines split before other work runs. */
const LINES_PER_STEP = 4096

/** Characters of the whole text hashed before other work runs. */
const HASHED_CHARACTERS = 256 * 1024

export interface Lines {
  readonly count: number
  /** `undefined` if there are more than {@link MAX_LINES}. */
  readonly lines: readonly string[] | undefined
}

/** A memo of another version is ignored: the same page would give another text. */
const VERSION = 1

/** Maximum characters of the compressed text, or of the line hashes. */
const KEPT_CHARACTERS = 40_000
/** Longer texts are not compressed. */
const PACKABLE_CHARACTERS = 1024 * 1024
const LINE_HASH_BYTES = 4
const MAX_HASHED_LINES = Math.floor((KEPT_CHARACTERS * 3) / 4 / LINE_HASH_BYTES)
/** Characters of lines hashed before other work runs. */
const LINE_HASH_STEP = 64 * 1024
/** Fixed cost of a hash, in characters. */
const HASH_CHARACTERS = 512

export interface Baseline {
  readonly version: typeof VERSION
  /** Identifies the page and the rules of its text. */
  readonly of: string
  /** SHA-256 of the text, hex. */
  readonly hash: string
  readonly lines: number
  /** When this text was first seen. */
  readonly at: EpochMs
  /** When the first text was seen. */
  readonly since: EpochMs
  /** Changes since then. */
  readonly changes: number
  /** One character for each of the last checks, newest last: 1 for a change. */
  readonly recent: string
  readonly kept?: { readonly as: 'text' | 'hashes'; readonly data: string } | undefined
}

/** The baseline of `of` in a memo, `undefined` if there is none. */
export function baselineIn(memo: Json | undefined, of: string): Baseline | undefined {
  const held = (memo ?? {}) as Partial<Baseline>
  return held.version === VERSION && held.of === of && isWhole(held) ? held : undefined
}

/** A probe elsewhere may have written anything: with that no later check could be completed. */
function isWhole(held: Partial<Baseline>): held is Baseline {
  const { hash, recent, lines, at, since, changes, kept } = held
  const data: unknown = kept === undefined ? '' : (kept as Partial<typeof kept> | null)?.data
  return (
    [hash, recent, data].every((each) => typeof each === 'string') &&
    [lines, at, since, changes].every(
      (each: unknown) => typeof each === 'number' && Math.abs(each) <= LAST_MS,
    )
  )
}

export function asMemo({ kept, ...baseline }: Baseline): Json {
  return { ...baseline, ...(kept === undefined ? {} : { kept: { ...kept } }) }
}

export function newBaseline(of: string, now: EpochMs): Omit<Baseline, 'hash' | 'lines'> {
  return { version: VERSION, of, at: now, since: now, changes: 0, recent: '' }
}

type InTurns = CheckContext['inTurns']

/** The parts of a text that fit into a memo. */
export async function keep(
  inTurns: InTurns,
  text: string,
  { lines }: Lines,
): Promise<Baseline['kept']> {
  if (text.length <= PACKABLE_CHARACTERS) {
    const data = (await promisify(deflateRaw)(text)).toString('base64')
    if (data.length <= KEPT_CHARACTERS) return { as: 'text', data }
  }
  if (lines === undefined || lines.length > MAX_HASHED_LINES) return undefined
  return { as: 'hashes', data: (await inTurns(hashesOf(lines))).toString('base64') }
}

function* hashesOf(lines: readonly string[]): Generator<void, Buffer> {
  const hashes = Buffer.alloc(lines.length * LINE_HASH_BYTES)
  let hashed = 0
  for (const [at, line] of lines.entries()) {
    lineHash(line).copy(hashes, at * LINE_HASH_BYTES)
    hashed += line.length + HASH_CHARACTERS
    if (hashed < LINE_HASH_STEP) continue
    hashed = 0
    yield
  }
  return hashes
}

/** The old lines or their hashes; `undefined` if neither is stored. */
export async function oldLines(
  inTurns: InTurns,
  { kept }: Baseline,
): Promise<readonly string[] | undefined> {
  if (kept === undefined) return undefined
  const data = Buffer.from(kept.data, 'base64')
  if (kept.as === 'text') {
    const limit = { maxOutputLength: 4 * PACKABLE_CHARACTERS }
    const text = await promisify(inflateRaw)(data, limit).then(String, () => undefined)
    if (text === undefined) return undefined
    return (await inTurns(linesOf(text))).lines
  }
  return Array.from({ length: data.length / LINE_HASH_BYTES }, (_, at) =>
    data.toString('base64', at * LINE_HASH_BYTES, (at + 1) * LINE_HASH_BYTES),
  )
}

/** The short hash of a line. */
export function lineKey(line: string): string {
  return lineHash(line).toString('base64')
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function lineHash(line: string): Buffer {
  return createHash('sha256').update(line).digest().subarray(0, LINE_HASH_BYTES)
}

/** Splits a text into lines, in steps. */
export function* linesOf(text: string): Generator<void, Lines> {
  const lines: string[] = []
  let count = 0
  for (let at = 0; at <= text.length; count++) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end
    if (count < MAX_LINES) lines.push(text.slice(at, next))
    at = next + 1
    if (count % LINES_PER_STEP === LINES_PER_STEP - 1) yield
  }
  return { count, lines: count > MAX_LINES ? undefined : lines }
}

/** SHA-256 of a text in steps, hex. */
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
