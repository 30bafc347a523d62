/**
 * Bounds what JSON from Redis has before it is parsed, which takes up to a microsecond for a value: eight megabytes of
 * brackets take more than a second in one turn of the event loop.
 *
 * @module
 */

/** Brackets, commas and colons of one message; one with all details, memos and notices has fewer. */
export const MAX_MARKS = 100_000

/** Whether a character stands before a value of JSON: `[`, `{`, `,` or `:`. Those in strings count as well. */
export function isMark(code: number): boolean {
  return code === 0x5b || code === 0x7b || code === 0x2c || code === 0x3a
}

/**
 * @param budget what texts that are parsed in the same turn may have together; each takes its share
 * @throws Error for a text with too many values, and one that is not JSON
 */
export function parseBounded(text: string, budget = { marks: MAX_MARKS }): unknown {
  let marks = 0
  for (let at = 0; at < text.length && marks <= budget.marks; at++)
    if (isMark(text.charCodeAt(at))) marks += 1
  if (marks > budget.marks) throw new Error('It has too many values')
  budget.marks -= marks
  return JSON.parse(text)
}
