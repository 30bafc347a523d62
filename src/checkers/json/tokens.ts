/**
 * Positions of the values in a JSON text (RFC 8259). `JSON.parse` runs in one turn, which takes a
 * second for 4 MiB of keys; this works in steps and stores two numbers per value. The content of
 * strings is not validated here.
 *
 * @module
 */

/** Maximum nesting depth. */
const MAX_DEPTH = 200

/** Tokens after which other work runs. */
const STEP = 4096
/** Quotes within one string after which other work runs. */
const QUOTES_STEP = 16_384

/** Values and keys in text order; a key precedes its value. */
export interface JsonTokens {
  start(token: number): number
  /** End position of a string, number or literal. */
  end(token: number): number
  /** The token after this one and its content. */
  next(token: number): number
}

type Awaited = 'value' | 'first item' | 'key' | 'first key' | 'comma'

interface Scan {
  readonly source: string
  readonly starts: IntList
  /** End positions; for lists and objects the complement (`~`) of the token after them. */
  readonly ends: IntList
  /** Tokens of the open lists and objects. */
  readonly open: number[]
  at: number
  awaited: Awaited
}

/** `undefined` if the text is not JSON or is nested too deep. Yields regularly. */
export function* scanJson(source: string): Generator<void, JsonTokens | undefined> {
  const starts = intList()
  const ends = intList()
  const scan: Scan = { source, starts, ends, open: [], at: 0, awaited: 'value' }
  for (let count = 1; ; count++) {
    if (count % STEP === 0) yield
    scan.at = behind(/[ \t\n\r]*/y, source, scan.at) ?? scan.at
    if (scan.awaited === 'comma' && scan.open.length === 0) break
    if (source.charAt(scan.at) === '"' && scan.awaited !== 'comma') {
      if (!(yield* takeText(scan))) return undefined
    } else if (!takeMark(scan)) {
      return undefined
    }
  }
  if (scan.at < source.length) return undefined
  return {
    start: starts.get,
    end: ends.get,
    next: (token) => (ends.get(token) < 0 ? ~ends.get(token) : token + 1),
  }
}

/** Reads a string and, for a key, its colon. */
function* takeText(scan: Scan): Generator<void, boolean> {
  const { source } = scan
  let end = endOfText(source, scan.at + 1)
  for (; end < 0; end = endOfText(source, ~end)) yield
  if (end === 0 || scan.open.length > MAX_DEPTH) return false
  const isKey = scan.awaited === 'key' || scan.awaited === 'first key'
  add(scan, end)
  if (!isKey) return true
  const colon = behind(/[ \t\n\r]*:/y, source, end)
  scan.at = colon ?? end
  scan.awaited = 'value'
  return colon !== undefined
}

/**
 * Position after the closing quote, 0 if there is none; for a long string the complement of the
 * position to continue from.
 */
function endOfText(source: string, from: number): number {
  let at = from
  for (let quotes = 0; quotes < QUOTES_STEP; quotes++) {
    const quote = source.indexOf('"', at)
    if (quote < 0) return 0
    let unescaped = quote
    while (source.charAt(unescaped - 1) === '\\') unescaped--
    at = quote + 1
    if ((quote - unescaped) % 2 === 0) return at
  }
  return ~at
}

/** Reads any token but a string. */
function takeMark(scan: Scan): boolean {
  const { source, at, awaited, open } = scan
  const mark = source.charAt(at)
  if (mark === ']' || mark === '}') return close(scan, mark)
  if (awaited === 'comma') {
    scan.at += 1
    scan.awaited = source.charAt(scan.starts.get(open.at(-1) ?? 0)) === '{' ? 'key' : 'value'
    return mark === ','
  }
  if (awaited === 'key' || awaited === 'first key' || open.length > MAX_DEPTH) return false
  if (mark === '[' || mark === '{') {
    open.push(add(scan, at + 1))
    scan.awaited = mark === '[' ? 'first item' : 'first key'
    return true
  }
  const end = behind(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y, source, at)
  if (end !== undefined) add(scan, end)
  return end !== undefined
}

function close(scan: Scan, mark: ']' | '}'): boolean {
  const { source, starts, ends, open, awaited } = scan
  const token = open.pop()
  if (token === undefined) return false
  const isList = source.charAt(starts.get(token)) === '['
  if (isList !== (mark === ']')) return false
  if (awaited !== 'comma' && awaited !== (isList ? 'first item' : 'first key')) return false
  ends.set(token, ~starts.size())
  scan.at += 1
  scan.awaited = 'comma'
  return true
}

function add(scan: Scan, end: number): number {
  scan.ends.push(end)
  const token = scan.starts.push(scan.at)
  scan.at = end
  scan.awaited = 'comma'
  return token
}

function behind(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : undefined
}

interface IntList {
  size(): number
  get(index: number): number
  set(index: number, value: number): void
  /** Returns the index. */
  push(value: number): number
}

/** Four bytes per number; a plain array may take eight and is copied as a whole when it grows. */
function intList(): IntList {
  const block = 65_536
  const blocks: Int32Array[] = []
  let size = 0
  return {
    size: () => size,
    get: (index) => blocks[index >>> 16]?.[index & (block - 1)] ?? 0,
    set(index, value) {
      const held = blocks[index >>> 16]
      if (held !== undefined) held[index & (block - 1)] = value
    },
    push(value) {
      if ((size & (block - 1)) === 0) blocks.push(new Int32Array(block))
      this.set(size, value)
      return size++
    },
  }
}
