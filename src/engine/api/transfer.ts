/**
 * Export and import of an account.
 *
 * @module
 */

export interface ExportOptions {
  /** With incidents, availability, hourly and daily totals and results. Default `false`. */
  readonly history?: boolean | undefined
  /**
   * 32 bytes, or their base64: encrypts secrets, so that whoever imports with the same key has them. Without it they are
   * left out.
   */
  readonly key?: string | Uint8Array | undefined
  /** With the tokens of heartbeats, encrypted, so that their addresses stay; needs `key`. Default `false`. */
  readonly tokens?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The text of an export, in pieces of any length; called twice, since everything is validated before anything is stored. */
export type ImportSource = () => AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>

export interface ImportOptions {
  /** The key of the export, if its secrets are encrypted. */
  readonly key?: string | Uint8Array | undefined
  /** Validates and counts, and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Names of locations in the export and what they are called here; the others keep their names. */
  readonly locations?: Readonly<Record<string, string>> | undefined
  /** Slugs of public pages in the export and those that they get here; the others keep theirs. */
  readonly slugs?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** Called after some lines with those that are done, and what is being done. */
  readonly onProgress?: ((lines: number, doing: 'validating' | 'storing') => void) | undefined
}

/** A monitor whose secrets the export does not contain; it stays paused until they are given. */
export interface MissingSecrets {
  /** Its id here; that of the export for `dryRun`. */
  readonly monitor_id: number
  readonly name: string
  readonly fields: readonly string[]
}

export interface ImportView {
  readonly monitors: number
  /** New ones; others had the same kind and name in the account and stay as they are. */
  readonly contacts: number
  /** New maintenance windows of the account; others are there already. */
  readonly maintenance: number
  /** New ones; the account had a page with the slug of each other one, which stays as it is. */
  readonly public_pages: number
  /** Slugs of new pages whose password is left out: nobody opens them until they are given one. */
  readonly locked_pages: readonly string[]
  /** New ones, on these pages; others are there already. */
  readonly status_reports: number
  readonly incidents: number
  readonly days: number
  readonly results: number
  /** Results older than the engine keeps. */
  readonly old_results: number
  /** Heartbeats with a new address. */
  readonly new_tokens: number
  /** Monitors without their secrets. */
  readonly without_secrets: number
  /** The first 100 of them. */
  readonly missing_secrets: readonly MissingSecrets[]
  /** Monitors that a quota of checks per minute keeps paused. */
  readonly over_quota: number
}
