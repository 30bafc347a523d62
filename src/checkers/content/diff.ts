/**
 * What came and what went between two texts, line by line, in time linear to their length. A line that
 * only moved is neither.
 *
 * @module
 */

export interface Difference {
  /** Lines that are new, in their order. */
  readonly added: readonly string[]
  /** Lines that are gone; what they said is not always known. */
  readonly removed: readonly string[]
}

const LINES_SHOWN = 5
const CHARACTERS_SHOWN = 160
/** Of what two lines have in common, so much is shown in front of the difference. */
const LEAD_SHOWN = 30

/** Lines before others get a turn; a line that is known by its hash counts for more. */
const STEP = 4096
const KEYED_LINES = 64

/** `keyOf`: by what the old lines are known, where that is not the lines themselves. */
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

/** The share of all lines that came or went, 0 to 1. */
export function ratioOf({ added, removed }: Difference, lines: number): number {
  return lines === 0 ? 0 : Math.round(((added.length + removed.length) / lines) * 10_000) / 10_000
}

/** A few lines that went (`-`) and came (`+`), each cut to where it differs. */
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
