/**
 * The text of now against the one of before.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { EpochMs, JsonObject, Notice } from '../../model.ts'
import type { Findings } from '../checker.ts'
import { asMemo, baselineIn, keep, lineKey, newBaseline, oldLines, sha256 } from './baseline.ts'
import type { Baseline } from './baseline.ts'
import { difference, excerptOf, ratioOf } from './diff.ts'

/** Checks looked back upon, and how many of them may be changes before the page counts as noisy. */
const RECENT_CHECKS = 10
const QUIET_CHANGES = 5

export interface Seen {
  readonly text: string
  /** Of which page, read by which rules. */
  readonly of: string
  readonly now: EpochMs
}

/** The first text is the baseline; a change is told, and is the new one. */
export async function compared(memo: Findings['memo'], seen: Seen): Promise<Findings> {
  const { text, of, now } = seen
  const lines = text.split('\n')
  const hash = sha256(text)
  const old = baselineIn(memo, of)
  if (old === undefined) {
    const kept = await keep(text, lines)
    const first = { ...newBaseline(of, now), hash, lines: lines.length, kept }
    return { memo: asMemo(first), details: detailsOf(first, false) }
  }
  if (old.hash === hash) return unchanged(old)
  const kept = await keep(text, lines)
  const recent = `${old.recent}1`.slice(-RECENT_CHECKS)
  const changes = old.changes + 1
  const next = { ...old, hash, lines: lines.length, at: now, changes, recent, kept }
  const change = await changeBetween(old, lines)
  return {
    memo: asMemo(next),
    details: { ...detailsOf(next, true), ...change.details },
    notices: [noticeOf({ old, next, change: change.data })],
  }
}

/** Where nothing changed for a while, the memo is what it was. */
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

/** Counts are `null` where the old text was too long to be remembered by its lines. */
async function changeBetween(old: Baseline, lines: readonly string[]): Promise<Change> {
  const before = await oldLines(old)
  if (before === undefined) {
    const data = { ratio: null, added: null, removed: null, excerpt: '' }
    return { data, details: { changed_lines: null, change_ratio: null, excerpt: '' } }
  }
  const isText = old.kept?.as === 'text'
  const found = isText ? difference(before, lines) : difference(before, lines, lineKey)
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

/** The number of the change is part of the key: back to what was before is news as well. */
function noticeOf({ old, next, change }: News): Notice {
  return {
    event: 'content_changed',
    key: `${old.hash}:${next.hash}:${next.since.toString(36)}.${next.changes}`,
    data: { change: { old_hash: old.hash, new_hash: next.hash, ...change } },
  }
}
