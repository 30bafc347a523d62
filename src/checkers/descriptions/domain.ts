/**
 * Descriptions of the settings and measurements of the type `domain`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Domain to watch; a host name or a URL is cut to the name that was registered, IDN is stored as A-labels (1 to 2048 characters) */
  readonly domain: unknown
  /** Days before the end of the registration at which to warn, once for each (1 to 10 items; default `[30]`) */
  readonly days_warn: unknown
}

export interface Measurements {
  /** The registered name in A-labels */
  readonly domain: unknown
  /** The name as people read it */
  readonly unicode: unknown
  /** Who registered it for its holder */
  readonly registrar: unknown
  /** When it was registered first, ISO 8601 */
  readonly created_at: unknown
  /** When the record was changed last, ISO 8601 */
  readonly updated_at: unknown
  /** When the registration ends, ISO 8601; null where the registry does not tell */
  readonly expires_at: unknown
  /** Whole days until then, rounded down; negative once it is over */
  readonly days_left: unknown
  /** States of the registration in the words of EPP, such as clientHold */
  readonly statuses: unknown
  /** Name servers that the registry has for it */
  readonly nameservers: unknown
  /** Whether the delegation is signed; null if unknown */
  readonly dnssec: unknown
  /** true: the registry does not tell when the registration ends */
  readonly expiry_unpublished: unknown
  /** The registrar's own date, where it is another one than the registry's */
  readonly registrar_expires_at: unknown
  /** true: the registry has renewed it by itself, and the registrar may still take that back */
  readonly auto_renew_grace: unknown
  /** The previous expiry date, if it changed */
  readonly previous_expires_at: unknown
  /** rdap or whois */
  readonly source: unknown
  /** The server that answered */
  readonly server: unknown
  /** Age of a result shared with another monitor, ms; 0: new */
  readonly age_ms: unknown
  /** Every query: source, server and result */
  readonly attempts: unknown
}
