/**
 * How tags, and texts that are searched, are compared: in every store, and in memory.
 *
 * @module
 */

/** Composed (NFC), in lower case by Unicode's rules, whatever the locale. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
