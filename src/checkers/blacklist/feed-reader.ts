/**
 * Parses a feed in pieces: the `dump.csv` of the mirrors of the Russian registry, or a plain list
 * with one entry per line.
 *
 * `dump.csv` is in windows-1251. Its first line is `Updated: 2024-05-01 12:00:00 +0300`, every
 * other one `ip | ip;domain;url | url;authority;decision;date`. A row blocks its pages if it names
 * any, else its domain (or `*.domain`), else its addresses.
 *
 * @module
 */

import { TextDecoder } from 'node:util'
import type { EpochMs } from '../../model.ts'
import { createFeedContent, LONGEST_ITEM } from './feed-content.ts'
import type { FeedContent } from './feed-content.ts'

export type FeedFormat = 'zapret-csv' | 'plain'

export interface ReadFeed {
  readonly content: FeedContent
  /** The date of the data, if the feed states it. */
  readonly stated_at: EpochMs | null
}

/** Both methods run in steps of less than a millisecond: one row may name millions of addresses. */
export interface FeedReader {
  push(bytes: Uint8Array): Generator<void, void>
  /** @throws FeedError if there is no entry, or the data is not a feed */
  end(): Generator<void, ReadFeed>
}

/** Lines or entries per step. */
const STEP = 256

/** The data is not a feed; the last good copy stays in use. */
export class FeedError extends Error {}

/** One row of the registry may name thousands of addresses. 8 Mi characters. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024

const STATED = /^Updated:\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\s*([+-]\d\d):?(\d\d))?/

/** `format` and `encoding` are detected from the first bytes unless they are given. */
export function createFeedReader(
  options: {
    readonly format?: FeedFormat | undefined
    readonly encoding?: string | undefined
  } = {},
): FeedReader {
  const content = createFeedContent()
  let decoder: TextDecoder | undefined
  let format = options.format
  let rest = ''
  let stated_at: EpochMs | null = null
  let first = true

  function begin(bytes: Uint8Array): TextDecoder {
    format ??= Buffer.from(bytes.subarray(0, 8)).toString('latin1').startsWith('Updated:')
      ? 'zapret-csv'
      : 'plain'
    return new TextDecoder(options.encoding ?? (format === 'zapret-csv' ? 'windows-1251' : 'utf-8'))
  }

  function* take(line: string): Generator<void, void> {
    if (first && line.trim() === '') return
    if (first && /^\s*</.test(line)) throw new FeedError('the feed is a web page')
    const isFirst = first
    first = false
    if (format === 'plain') addPlain(content, line)
    else if (isFirst && line.startsWith('Updated:')) stated_at = statedAt(line)
    else yield* addRow(content, line)
  }

  function* split(text: string): Generator<void, void> {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) throw new FeedError('the feed has a line without end')
    for (const [index, line] of lines.entries()) {
      yield* take(line)
      if (index % STEP === STEP - 1) yield
    }
  }

  return {
    *push(bytes) {
      decoder ??= begin(bytes)
      yield* split(decoder.decode(bytes, { stream: true }))
    },
    *end() {
      yield* split(decoder?.decode() ?? '')
      yield* take(rest)
      if (content.size === 0) throw new FeedError('the feed has no entry')
      return { content, stated_at }
    },
  }
}

function addPlain(content: FeedContent, line: string): void {
  // No entry has a fragment, so `#` starts a comment anywhere.
  content.add(line.replace(/#.*/, ''))
}

function* addRow(content: FeedContent, line: string): Generator<void, void> {
  const [addresses = '', domains = '', pages = ''] = firstFields(line, 3)
  const meant = [pages, domains, addresses].find((text) => text.trim() !== '') ?? ''
  let items = 0
  for (let at = 0; at <= meant.length;) {
    const bar = meant.indexOf('|', at)
    const end = bar < 0 ? meant.length : bar
    content.add(unquoted(meant.slice(at, end)))
    at = end + 1
    items += 1
    if (items % STEP === 0) yield
  }
  // The wildcard of a row applies besides its pages.
  if (meant === pages && domains.startsWith('*.')) content.add(unquoted(domains))
}

/**
 * Removes quotes; a quote inside quotes is doubled. Text longer than any entry is returned
 * unchanged and later ignored.
 */
function unquoted(item: string): string {
  return item.length > LONGEST_ITEM ? item : item.replaceAll('""', '"')
}

/** Fields may be in double quotes and then contain semicolons. */
function firstFields(line: string, count: number): readonly string[] {
  const fields: string[] = []
  let at = 0
  while (fields.length < count && at <= line.length) {
    if (line[at] === '"') {
      const end = closingQuote(line, at + 1)
      fields.push(line.slice(at + 1, end))
      const next = line.indexOf(';', end)
      at = next < 0 ? line.length + 1 : next + 1
    } else {
      const end = line.indexOf(';', at)
      fields.push(line.slice(at, end < 0 ? line.length : end))
      at = end < 0 ? line.length + 1 : end + 1
    }
  }
  return fields
}

const QUOTE = 0x22

function closingQuote(line: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line.charCodeAt(at) !== QUOTE) continue
    if (line.charCodeAt(at + 1) !== QUOTE) return at
    at++
  }
  return line.length
}

/** Without a time zone it counts as UTC. */
function statedAt(line: string): EpochMs | null {
  const [, day, time, hours, minutes] = STATED.exec(line) ?? []
  if (day === undefined || time === undefined) return null
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes ?? '00'}`
  const at = new Date(`${day}T${time}${zone}`).getTime()
  return Number.isNaN(at) ? null : at
}
