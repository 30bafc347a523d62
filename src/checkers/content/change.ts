/**
 * Compares the current text with the baseline, line by line, in time linear to their length. A moved
 * line is no difference.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { JsonObject, Notice } from '../../model.ts'
import { redactionSteps } from '../../secrets/redaction.ts'
import type { CheckContext, Findings } from '../checker.ts'
import {
  asMemo,
  baselineIn,
  keep,
  lineKey,
  newBaseline,
  oldLines,
  hashOf,
  linesOf,
} from './baseline.ts'
import type { Baseline, Lines } from './baseline.ts'

interface Difference {
  /** Added lines, in order. */
  readonly added: readonly string[]
  /** Removed lines; their text is not always known. */
  readonly removed: readonly string[]
}

const LINES_SHOWN = 5
const CHARACTERS_SHOWN = 160
/** Characters of the common prefix of two lines that are shown before the difference. */
const LEAD_SHOWN = 30

/** Lines before other work runs; a line known by its hash counts for more. */
const STEP = 4096
const KEYED_LINES = 64

/** Number of recent checks, and how many of them may be changes before the page counts as noisy. */
const RECENT_CHECKS = 10
const QUIET_CHANGES = 5

export interface Seen {
  readonly text: string
  /** Identifies the page and the rules of its text. */
  readonly of: string
  /** What the request had of secrets, in every form. Read where a text is shown. */
  readonly secrets: () => ReadonlySet<string>
}

type Context = Pick<CheckContext, 'memo' | 'clock' | 'inTurns'>

/** The first text becomes the baseline; a change causes a notice and replaces the baseline. */
export async function compared(ctx: Context, { text, of, secrets }: Seen): Promise<Findings> {
  const now = ctx.clock.now()
  const hash = await ctx.inTurns(hashOf(text))
  const old = baselineIn(ctx.memo, of)
  if (old?.hash === hash) return unchanged(old)
  const seen = await ctx.inTurns(linesOf(text))
  const kept = await keep(ctx.inTurns, text, seen)
  if (old === undefined) {
    const first = { ...newBaseline(of, now), hash, lines: seen.count, kept }
    return { memo: asMemo(first), details: detailsOf(first, false) }
  }
  const recent = `${old.recent}1`.slice(-RECENT_CHECKS)
  const changes = old.changes + 1
  const next = { ...old, hash, lines: seen.count, at: now, changes, recent, kept }
  const change = await changeBetween(ctx, { old, seen, secrets })
  return {
    memo: asMemo(next),
    details: { ...detailsOf(next, true), ...change.details },
    notices: [noticeOf({ old, next, change: change.data })],
  }
}

/** After a while without changes the memo stays the same. */
function unchanged(old: Baseline): Findings {
  if (!old.recent.includes('1')) return { details: detailsOf(old, false) }
  const next = { ...old, recent: `${old.recent}0`.slice(-RECENT_CHECKS) }
  return { memo: asMemo(next), details: detailsOf(next, false) }
}

function detailsOf({ hash, at, recent }: Baseline, changed: boolean): JsonObject {
  const changes = recent.split('1').length - 1
  return {
    text_hash: hash,
    changed,
    baseline_at: iso(at),
    ...(changes > QUIET_CHANGES ? { noisy: true } : {}),
  }
}

interface Change {
  readonly details: JsonObject
  readonly data: JsonObject
}

interface Compared extends Pick<Seen, 'secrets'> {
  readonly old: Baseline
  readonly seen: Lines
}

/** Counts are `null` if either text is too long to be stored by lines. */
async function changeBetween(
  { inTurns }: Context,
  { old, seen: { lines }, secrets }: Compared,
): Promise<Change> {
  const before = await oldLines(inTurns, old)
  if (before === undefined || lines === undefined) {
    const data = { ratio: null, added: null, removed: null, excerpt: '' }
    return { data, details: { changed_lines: null, change_ratio: null, excerpt: '' } }
  }
  const isText = old.kept?.as === 'text'
  const found = await inTurns(difference(before, lines, isText ? undefined : lineKey))
  const ratio = ratioOf(found, before.length + lines.length)
  const [added, removed] = [found.added.length, found.removed.length]
  const shown = isText ? found : { added: found.added, removed: [] }
  const excerpt = await inTurns(excerptOf(shown, secrets()))
  return {
    data: { ratio, added, removed, excerpt },
    details: { changed_lines: { added, removed }, change_ratio: ratio, excerpt },
  }
}

interface News {
  readonly old: Baseline
  readonly next: Baseline
  readonly change: JsonObject
}

/** The change number is part of the key: a return to the earlier text is a change too. */
function noticeOf({ old, next, change }: News): Notice {
  return {
    event: 'content_changed',
    key: `${old.hash}:${next.hash}:${next.since.toString(36)}.${next.changes}`,
    data: { change: { old_hash: old.hash, new_hash: next.hash, ...change } },
  }
}

/** `keyOf`: how the old lines are identified, if not by their text. */
export function* difference(
  old: readonly string[],
  now: readonly string[],
  keyOf?: (line: string) => string,
): Generator<void, Difference> {
  const left = new Map<string, number>()
  const added: string[] = []
  const removed: string[] = []
  let looked = 0
  for (const line of old) {
    left.set(line, (left.get(line) ?? 0) + 1)
    if (++looked % STEP === 0) yield
  }
  for (const line of now) {
    const key = keyOf === undefined ? line : keyOf(line)
    const count = left.get(key) ?? 0
    if (count > 0) left.set(key, count - 1)
    else added.push(line)
    looked += keyOf === undefined ? 1 : KEYED_LINES + (line.length >>> 6)
    if (looked < STEP) continue
    looked = 0
    yield
  }
  for (const line of old) {
    const count = left.get(line) ?? 0
    if (count > 0) {
      left.set(line, count - 1)
      removed.push(line)
    }
    if (++looked % STEP === 0) yield
  }
  return { added, removed }
}

/** The share of lines added or removed, 0 to 1. */
function ratioOf({ added, removed }: Difference, lines: number): number {
  return lines === 0 ? 0 : Math.round(((added.length + removed.length) / lines) * 10_000) / 10_000
}

/** A few removed (`-`) and added (`+`) lines, each shortened to the part that differs. */
function* excerptOf(
  { added, removed }: Difference,
  secrets: ReadonlySet<string>,
): Generator<void, string> {
  const reach = Math.max(0, ...[...secrets].map((secret) => secret.length))
  const shown: string[] = []
  for (let at = 0; at < LINES_SHOWN; at++) {
    const lines = { gone: removed[at], come: added[at] }
    const from = commonStart(lines.gone, lines.come)
    // A window may begin or end inside a secret, and is then not known for a part of it.
    const gone = yield* openly(around(lines.gone, from, reach), secrets)
    const come = yield* openly(around(lines.come, from, reach), secrets)
    const common = commonStart(gone, come)
    if (gone !== undefined) shown.push(`- ${window(gone, common)}`)
    if (come !== undefined) shown.push(`+ ${window(come, common)}`)
  }
  const rest = added.length + removed.length - shown.length
  return [...shown, ...(rest > 0 ? [`… and ${rest} more lines`] : [])].join('\n')
}

/** The part of a line that can be shown, with as much on both sides as a secret is long. */
function around(line: string | undefined, from: number, reach: number): string | undefined {
  if (line === undefined) return undefined
  const start = Math.max(0, from - CHARACTERS_SHOWN - reach)
  const end = from + CHARACTERS_SHOWN + reach
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}

function* openly(
  text: string | undefined,
  secrets: ReadonlySet<string>,
): Generator<void, string | undefined> {
  return text === undefined ? undefined : yield* redactionSteps(text, secrets)
}

function window(line: string, from: number): string {
  const start = line.length <= CHARACTERS_SHOWN ? 0 : Math.max(0, from - LEAD_SHOWN)
  const end = start + CHARACTERS_SHOWN
  const cut = line.slice(start, end).replace(/[\p{Cc}\p{Cs}]/gu, '?')
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`
}

/** 0 where one of them is missing. */
function commonStart(one = '', other = ''): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}
