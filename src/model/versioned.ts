/**
 * Records of an account that consist of their settings and a version.
 *
 * @module
 */

export interface VersionedRecord<S> {
  readonly id: number
  readonly account_id: number
  /** Starts at 1; raised by every change. */
  readonly version: number
  /** Plain JSON. */
  readonly settings: S
  /** Epoch milliseconds, as `updated_at`. */
  readonly created_at: number
  readonly updated_at: number
}
