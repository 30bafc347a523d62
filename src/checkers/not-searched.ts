/**
 * The failure for text that a pattern did not search: a large pattern searches fewer characters.
 *
 * @module
 */

import type { Pattern } from '../fields/pattern.ts'

/** The text of the cause `too_long`. */
export function notSearched({ source, searched }: Pick<Pattern, 'source' | 'searched'>): string {
  const first = `The first ${searched.toLocaleString('en-US')} characters were searched`
  return `${first}, and no match of ${JSON.stringify(source.slice(0, 100))} is in them`
}
