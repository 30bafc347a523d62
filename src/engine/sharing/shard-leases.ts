/**
 * Which monitors this engine runs: all if it is alone on its store, otherwise those of the shards that it leases.
 * Engines that join take their share; those that leave or end release theirs. An engine whose lease has
 * expired by either of its clocks starts no checks: the wall clock is that of the other engines, and the monotonic one
 * goes on where the wall clock is set back while this process stands still. The revision of a monitor prevents two
 * engines from overwriting each other.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import type { Timer } from '../../clock.ts'
import { SHARDS, shardOf } from '../../store/store.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'

/** The monitors of an ended engine are free after this. */
const LEASE_MS = 10_000
/** A lease is renewed three times, so that one renewal may be lost. */
const RENEW_MS = 3_000

export interface ShardLeases {
  /** Whether this engine currently owns the monitor. */
  owns(monitor_id: number): boolean
  /** The same by the monotonic clock alone: the wall clock was just set, and may be beyond the lease. */
  holds(this: void, monitor_id: number): boolean
  /** Joins the engines of this store; resolves to the initial shards, `undefined` for all. */
  join(): Promise<readonly number[] | undefined>
  /** Renews the leases from then on, and says which shards come and go. */
  keep(listener: ShardListener): void
  /** Releases all shards. */
  leave(): Promise<void>
}

export interface ShardListener {
  /** Starts the monitors of these shards; if it rejects, they are offered again. */
  acquired(shards: readonly number[]): Promise<void>
  /** Drops the monitors of these shards, which this engine no longer owns. */
  released(shards: readonly number[]): Promise<void>
}

export function createShardLeases(core: Core): ShardLeases {
  const { clock, store } = core
  const owner = randomBytes(8).toString('hex')
  let held: ReadonlySet<number> = new Set()
  let until = { wall: 0, monotonic: 0 }
  let timer: Timer | undefined
  let renewing = Promise.resolve()
  let left = false

  const { shards } = store
  if (shards === undefined) return soleOwner

  async function renew(): Promise<readonly number[]> {
    const now = clock.now()
    const lease = { wall: now + LEASE_MS, monotonic: clock.monotonic() + LEASE_MS }
    const mine = (await shards?.hold({ owner, now, until: lease.wall })) ?? []
    until = lease
    return mine
  }

  async function rebalance(listener: ShardListener): Promise<void> {
    const renewed = await renew()
    if (renewed.length === held.size && renewed.every((shard) => held.has(shard))) return
    const mine = new Set(renewed)
    const lost = [...held].filter((shard) => !mine.has(shard))
    const won = [...mine].filter((shard) => !held.has(shard))
    held = new Set([...held].filter((shard) => mine.has(shard)))
    if (lost.length > 0) await listener.released(lost)
    if (won.length === 0 || left) return
    await listener.acquired(won)
    held = new Set([...held, ...won])
    core.log.info({ shards: held.size, of: SHARDS }, 'the shards of this engine changed')
  }

  function renewLater(listener: ShardListener): void {
    if (left) return
    const renew = (): void => {
      renewing = renewAndRepeat(listener)
    }
    timer = clock.timer(RENEW_MS, renew, { background: true })
  }

  async function renewAndRepeat(listener: ShardListener): Promise<void> {
    try {
      await rebalance(listener)
    } catch (err) {
      logError(core, err, 'the shards of this engine could not be renewed')
    }
    renewLater(listener)
  }

  const holds = (monitor_id: number): boolean =>
    held.has(shardOf(monitor_id)) && clock.monotonic() < until.monotonic

  return {
    holds,
    owns: (monitor_id) => holds(monitor_id) && clock.now() < until.wall,
    async join() {
      const mine = await renew()
      held = new Set(mine)
      return mine
    },
    keep: renewLater,
    async leave() {
      left = true
      timer?.cancel()
      // A renewal under way would take the shards again after their release.
      await renewing
      held = new Set()
      await shards.release(owner)
    },
  }
}

const soleOwner: ShardLeases = {
  owns: () => true,
  holds: () => true,
  join: () => Promise.resolve(undefined),
  keep: () => undefined,
  leave: () => Promise.resolve(),
}
