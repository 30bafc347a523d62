/** What a report of Stryker says: how many mutants there are, and which survived. */

/**
 * @typedef {object} Survivor
 * @property {string} at `src/incident/uptime.ts:50`
 * @property {string} line the source line
 * @property {string} change `original => replacement`
 * @property {string} mutator
 * @property {boolean} covered whether a test runs the code at all
 */

/** @typedef {{ readonly line: number, readonly column: number }} Position */
/**
 * @typedef {object} Mutant
 * @property {string} mutatorName
 * @property {string} [replacement]
 * @property {string} status
 * @property {{ readonly start: Position, readonly end: Position }} location
 */
/** @typedef {{ readonly files: Readonly<Record<string, { readonly source: string, readonly mutants: readonly Mutant[] }>> }} Report */

/** Longer ones, whole blocks, are cut. */
const CHANGE_LENGTH = 160

/** @param {Report} report */
export function read(report) {
  const counts = { killed: 0, timeouts: 0, invalid: 0 }
  /** @type {Survivor[]} */
  const survivors = []
  for (const [path, { source, mutants }] of Object.entries(report.files)) {
    const lines = source.split('\n')
    for (const mutant of mutants) {
      if (mutant.status === 'Killed') counts.killed += 1
      else if (mutant.status === 'Timeout') counts.timeouts += 1
      else if (mutant.status === 'Survived' || mutant.status === 'NoCoverage')
        survivors.push(survivorOf(path, lines, mutant))
      else counts.invalid += 1
    }
  }
  return { ...counts, survivors }
}

/**
 * @param {string} path
 * @param {readonly string[]} lines
 * @param {Mutant} mutant
 * @returns {Survivor}
 */
function survivorOf(path, lines, { location: { start, end }, mutatorName, replacement, status }) {
  const line = (lines[start.line - 1] ?? '').trim()
  const original = lines
    .slice(start.line - 1, end.line)
    .map((text, index, all) =>
      text.slice(
        index === 0 ? start.column - 1 : 0,
        index === all.length - 1 ? end.column - 1 : undefined,
      ),
    )
    .join(' ')
  const change = `${oneLine(original)} => ${oneLine(replacement ?? '')}`
  return {
    at: `${path}:${start.line}`,
    line,
    change,
    mutator: mutatorName,
    covered: status === 'Survived',
  }
}

/** @param {string} text */
function oneLine(text) {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > CHANGE_LENGTH ? `${line.slice(0, CHANGE_LENGTH)}…` : line
}

/**
 * The survivors without an entry, the number of those with one, and what entries name that did not survive.
 *
 * @param {readonly Survivor[]} survivors
 * @param {readonly import('./equivalents.mjs').Entry[]} entries
 */
export function compare(survivors, entries) {
  const keys = new Set(
    entries.flatMap(({ line, mutants }) => mutants.map((change) => keyOf(line, change))),
  )
  const left = survivors.filter(({ line, change }) => !keys.has(keyOf(line, change)))
  const seen = new Set(survivors.map(({ line, change }) => keyOf(line, change)))
  const stale = [...keys].filter((key) => !seen.has(key))
  return { left, equivalent: survivors.length - left.length, stale }
}

/**
 * @param {string} line
 * @param {string} change
 */
function keyOf(line, change) {
  return `${line}\n  ${change}`
}
