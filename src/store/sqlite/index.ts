/**
 * The store in one SQLite file: no setup, no server.
 *
 * @module watchpost/store/sqlite
 */

import { systemClock } from '../../clock.ts'
import { ConfigurationError, StorageError } from '../../errors.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import { promised } from '../promised.ts'
import type { Grouped } from '../promised.ts'
import type { FullStore } from '../store.ts'
import { accounts, keys, locations, meta } from './accounts.ts'
import { auditLog } from './audit.ts'
import { commit } from './commit.ts'
import { createSocket } from './connection.ts'
import type { Connection } from './connection.ts'
import { contacts } from './contacts.ts'
import { createAttemptBatch } from './attempt-batch.ts'
import { createBackups } from './backup.ts'
import { explain } from './explain.ts'
import { daily } from './daily.ts'
import { availability, incidents, results } from './history.ts'
import { hourly } from './hourly.ts'
import { monitors } from './monitors.ts'
import { moveWaiting, notifications } from './notifications.ts'
import { IN_MEMORY, openFile } from './open.ts'
import type { OpenFile, SqliteStoreOptions } from './open.ts'
import { createPrune } from './prune.ts'
import { idempotencyResponses } from './idempotency.ts'
import { publicPages, versioned } from './versioned.ts'
import { MAINTENANCE, STATUS_REPORTS } from '../versioned.ts'

export type { SqliteStoreOptions } from './open.ts'
export type { SqliteDriverName } from './drivers.ts'

const OPTIONS: OptionTable<SqliteStoreOptions> = {
  file: option.text,
  driver: option.oneOf('native', 'wasm'),
  guest: option.flag,
  clock: option.wallClock,
}

/**
 * A store in an SQLite file, for one engine at a time: `open` rejects with a `StorageError` while another live
 * process owns the file. Every commit is on disk when its promise resolves.
 */
export function sqliteStore(options: SqliteStoreOptions): FullStore {
  checkOptions('sqliteStore', options, OPTIONS)
  const { file, guest = false, clock = systemClock } = options
  if (typeof file !== 'string' || file === '')
    throw new ConfigurationError('sqliteStore: file: the path of the database is expected')
  const db = createSocket()
  let opened: OpenFile | undefined
  const failure = (error: unknown) => explain(file, error)
  const attempts = createAttemptBatch(db)
  const backups = createBackups()
  const touch = (): void => {
    if (opened === undefined) throw new StorageError(`The store in ${file} is not open`)
    opened.touch()
  }
  const check = (): void => {
    touch()
    attempts.flush()
  }
  const group = <Group extends object>(methods: Grouped<Group>): Group =>
    promised(methods, { failure, check })
  const closing = promised<Pick<FullStore, 'close'>>({ close }, { failure })

  return {
    shared: guest,
    async open() {
      if (opened !== undefined) return
      try {
        opened = await openFile(options)
        db.plug(opened.connection)
      } catch (error) {
        throw failure(error)
      }
    },
    ...groups(db, group),
    notifications: {
      ...group<Omit<FullStore['notifications'], 'finish'>>(notifications(db)),
      async finish(end) {
        try {
          touch()
          return await attempts.finish(end)
        } catch (error) {
          throw failure(error)
        }
      },
    },
    contacts: group<FullStore['contacts']>(contacts(db, () => clock.now())),
    async backup(path, options) {
      try {
        check()
        if (opened === undefined || file === IN_MEMORY)
          throw new ConfigurationError(`A store in ${IN_MEMORY} has no file to back up`)
        return await backups.make(path, opened.handle, options)
      } catch (error) {
        if (options?.signal?.aborted === true) throw error
        throw explain(path, error)
      }
    },
    async close() {
      // The driver of WebAssembly writes the log back when it closes, which would change the file under the copy.
      await backups.stop()
      await closing.close()
    },
  }

  function close(): void {
    const last = opened
    opened = undefined
    // To close writes the log back, into what is the file of another process.
    if (last?.isHeld() === false) return db.plug()
    try {
      attempts.flush()
      db.close()
    } finally {
      last?.release()
    }
  }
}

type Wrap = <Group extends object>(methods: Grouped<Group>) => Group

function groups(
  db: Connection,
  group: Wrap,
): Omit<FullStore, 'shared' | 'open' | 'close' | 'contacts' | 'notifications' | 'backup'> {
  return {
    accounts: group<FullStore['accounts']>(accounts(db)),
    keys: group<FullStore['keys']>(keys(db)),
    locations: group<FullStore['locations']>(locations(db)),
    maintenance: group<FullStore['maintenance']>(versioned(db, MAINTENANCE)),
    publicPages: group<FullStore['publicPages']>(publicPages(db)),
    statusReports: group<FullStore['statusReports']>(versioned(db, STATUS_REPORTS)),
    monitors: group<FullStore['monitors']>(monitors(db)),
    results: group<FullStore['results']>(results(db)),
    incidents: group<FullStore['incidents']>(incidents(db)),
    availability: group<FullStore['availability']>(availability(db)),
    daily: group<FullStore['daily']>(daily(db)),
    hourly: group<FullStore['hourly']>(hourly(db)),
    auditLog: group<FullStore['auditLog']>(auditLog(db)),
    idempotencyResponses: group<FullStore['idempotencyResponses']>(idempotencyResponses(db)),
    meta: group<FullStore['meta']>(meta(db)),
    ...group<Required<Pick<FullStore, 'commit' | 'prune' | 'clockSet'>>>({
      commit: (changes) => commit(db, changes),
      prune: createPrune(db),
      clockSet: (set) => moveWaiting(db, set),
    }),
  }
}
