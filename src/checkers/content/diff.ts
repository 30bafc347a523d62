/**
 * Added and removed lines between two texts, in time linear to their length. A moved line is
 * neither.
 *
 * @module
 */

export interface Difference {
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
export function ratioOf({ added, removed }: Difference, lines: number): number {
  return lines === 0 ? 0 : Math.round(((added.length + removed.length) / lines) * 10_000) / 10_000
}

/** A few removed (`-`) and added (`+`) lines, each shortened to the part that differs. */
export function excerptOf({ added, removed }: Difference): string {
  const shown: string[] = []
  for (let at = 0; at < LINES_SHOWN; at++) {
    const [gone, come] = [removed[at], added[at]]
    const common = gone === undefined || come === undefined ? 0 : commonStart(gone, come)
    if (gone !== undefined) shown.push(`- ${window(gone, common)}`)
    if (come !== undefined) shown.push(`+ ${window(come, common)}`)
  }
  const rest = added.length + removed.length - shown.length
  return [...shown, ...(rest > 0 ? [`… and ${rest} more lines`] : [])].join('\n')
}

function window(line: string, from: number): string {
  const start = line.length <= CHARACTERS_SHOWN ? 0 : Math.max(0, from - LEAD_SHOWN)
  const end = start + CHARACTERS_SHOWN
  const cut = line.slice(start, end).replace(/[\p{Cc}\p{Cs}]/gu, '?')
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}
