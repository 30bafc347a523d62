/**
 * Compares the current text with the baseline.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { JsonObject, Notice } from '../../model.ts'
import type { CheckContext, Findings } from '../checker.ts'
import { asMemo, baselineIn, keep, lineKey, newBaseline, oldLines } from './baseline.ts'
import type { Baseline } from './baseline.ts'
import { difference, excerptOf, ratioOf } from './diff.ts'
import { hashOf, linesOf } from './lines.ts'
import type { Lines } from './lines.ts'

/** Number of recent checks, and how many of them may be changes before the page counts as noisy. */
const RECENT_CHECKS = 10
const QUIET_CHANGES = 5

export interface Seen {
  readonly text: string
  /** Identifies the page and the rules of its text. */
  readonly of: string
}

type Context = Pick<CheckContext, 'memo' | 'clock' | 'inTurns'>

/** The first text becomes the baseline; a change causes a notice and replaces the baseline. */
export async function compared(ctx: Context, { text, of }: Seen): Promise<Findings> {
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
  const change = await changeBetween(ctx, old, seen)
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

/** Counts are `null` if either text is too long to be stored by lines. */
async function changeBetween(
  { inTurns }: Context,
  old: Baseline,
  { lines }: Lines,
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
  const excerpt = excerptOf(isText ? found : { added: found.added, removed: [] })
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
