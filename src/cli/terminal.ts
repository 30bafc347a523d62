/**
 * Lines for the person (or the script) that called us.
 *
 * @module
 */

/** To stdout: what was asked for. */
export function say(text = ''): void {
  process.stdout.write(`${printable(text)}\n`)
}

/** To stdout, as one JSON document; on several lines where `indent` is set. */
export function sayJson(value: unknown, indent = 0): void {
  const escaped = (control: string): string =>
    `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  process.stdout.write(
    `${JSON.stringify(value, undefined, indent).replace(/(?!\n)\p{Cc}/gu, escaped)}\n`,
  )
}

/** To stderr: what is in the way. */
export function complain(text: string): void {
  process.stderr.write(`watchpost: ${printable(text)}\n`)
}

/** Words of servers pass through here: none of them may move the cursor or set colours. */
export function printable(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, '\uFFFD')
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
