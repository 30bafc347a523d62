/**
 * Who a request makes its changes for, as the audit log shows it.
 *
 * @module
 */

/** As the engine takes them. */
const MAX_ACTOR = 200

/** What an `actor` of the host's functions becomes: one that is not usable must not fail a request. */
export function actorFrom(given: unknown, fallback: string): string {
  const text = typeof given === 'string' && given.trim() !== '' ? given : fallback
  return text.replaceAll(/\p{Cc}|\p{Cs}/gu, '').slice(0, MAX_ACTOR) || 'unknown'
}
