/**
 * What memory stores on one place share: leases, change broadcasts, request counts and idempotency locks.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { dealt, LEASE_AHEAD_MS } from '../rules.ts'
import { SHARDS } from '../store.ts'
import type {
  BroadcastTable,
  Change,
  Changes,
  Committed,
  Requests,
  Shards,
  IdempotencyLocks,
} from '../store.ts'
import type { Sync } from '../promised.ts'
import { createTables } from './tables.ts'
import type { Tables } from './tables.ts'

type Heard = Parameters<Changes['listen']>

interface Listener {
  readonly ofMonitor: Heard[0]
  readonly ofTable: Heard[1]
}

/** Shared data of several stores in one process, as several processes share a database. */
export interface MemoryPlace {
  readonly tables: Tables
  /** The engines that are alive, and until when. */
  readonly engines: Map<string, EpochMs>
  readonly shardOwners: (string | null)[]
  readonly listeners: Set<Listener>
  readonly requests: Map<number, EpochMs[]>
  readonly idempotencyLocks: Map<string, { readonly owner: string; readonly until: EpochMs }>
}

export function memoryPlace(): MemoryPlace {
  return {
    tables: createTables(),
    engines: new Map(),
    shardOwners: Array.from({ length: SHARDS }, () => null),
    listeners: new Set(),
    requests: new Map(),
    idempotencyLocks: new Map(),
  }
}

const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard)
/** The same in the order in which they are distributed. */
const DEALT = dealt(ALL_SHARDS)

export function shards({ engines, shardOwners }: MemoryPlace): Sync<Shards> {
  return {
    hold({ owner, now, until }) {
      engines.set(owner, until)
      for (const [other, lapses] of engines)
        if (other !== owner && (lapses <= now || lapses > until + LEASE_AHEAD_MS))
          engines.delete(other)
      const fair = Math.ceil(SHARDS / engines.size)
      let held = 0
      for (const shard of DEALT) {
        const one = shardOwners[shard] ?? null
        if (one === owner) held++
        const keeps = one === owner ? held <= fair : one !== null && engines.has(one)
        if (!keeps) shardOwners[shard] = null
      }
      for (const shard of DEALT) {
        if (held >= fair) break
        if (shardOwners[shard] !== null) continue
        shardOwners[shard] = owner
        held++
      }
      return ALL_SHARDS.filter((shard) => shardOwners[shard] === owner)
    },
    release(owner) {
      engines.delete(owner)
      shardOwners.forEach((one, shard) => {
        if (one === owner) shardOwners[shard] = null
      })
    },
  }
}

export function changes({ listeners }: MemoryPlace): Changes {
  return {
    listen(ofMonitor, ofTable) {
      const listener = { ofMonitor, ofTable }
      listeners.add(listener)
      return Promise.resolve(() => Promise.resolve(void listeners.delete(listener)))
    },
  }
}

/** Calls the listeners in a later microtask, after the commit's promise has resolved for its caller. */
export function announce({ listeners }: MemoryPlace, monitor_ids: readonly number[]): void {
  if (monitor_ids.length === 0) return
  queueMicrotask(() => {
    for (const listener of [...listeners]) for (const id of monitor_ids) listener.ofMonitor(id)
  })
}

/** The same for a table. */
export function announceTable({ listeners }: MemoryPlace, table: BroadcastTable): void {
  queueMicrotask(() => {
    for (const listener of [...listeners]) listener.ofTable?.(table)
  })
}

/** The monitors whose change is broadcast to other processes. */
export function broadcastOf(
  { tables }: MemoryPlace,
  changed: readonly Change[],
): (committed: readonly Committed[]) => number[] {
  const paused = (id: number) => tables.monitors.get(id)?.machine.state === 'paused'
  const before = changed.map(({ monitor_id }) => paused(monitor_id))
  return (committed) =>
    changed.flatMap(({ monitor_id, settings, token, remove, broadcast }, index) => {
      const said = settings ?? token ?? remove ?? broadcast
      const isBroadcast = said !== undefined || before[index] !== paused(monitor_id)
      return isBroadcast && committed[index]?.ok === true ? [monitor_id] : []
    })
}

export function requests({ requests: counted }: MemoryPlace): Sync<Requests> {
  return {
    admit({ key_id, now, window_ms, limit }) {
      const recent = (counted.get(key_id) ?? []).filter((at) => at > now - window_ms)
      const admitted = recent.length < limit
      if (admitted) recent.push(now)
      counted.set(key_id, recent)
      const remaining = Math.max(0, limit - recent.length)
      return {
        admitted,
        remaining,
        retry_at: remaining > 0 ? null : (recent[0] ?? now) + window_ms,
      }
    },
  }
}

export function idempotencyLocks({ idempotencyLocks: locks }: MemoryPlace): Sync<IdempotencyLocks> {
  const placeOf = (account_id: number, key: string): string => `${account_id} ${key}`
  return {
    acquire({ account_id, key, owner, now, until }) {
      const place = placeOf(account_id, key)
      if ((locks.get(place)?.until ?? now) > now) return false
      locks.set(place, { owner, until })
      return true
    },
    release({ account_id, key, owner }) {
      const place = placeOf(account_id, key)
      if (locks.get(place)?.owner === owner) locks.delete(place)
    },
  }
}
