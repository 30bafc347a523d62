import type { Clock } from '../../clock.ts'
import type { SqliteDriverName } from './drivers.ts'

export interface SqliteStoreOptions {
  /** Path of the database; created with its directory if missing. `:memory:` stores nothing on disk. */
  readonly file: string
  /** Default: `native` if Node has `node:sqlite` (22.13 and later), else `wasm`. The file format is the same. */
  readonly driver?: SqliteDriverName | undefined
  /**
   * Opens the file beside the engine that owns it, for a short command. Requires the native driver on both sides;
   * otherwise `open` rejects with a `StorageError` that says what to do.
   */
  readonly guest?: boolean | undefined
  /** Dates the notifications that end when their contact is removed. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}
