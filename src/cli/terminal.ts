/**
 * Output for the user or script that runs the command.
 *
 * @module
 */

import type { WriteStream } from 'node:tty'

/** What a piece of a line says about the target; colour is added to it, never the only sign. */
export type Tone = 'good' | 'bad' | 'unsure' | 'faint'

export interface Toned {
  readonly text: string
  readonly tone: Tone
}

/** Text, or pieces of it of which some have a tone. */
export type Line = string | readonly (string | Toned)[]

/** To stdout: what was asked for. */
export function say(line: Line = ''): void {
  process.stdout.write(`${rendered(line, isColoured(process.stdout))}\n`)
}

/** To stdout, as one JSON document; on several lines where `indent` is set. */
export function sayJson(value: unknown, indent = 0): void {
  process.stdout.write(`${jsonText(value, indent)}\n`)
}

/** JSON that a terminal shows as it is: `JSON.stringify` leaves U+007F to U+009F and directions of writing. */
export function jsonText(value: unknown, indent = 0): string {
  const escaped = (control: string): string =>
    `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, undefined, indent).replace(UNSEEN, escaped)
}

/** Controls but the line feed, and what turns the direction of writing (Unicode Bidi, UAX 9). */
const UNSEEN = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** To stderr: what is in the way. */
export function printError(text: string): void {
  process.stderr.write(`watchpost: ${printable(text)}\n`)
}

/** Replaces control and direction characters in texts of servers, which could otherwise move the cursor or set colours. */
export function printable(text: string): string {
  return text.replace(UNSEEN, '\uFFFD')
}

/** What is wrong with which field: a line each, also where the name, which may be that of a file, has line breaks. */
export function problemLines(fields: Readonly<Record<string, string>>): string[] {
  return Object.entries(fields).map(([name, problem]) =>
    (name === '' ? problem : `${name}: ${problem}`).replace(/\s+/g, ' '),
  )
}

/** A reader that goes away (`| head`, a closed terminal) is no reason to stop watching. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/** Columns as wide as their widest cell; the last one as wide as it is. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Of texts that are wrapped: what a terminal has at least. */
export const TEXT_COLUMNS = 80

/** Lines of words, each with the same indentation; a longer word has a line of its own. */
export function wrapped(text: string, indent: string, columns = TEXT_COLUMNS): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line]
}

/** SGR parameters of ECMA-48, 8.3.117: the colours that every theme of a terminal sets legibly. */
const COLOURS: Readonly<Record<Tone, number>> = { good: 32, bad: 31, unsure: 33, faint: 2 }

/** A line as it is written, in colours or without. */
export function rendered(line: Line, coloured: boolean): string {
  const pieces = typeof line === 'string' ? [line] : line
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return printable(piece)
      const text = printable(piece.text)
      return coloured ? `\u001b[${COLOURS[piece.tone]}m${text}\u001b[0m` : text
    })
    .join('')
}

/** On a terminal, unless `NO_COLOR` is set (https://no-color.org). */
export function isColoured(
  { isTTY }: Pick<WriteStream, 'isTTY'>,
  { NO_COLOR, TERM }: NodeJS.ProcessEnv = process.env,
): boolean {
  // At run time `isTTY` is `undefined` for a stream that is no terminal; the types say boolean.
  return (isTTY as boolean | undefined) === true && (NO_COLOR ?? '') === '' && TERM !== 'dumb'
}

/** Milliseconds for a column: to a tenth, of less than one to a hundredth. */
export function decimals(ms: number): string {
  return ms.toFixed(ms < 1 ? 2 : 1)
}

/** Of a file, for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}
