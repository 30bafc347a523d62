/**
 * What a store is asked for a backup of everything in it.
 *
 * @module
 */

export interface BackupOptions {
  /** Ends the backup; nothing of it is left. */
  readonly signal?: AbortSignal | undefined
  /** Called after each step with the pages or bytes that are copied, and all of them. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined
}

export interface BackupSize {
  readonly bytes: number
}
