/**
 * The store that several engines share: one PostgreSQL database (13 or later). The package `pg` is loaded when the
 * store is opened.
 *
 * @module watchpost/store/postgres
 */

import { systemClock } from '../../clock.ts'
import { ConfigurationError, StorageError } from '../../errors.ts'
import type { FullStore } from '../store.ts'
import { accounts, keys, locations } from './accounts.ts'
import { auditLog } from './audit.ts'
import { createChangeBroadcast } from './changes.ts'
import { commit } from './commit/index.ts'
import { contacts } from './contacts.ts'
import { createDatabase } from './database.ts'
import { explain } from './explain.ts'
import { availability, daily, hourly, incidents, results } from './history.ts'
import { migrate } from './migrations.ts'
import { monitors } from './monitors.ts'
import { notifications } from './notifications.ts'
import { settingsOf } from './options.ts'
import type { PostgresStoreOptions } from './options.ts'
import { createPartitions, requirePartitionRights } from './partitions.ts'
import { openConnections } from './pool.ts'
import type { Connections } from './pool.ts'
import { createPrune } from './prune.ts'
import { inTurns } from './reading-turns.ts'
import { idempotencyLocks, idempotencyResponses, meta } from './idempotency.ts'
import { requests, shards } from './shared.ts'
import { publicPages, versioned } from './versioned.ts'
import { MAINTENANCE, STATUS_REPORTS } from '../versioned.ts'

export type { PostgresPool } from './driver.ts'
export type { PostgresConnection, PostgresStoreOptions } from './options.ts'

/**
 * A store in a PostgreSQL database, for any number of engines at the same time. Every commit is durable as
 * the server's `synchronous_commit` says when its promise resolves. A call that cannot reach the database
 * rejects with a `StorageError` within `connectTimeoutMs`, `statementTimeoutMs` and `retryMs` together; the
 * next one works once the database is back.
 *
 * @throws ConfigurationError where an option does not fit
 */
export function postgresStore(options: PostgresStoreOptions = {}): FullStore {
  const settings = settingsOf(options)
  const { clock = systemClock } = options
  let open: Connections | undefined
  let closing = new AbortController()
  const connections = (): Connections => {
    if (open === undefined) throw new StorageError('The store is not open')
    return open
  }
  const db = createDatabase(settings, connections, () => closing.signal)
  const partitions = createPartitions(db)
  const prune = createPrune(db)
  const broadcast = createChangeBroadcast({ schema: db.schema, connections })
  const lists = inTurns(
    {
      monitors: monitors(db),
      results: results(db),
      incidents: incidents(db),
      auditLog: auditLog(db),
      notifications: notifications(db),
    },
    { db, settings },
  )

  const store: Omit<FullStore, 'shared' | 'open' | 'close'> = {
    accounts: accounts(db),
    keys: keys(db),
    locations: locations(db),
    contacts: contacts(db, () => clock.now()),
    maintenance: versioned(db, MAINTENANCE),
    publicPages: publicPages(db),
    statusReports: versioned(db, STATUS_REPORTS),
    ...lists,
    availability: availability(db),
    daily: daily(db),
    hourly: hourly(db),
    idempotencyResponses: idempotencyResponses(db),
    meta: meta(db),
    commit: (changes) => commit(db, partitions, changes),
    async prune(old) {
      await partitions.ensureAhead(clock.now())
      return prune(old, clock.now())
    },
    shards: shards(db),
    changes: { listen: (listener, onTable) => broadcast.listen(listener, onTable) },
    requests: requests(db),
    idempotencyLocks: idempotencyLocks(db),
    backup: () =>
      Promise.reject(
        new ConfigurationError(
          'PostgreSQL is backed up by its own tools: pg_dump --format=custom, or a base backup with its log',
        ),
      ),
  }

  return {
    shared: true,
    async open() {
      if (open !== undefined) return
      closing = new AbortController()
      try {
        open = await openConnections(settings)
        await migrate(db)
        await requirePartitionRights(db)
        await partitions.ensureAhead(clock.now())
      } catch (error) {
        await close().catch(() => undefined)
        throw explain(settings.place, error)
      }
    },
    close,
    ...explained(store, () => open !== undefined, settings.place),
  }

  async function close(): Promise<void> {
    const closed = open
    open = undefined
    closing.abort(new StorageError('The store is closing'))
    partitions.forget()
    await broadcast.close()
    await closed?.close()
  }
}

type Call = (...args: unknown[]) => Promise<unknown>
type Calls = Readonly<Record<string, Call | Readonly<Record<string, Call>>>>

/** Wraps every function of the store: it rejects while the store is not open, and errors are translated by `explain`. */
function explained<Group extends object>(
  group: Group,
  isOpen: () => boolean,
  place: string,
): Group {
  const wrap =
    (call: Call): Call =>
    async (...args) => {
      if (!isOpen()) throw new StorageError(`The store is not open (${place})`)
      try {
        return await call(...args)
      } catch (error) {
        throw explain(place, error)
      }
    }
  const wrapped = Object.entries(group as Calls).map(([name, each]) => [
    name,
    typeof each === 'function' ? wrap(each) : explained(each, isOpen, place),
  ])
  return Object.fromEntries(wrapped) as Group
}
