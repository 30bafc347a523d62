/**
 * Reads an export line by line, within bounds.
 *
 * @module
 */

import { ValidationError } from '../../errors.ts'
import type { ImportSource } from '../api/transfer.ts'
import { lineFrom, rankOf } from './lines.ts'
import type { Line } from './lines.ts'

/** Characters of a line: a result has up to 64 KiB of details, a monitor up to as many of settings several times. */
const MAX_LINE_CHARS = 1024 * 1024
/** Lines of an export: years of results of ten thousand monitors. */
const MAX_LINES = 1_000_000_000

export interface NumberedLine {
  readonly number: number
  readonly line: Line
}

/** @throws ValidationError with the number of the line */
export async function* readLines(source: ImportSource): AsyncGenerator<NumberedLine> {
  let number = 0
  let rank = -1
  let ended = false
  for await (const json of textLines(source())) {
    number++
    if (number > MAX_LINES) throw problemOf(number, `out_of_range: 1..${MAX_LINES} lines`)
    const line = lineFrom(json)
    if (typeof line === 'string') throw problemOf(number, line)
    if ((number === 1) !== (line.kind === 'export'))
      throw problemOf(number, 'invalid: an export begins with its line "export"')
    if (ended || rankOf(line.kind) < rank)
      throw problemOf(number, `invalid: a line "${line.kind}" appears earlier`)
    rank = rankOf(line.kind)
    if (line.kind === 'end') {
      ended = true
      if (line.content.lines !== number)
        throw problemOf(number, `invalid: the export had ${line.content.lines} lines`)
    }
    yield { number, line }
  }
  if (number === 0) throw problemOf(1, 'required: the file is empty')
  if (!ended) throw problemOf(number + 1, 'required: the export was cut off, its end is missing')
}

export function problemOf(number: number, problem: string): ValidationError {
  return new ValidationError({ [`line ${number}`]: problem })
}

async function* textLines(pieces: ReturnType<ImportSource>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let number = 1
  for await (const piece of pieces) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      yield withinBounds(rest.slice(from, end), number++)
      from = end + 1
    }
    rest = withinBounds(rest.slice(from), number)
  }
  rest += decoder.decode()
  if (rest !== '') yield withinBounds(rest, number)
}

function withinBounds(line: string, number: number): string {
  if (line.length <= MAX_LINE_CHARS) return line
  throw problemOf(number, `out_of_range: 0..${MAX_LINE_CHARS} characters`)
}
