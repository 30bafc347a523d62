/**
 * Reads a feed piece by piece: the `dump.csv` of the mirrors of the Russian registry, or a plain list
 * with one entry per line.
 *
 * `dump.csv` is in windows-1251. Its first line is `Updated: 2024-05-01 12:00:00 +0300`, every other
 * one `ip | ip;domain;url | url;authority;decision;date`. A row blocks its pages where it names any,
 * else its domain (or `*.domain`), else its addresses.
 *
 * @module
 */

import { TextDecoder } from 'node:util'
import type { EpochMs } from '../../model.ts'
import { createFeedContent } from './feed-content.ts'
import type { FeedContent } from './feed-content.ts'

export type FeedFormat = 'zapret-csv' | 'plain'

export interface ReadFeed {
  readonly content: FeedContent
  /** When the data is from, where it says so itself. */
  readonly stated_at: EpochMs | null
}

export interface FeedReader {
  push(bytes: Uint8Array): void
  /** @throws FeedError where there is no entry at all, or it is no feed */
  end(): ReadFeed
}

/** The feed is none; the last good copy stays in use. */
export class FeedError extends Error {}

/** One row of the registry may name thousands of addresses. 8 Mi characters. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024

const STATED = /^Updated:\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\s*([+-]\d\d):?(\d\d))?/

/** `format` and `encoding` are told from the first bytes unless they are given. */
export function createFeedReader(
  options: { readonly format?: FeedFormat; readonly encoding?: string } = {},
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

  function take(line: string): void {
    if (first && line.trim() === '') return
    if (first && /^\s*</.test(line)) throw new FeedError('the feed is a web page')
    const isFirst = first
    first = false
    if (format === 'plain') return addPlain(content, line)
    if (isFirst && line.startsWith('Updated:')) stated_at = statedAt(line)
    else addRow(content, line)
  }

  function split(text: string): void {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) throw new FeedError('the feed has a line without end')
    for (const line of lines) take(line)
  }

  return {
    push(bytes) {
      decoder ??= begin(bytes)
      split(decoder.decode(bytes, { stream: true }))
    },
    end() {
      split(decoder?.decode() ?? '')
      take(rest)
      if (content.size === 0) throw new FeedError('the feed has no entry')
      return { content, stated_at }
    },
  }
}

function addPlain(content: FeedContent, line: string): void {
  // A fragment plays no part in any entry, so that `#` begins a comment anywhere.
  content.add(line.replace(/#.*/, ''))
}

function addRow(content: FeedContent, line: string): void {
  const [addresses = '', domains = '', pages = ''] = firstFields(line, 3)
  const meant = [pages, domains, addresses].find((text) => text.trim() !== '') ?? ''
  for (const item of meant.split('|')) content.add(item)
  // The mask of a row stands beside its pages.
  if (meant === pages && domains.startsWith('*.')) content.add(domains)
}

/** Fields may be in double quotes, where they hold a semicolon. */
function firstFields(line: string, count: number): readonly string[] {
  const fields: string[] = []
  let at = 0
  while (fields.length < count && at <= line.length) {
    if (line[at] === '"') {
      const end = closingQuote(line, at + 1)
      fields.push(line.slice(at + 1, end).replaceAll('""', '"'))
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

function closingQuote(line: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] !== '"') continue
    if (line[at + 1] !== '"') return at
    at++
  }
  return line.length
}

/** Without a zone it is taken as UTC. */
function statedAt(line: string): EpochMs | null {
  const [, day, time, hours, minutes] = STATED.exec(line) ?? []
  if (day === undefined || time === undefined) return null
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes ?? '00'}`
  const at = new Date(`${day}T${time}${zone}`).getTime()
  return Number.isNaN(at) ? null : at
}
