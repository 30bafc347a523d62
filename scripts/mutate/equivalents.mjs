/**
 * The mutants that no test can tell from the original: test/mutation/<part>.txt names each with the reason. They
 * are found by the text of the source line, so that an entry outlives moves and dies with the line.
 *
 *     > while ((changes[next + 1]?.at ?? Infinity) < begin) next += 1
 *     - (changes[next + 1]?.at ?? Infinity) < begin => false
 *     The reason, in one or more lines; an empty line ends the entry.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'

/** @typedef {{ readonly line: string, readonly mutants: readonly string[], readonly reason: string }} Entry */

/**
 * @param {string} part
 * @returns {Entry[]}
 */
export function equivalentsOf(part) {
  const file = join(root, 'test/mutation', `${part}.txt`)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split(/\n\s*\n/)
    .filter((text) => text.trim() !== '' && !text.trim().startsWith('#'))
    .map((text) => entryOf(text.trim().split('\n'), part))
}

/**
 * @param {readonly string[]} rows
 * @param {string} part
 */
function entryOf(rows, part) {
  const [first = '', ...rest] = rows
  const mutants = rest.filter((row) => row.startsWith('- ')).map((row) => row.slice(2).trim())
  const reason = rest.filter((row) => !row.startsWith('- ')).join(' ')
  if (!first.startsWith('> ') || mutants.length === 0 || reason === '') {
    throw new Error(`test/mutation/${part}.txt: not an entry with mutants and a reason: ${first}`)
  }
  return { line: first.slice(2).trim(), mutants, reason }
}
