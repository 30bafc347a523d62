/**
 * Sanitizes, escapes and shortens external text for messages, and formats times and durations.
 *
 * @module
 */

import type { Message } from './message.ts'
import type { Fact } from './message.ts'

/** Control characters, line separators, and bidirectional marks (Unicode Bidi, UAX 9). */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** On one line, without control characters. */
export function tidyLine(text: string): string {
  return text.replace(UNSAFE, ' ').trim()
}

/** Line by line. */
export function tidyLines(text: string): string {
  return text
    .split(/\r\n|[\r\n]/)
    .map((line) => line.replace(UNSAFE, ' ').trimEnd())
    .join('\n')
    .trim()
}

/** At most `max` UTF-16 units, with an ellipsis if shortened, never splitting a character. */
export function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text.slice(0, Math.max(0, max - 1)).replace(/\p{Surrogate}$/u, '')}…`
}

/** At most `max` bytes of UTF-8. */
export function cutBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text
  const bytes = Buffer.from(text).subarray(0, Math.max(0, max - 3))
  return `${bytes.toString('utf8').replace(/(?<!\ufffd)\ufffd+$/, '')}…`
}

/**
 * {@link cut} for a text whose escaped form must fit: an escape sequence is kept whole or dropped.
 */
export function cutEscaped(text: string, max: number, escape: (text: string) => string): string {
  // No escape shortens.
  const whole = text.length <= max ? escape(text) : undefined
  if (whole !== undefined && whole.length <= max) return whole
  let kept = ''
  // Few are different, and a template cuts its values a dozen times.
  const known = new Map<string, string>()
  for (const character of text) {
    const next = known.get(character) ?? escape(character)
    known.set(character, next)
    if (kept.length + next.length > max - 1) break
    kept += next
  }
  return `${kept}…`
}

/** The three characters that are markup in Slack and Telegram, and in HTML e-mail (with quotes). */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** One line per fact. */
export function factLines(facts: readonly Fact[]): string {
  return facts.map(({ label, text }) => `${label}: ${text}`).join('\n')
}

/** The title and the facts, one per line. */
export function plainWords(message: Message): string {
  return `${markedTitle(message)}\n${factLines(message.facts)}`.trim()
}

/** The title with a symbol of its severity. */
export function markedTitle({ severity, title }: Pick<Message, 'severity' | 'title'>): string {
  return `${MARKS[severity]} ${title}`
}

export const MARKS = { down: '🔴', up: '🟢', warning: '🟡', info: '🔵' } as const

/** `2026-05-04T09:05:23.449Z` as `2026-05-04 09:05:23 UTC`. */
export function moment(text: string | undefined): string | undefined {
  return text?.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC')
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** Seconds in their two largest units: `1 h 5 min`. */
export function span(text: string | undefined): string | undefined {
  const seconds = Number(text ?? NaN)
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  const parts = UNITS.map(([unit, size], index) => {
    const larger = UNITS[index - 1]?.[1]
    return [Math.floor((larger === undefined ? seconds : seconds % larger) / size), unit] as const
  })
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
