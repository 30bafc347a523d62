/**
 * A store in the memory of this process, for tests, scripts and short-lived use. It is the reference implementation
 * of the contract; the persistent stores behave the same.
 *
 * @module watchpost/store/memory
 */

import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { ConfigurationError, StorageError } from '../errors.ts'
import type { AvailabilityChange } from '../model.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import { commit } from './memory/commit.ts'
import { moveWaiting, notifications } from './memory/notifications.ts'
import { prune } from './memory/prune.ts'
import {
  accounts,
  auditLog,
  contacts,
  incidents,
  keys,
  locations,
  monitors,
  results,
} from './memory/records.ts'
import { idempotencyResponses } from './memory/idempotency.ts'
import {
  announce,
  announceTable,
  changes,
  memoryPlace,
  broadcastOf,
  requests,
  shards,
  idempotencyLocks,
} from './memory/shared.ts'
import type { MemoryPlace } from './memory/shared.ts'
import { copy } from './memory/copy.ts'
import { publicPages, versioned } from './memory/versioned.ts'
import type { Tables } from './memory/tables.ts'
import { promised, storageError } from './promised.ts'
import type { Grouped, Sync } from './promised.ts'
import { byHour } from './rules.ts'
import type { Requests, Shards, FullStore, IdempotencyLocks } from './store.ts'
import { MAINTENANCE, STATUS_REPORTS } from './versioned.ts'

export { memoryPlace } from './memory/shared.ts'
export type { MemoryPlace } from './memory/shared.ts'

export interface MemoryStoreOptions {
  /** Dates the notifications that end when their contact is removed. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
  /** From `memoryPlace()`: stores on the same place share their data, as several processes share a database. */
  readonly place?: MemoryPlace | undefined
}

/** Creates a store whose data ends with the process. Closing and opening it again keeps the data. */
export function memoryStore(options: MemoryStoreOptions = {}): FullStore {
  checkOptions('memoryStore', options, { clock: option.wallClock, place: option.object })
  const { clock = systemClock, place: shared } = options
  const place = shared ?? memoryPlace()
  const { tables } = place
  let opened = false
  const check = (): void => {
    if (!opened) throw new StorageError('The store in memory is not open')
  }
  const failure = (error: unknown) => storageError('The store in memory refused a value', error)
  const group = <Group extends object>(methods: Grouped<Group>): Group =>
    promised(methods, { check, failure })

  return {
    shared: shared !== undefined,
    open: () => Promise.resolve(void (opened = true)),
    close: () => Promise.resolve(void (opened = false)),
    accounts: group<FullStore['accounts']>(announcedRemovals(place, accounts(tables))),
    keys: group<FullStore['keys']>(keys(tables)),
    locations: group<FullStore['locations']>(locations(tables)),
    contacts: group<FullStore['contacts']>(contacts(tables, () => clock.now())),
    maintenance: group<FullStore['maintenance']>(
      versioned(tables, MAINTENANCE, () => announceTable(place, 'maintenance')),
    ),
    publicPages: group<FullStore['publicPages']>(publicPages(tables)),
    statusReports: group<FullStore['statusReports']>(versioned(tables, STATUS_REPORTS)),
    monitors: group<FullStore['monitors']>(announced(place, monitors(tables))),
    results: group<FullStore['results']>(results(tables)),
    incidents: group<FullStore['incidents']>(incidents(tables)),
    availability: group<FullStore['availability']>(availability(tables)),
    daily: group<FullStore['daily']>(daily(tables)),
    hourly: group<FullStore['hourly']>(hourly(tables)),
    auditLog: group<FullStore['auditLog']>(auditLog(tables)),
    notifications: group<FullStore['notifications']>(notifications(tables)),
    idempotencyResponses: group<FullStore['idempotencyResponses']>(idempotencyResponses(tables)),
    meta: group<FullStore['meta']>(meta(tables)),
    ...group<Required<Pick<FullStore, 'commit' | 'prune' | 'clockSet'>>>({
      commit(changed) {
        const broadcast = broadcastOf(place, changed)
        const committed = commit(tables, changed)
        announce(place, broadcast(committed))
        return committed
      },
      prune: (options) => prune(tables, options),
      clockSet: (set) => moveWaiting(tables, set),
    }),
    backup: () =>
      Promise.reject(
        new ConfigurationError('A store in memory has no file to back up; see export'),
      ),
    ...(shared === undefined
      ? {}
      : {
          shards: group<Shards>(shards(place)),
          changes: changes(place),
          requests: group<Requests>(requests(place)),
          idempotencyLocks: group<IdempotencyLocks>(idempotencyLocks(place)),
        }),
  }
}

function announced(
  place: MemoryPlace,
  methods: Sync<FullStore['monitors'], 'list'>,
): Sync<FullStore['monitors'], 'list'> {
  return {
    ...methods,
    create(monitor, within, audit) {
      const made = methods.create(monitor, within, audit)
      announce(place, [made.id])
      return made
    },
  }
}

function announcedRemovals(
  place: MemoryPlace,
  methods: Sync<FullStore['accounts']>,
): Sync<FullStore['accounts']> {
  return {
    ...methods,
    remove(id, limit, audit) {
      const begins = place.tables.accounts.has(id)
      const monitors = [...place.tables.monitors.values()].filter(
        ({ account_id }) => begins && account_id === id,
      )
      const removal = methods.remove(id, limit, audit)
      if (begins) announceTable(place, 'maintenance')
      announce(
        place,
        monitors.map((monitor) => monitor.id),
      )
      return removal
    },
  }
}

function availability(tables: Tables): Sync<FullStore['availability']> {
  return {
    list(monitor_id, from, to, limit = Infinity) {
      let before: AvailabilityChange | undefined
      const within: AvailabilityChange[] = []
      // One pass without copies: there may be a million entries.
      for (const entry of tables.availability.get(monitor_id) ?? []) {
        if (entry.at < from) before = entry
        else if (entry.at < to && within.length < limit) within.push(entry)
      }
      return copy(before === undefined ? within : [before, ...within])
    },
  }
}

function daily(tables: Tables): Sync<FullStore['daily']> {
  return {
    list: (monitor_id, from_day, to_day) =>
      copy(
        [...(tables.daily.get(monitor_id)?.values() ?? [])]
          .filter(({ day }) => day >= from_day && day <= to_day)
          .toSorted((a, b) => (a.day < b.day ? -1 : 1)),
      ),
  }
}

function hourly(tables: Tables): Sync<FullStore['hourly']> {
  return {
    list: (monitor_id, from, to) =>
      copy(
        [...(tables.hourly.get(monitor_id)?.hours.values() ?? [])]
          .filter(({ hour }) => hour >= from && hour < to)
          .toSorted(byHour),
      ),
  }
}

function meta(tables: Tables): Sync<FullStore['meta']> {
  return {
    get: (name) => tables.meta.get(name),
    set: (name, value) => void tables.meta.set(name, value),
  }
}
