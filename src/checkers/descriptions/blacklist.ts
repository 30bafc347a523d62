/**
 * Descriptions of the settings and measurements of the type `blacklist`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name, IP address, or web address that must not be on a list (1 to 2048 characters) */
  readonly target: unknown
  /** Look into the registry of blocked sites that the host provides (default `false`) */
  readonly rkn: unknown
  /** Ask Google Safe Browsing (or Web Risk), where the host has a key (default `false`) */
  readonly gsb: unknown
  /** DNS blocklists by id or zone; !id or !zone leaves one out, !category (such as !policy) a kind of listing. none, beside rkn or gsb, asks no list. Default: the set of the host (0 to 32 items) */
  readonly lists: unknown
}

export interface Measurements {
  /** Every listing: id, zone, entry (the address or name), codes, categories, reason and delist_url */
  readonly lists: unknown
  /** Every list and provider that was asked: id, listed, error and duration_ms */
  readonly checked: unknown
  /** Lists that gave a usable answer */
  readonly lists_checked: unknown
  /** Lists that did not */
  readonly lists_failed: unknown
  /** Addresses that were looked up, at most 8 */
  readonly addresses: unknown
  /** Further addresses of the host; private ones are not counted */
  readonly addresses_skipped: unknown
  /** Why the host has no address that could be looked up */
  readonly unresolved: unknown
}
