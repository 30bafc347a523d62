import type { Clock } from '../../clock.ts'
import type { SqliteDriverName } from './drivers.ts'

export interface SqliteStoreOptions {
  /** Path of the database; made with its directory where it is new. `:memory:` keeps nothing. */
  readonly file: string
  /** Default: `native` where Node has `node:sqlite` (22.13 and later), else `wasm`. The file is the same for both. */
  readonly driver?: SqliteDriverName | undefined
  /**
   * Opens the file beside the engine that owns it, for a command of a moment. Works with the native driver on both
   * sides; `open` rejects with a `StorageError` that says what to do where it does not.
   */
  readonly guest?: boolean | undefined
  /** Dates what the store ends by itself (the notifications of a removed contact). Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}
