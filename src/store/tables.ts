/**
 * A store made of tables: four functions on rows and one for transactions, and everything else of `Store` is derived.
 * It is for one process, and reads what it needs; a member that is too slow is replaced by one of your own.
 *
 * @module watchpost/store/tables
 */

import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { StorageError } from '../errors.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import { storageError } from './promised.ts'
import type { FullStore } from './store.ts'
import { accounts } from './tables/accounts.ts'
import type { Calls, TableTransaction } from './tables/records.ts'
import { commit } from './tables/commit.ts'
import {
  auditLog,
  availability,
  contacts,
  daily,
  hourly,
  incidents,
  keys,
  locations,
  meta,
  monitors,
  idempotencyResponses,
  results,
} from './tables/lists.ts'
import { moveWaiting, notifications } from './tables/notifications.ts'
import { prune } from './tables/prune.ts'
import { recordsOf } from './tables/records.ts'
import { publicPages, versioned } from './tables/versioned.ts'
import { MAINTENANCE, STATUS_REPORTS } from './versioned.ts'

export { TABLES } from './tables/records.ts'
export type { TableName, TableQuery, TableRow, TableTransaction } from './tables/records.ts'

/** What you write; `tableStore` makes a store of it. */
export interface Tables {
  /** Opens, or creates all of `TABLES`. */
  open(): Promise<void>
  close(): Promise<void>
  /**
   * Carries out `work`: all that it writes is durable when the promise resolves, and none of it where it rejects.
   * The next transaction begins when this one has ended.
   */
  transaction<Result>(work: (rows: TableTransaction) => Promise<Result>): Promise<Result>
}

export interface TableStoreOptions {
  /** Dates what the store ends by itself (the notifications of a removed contact). Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

/** A store of one process on these tables. It has all that `Store` has for one process. */
export function tableStore(tables: Tables, options: TableStoreOptions = {}): FullStore {
  checkOptions('tableStore', options, { clock: option.wallClock })
  const { clock = systemClock } = options
  let opened = false
  let last: Promise<unknown> = Promise.resolve()

  /** One at a time: what a transaction has read, no other one changes before it ends. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = last.then(work).catch((error: unknown) => {
      throw storageError('The tables refused', error)
    })
    last = next.catch(() => undefined)
    return next
  }
  function group<Group extends object>(calls: Calls<Group>): Group {
    type Call = (...args: unknown[]) => Promise<unknown>
    const bound = Object.entries(calls as Readonly<Record<string, Call>>).map(([name, call]) => [
      name,
      (...args: unknown[]) =>
        inTurn(() => {
          if (!opened) throw new StorageError('The store is not open')
          return tables.transaction((rows) => call(recordsOf(rows), ...args))
        }),
    ])
    return Object.fromEntries(bound) as Group
  }

  return {
    shared: false,
    open: () =>
      inTurn(async () => {
        if (!opened) await tables.open()
        opened = true
      }),
    close: () =>
      inTurn(async () => {
        if (opened) await tables.close()
        opened = false
      }),
    accounts: group<FullStore['accounts']>(accounts),
    keys: group<FullStore['keys']>(keys),
    locations: group<FullStore['locations']>(locations),
    contacts: group<FullStore['contacts']>(contacts(() => clock.now())),
    maintenance: group<FullStore['maintenance']>(versioned(MAINTENANCE)),
    publicPages: group<FullStore['publicPages']>(publicPages),
    statusReports: group<FullStore['statusReports']>(versioned(STATUS_REPORTS)),
    monitors: group<FullStore['monitors']>(monitors),
    results: group<FullStore['results']>(results),
    incidents: group<FullStore['incidents']>(incidents),
    availability: group<FullStore['availability']>(availability),
    daily: group<FullStore['daily']>(daily),
    hourly: group<FullStore['hourly']>(hourly),
    auditLog: group<FullStore['auditLog']>(auditLog),
    notifications: group<FullStore['notifications']>(notifications),
    idempotencyResponses: group<FullStore['idempotencyResponses']>(idempotencyResponses),
    meta: group<FullStore['meta']>(meta),
    ...group<Required<Pick<FullStore, 'commit' | 'prune' | 'clockSet'>>>({
      commit,
      prune,
      clockSet: moveWaiting,
    }),
  }
}
