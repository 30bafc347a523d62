/**
 * The monitors of this engine in memory. Every change goes through `change`, one at a time per monitor, and is stored
 * before memory shows it.
 *
 * @module
 */

import { yieldingQueueOf } from '../../clock.ts'
import { ConflictError, NotFoundError } from '../../errors.ts'
import type { JsonObject, MonitorRecord } from '../../model.ts'
import { quotaError, SHARDS, shardOf } from '../../store/store.ts'
import type { Change, Committed } from '../../store/store.ts'
import type { Committer } from '../commit/committer.ts'
import type { Core } from '../core/core.ts'
import { applyChange, cachedMonitorOf, isSteady, sealSettings } from './cached-monitor.ts'
import type { Changed, CachedMonitor, Planned } from './cached-monitor.ts'
import { createMonitorReader } from './monitor-reader.ts'
import { createMonitorsByTag } from './monitors-by-tag.ts'
import type { MonitorType } from '../registry/registry.ts'

/** How often a change is computed again after a concurrent commit of another process. */
const TRIES = 5

const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard)

export interface MonitorCache {
  /**
   * Reads the monitors of these shards (`undefined`: all) into memory and keeps them, together with those created
   * later.
   *
   * @throws ConfigurationError if a secret cannot be decrypted
   */
  load(shards: readonly number[] | undefined): Promise<readonly CachedMonitor[]>
  /** Removes the monitors of these shards from memory; returns their ids. */
  drop(shards: readonly number[]): readonly number[]
  /** Reads a cached monitor again; returns its state before and after, `undefined` if it cannot be watched here. */
  refresh(id: number): Promise<{
    readonly before: CachedMonitor | undefined
    readonly after: CachedMonitor | undefined
  }>
  /** Cached monitors that differ from the store. */
  outdated(): Promise<readonly number[]>
  /** @throws NotFoundError */
  get(id: number): Promise<CachedMonitor>
  /** From memory alone. */
  peek(id: number): CachedMonitor | undefined
  byTokenHash(hash: string): Promise<CachedMonitor>
  /** Adds a monitor that was just created. */
  add(record: MonitorRecord): CachedMonitor
  all(): IterableIterator<CachedMonitor>
  /** Of those in memory, the ids of the account's that have one of these folded tags, lowest first. */
  withTag(account_id: number, tags: Iterable<string>): Promise<readonly number[]>
  /** Shards whose monitors are not, or not yet, in memory. */
  readonly missingShards: readonly number[]
  readonly size: number
  /** How many monitors of its shards this engine cannot watch: it has no checker for them, or cannot read them. */
  readonly asideCount: number
  /**
   * Computes a change on the current state and commits it; `null` changes nothing. `deferrable`: no caller waits for
   * it; ignored unless the monitor was up or down, and stays so.
   *
   * @throws NotFoundError, ConflictError, StorageError
   */
  change(
    id: number,
    work: (cached: CachedMonitor) => Promise<Planned | null> | Planned | null,
    options?: { readonly deferrable?: boolean },
  ): Promise<Changed | null>
  /** Commits deferred changes now. */
  flush(): void
  /** Type-specific settings as they are stored, with secrets encrypted. */
  seal(type: MonitorType, settings: JsonObject): JsonObject
  /** Resolves when every running change has ended. */
  drain(): Promise<void>
}

export function createMonitorCache(core: Core, committer: Committer): MonitorCache {
  const { store } = core
  const reader = createMonitorReader(core)
  const monitors = new Map<number, CachedMonitor>()
  const byTag = createMonitorsByTag({ clock: core.clock, monitors })
  const tails = new Map<number, Promise<unknown>>()
  /** Yields to other work before a change: a host may change, or check, all monitors of an account at once. */
  const nextTurn = yieldingQueueOf(core.clock)
  let kept: ReadonlySet<number> = new Set()
  /** Of the kept ones, those whose monitors are still being read. */
  let loading: readonly number[] = []

  const keeps = (id: number): boolean => kept.has(shardOf(id))

  /** The only two that write to `monitors`. */
  function put(cached: CachedMonitor): void {
    const { id } = cached.record
    byTag.follow(monitors.get(id), cached)
    monitors.set(id, cached)
  }

  function remove(id: number): void {
    byTag.follow(monitors.get(id), undefined)
    monitors.delete(id)
  }

  /** Serializes work per monitor; a failure does not affect the next. */
  function inTurn<T>(id: number, work: () => Promise<T>): Promise<T> {
    const turn = (tails.get(id) ?? Promise.resolve()).then(work, work)
    tails.set(id, turn)
    const forget = (): void => {
      if (tails.get(id) === turn) tails.delete(id)
    }
    turn.then(forget, forget)
    return turn
  }

  async function attempt(
    id: number,
    work: Parameters<MonitorCache['change']>[1],
    deferrable: boolean,
  ): Promise<Changed | null> {
    await nextTurn()
    for (let tries = 1; ; tries++) {
      const before = await monitorCache.get(id)
      const planned = await work(before)
      if (planned === null) return null
      const { change } = planned
      // Other processes that cache the monitor must learn of it.
      const toCommit: Change = keeps(id) ? change : { ...change, broadcast: true }
      const committed = await committer.commit(toCommit, {
        account_id: before.record.account_id,
        deferrable: deferrable && isSteady(before, change),
      })
      if (committed.ok) return applyCommit(before, planned, committed)
      if (committed.reason === 'gone') {
        remove(id)
        throw new NotFoundError('monitor')
      }
      if (committed.reason === 'quota')
        throw quotaError('checks_per_min', change.within?.checks_per_min ?? 0)
      if (tries === TRIES)
        throw new ConflictError('busy', 'Others change the monitor all the time; ask again')
      // The old one stays until the new one is read: a monitor that is not in memory is not checked.
      const record = await store.monitors.get(id)
      if (record === undefined || !keeps(id)) remove(id)
      else put(await reader.read(record))
    }
  }

  function applyCommit(
    before: CachedMonitor,
    { change, fresh = [] }: Planned,
    committed: Extract<Committed, { ok: true }>,
  ): Changed {
    const after =
      change.remove === true ? undefined : applyChange(core, before, { change, committed })
    if (after === undefined) remove(before.record.id)
    else if (keeps(before.record.id)) put(after)
    return { before, after, change, committed, fresh }
  }

  const monitorCache: MonitorCache = {
    async load(shards) {
      const before = kept
      const asked = shards ?? ALL_SHARDS
      // Set before reading: monitors that are created or changed meanwhile belong to these shards.
      kept = new Set([...kept, ...asked])
      const added = asked.filter((shard) => !before.has(shard))
      loading = [...loading, ...added]
      const ended = (): void => {
        loading = loading.filter((shard) => !added.includes(shard))
      }
      const loaded = await reader.all(shards).catch((error: unknown) => {
        ended()
        monitorCache.drop(added)
        throw error
      })
      for (const cached of loaded) {
        const { id, revision } = cached.record
        if (keeps(id) && (monitors.get(id)?.record.revision ?? -1) < revision) put(cached)
      }
      ended()
      return loaded
    },
    drop(shards) {
      kept = new Set([...kept].filter((shard) => !shards.includes(shard)))
      const gone = [...monitors.keys()].filter((id) => !keeps(id))
      for (const id of gone) remove(id)
      for (const id of reader.setAside.keys()) if (!keeps(id)) reader.setAside.delete(id)
      return gone
    },
    refresh: (id) =>
      inTurn(id, async () => {
        const before = monitors.get(id)
        if (!keeps(id)) return { before, after: before }
        const record = await store.monitors.get(id)
        if (record === undefined) reader.setAside.delete(id)
        if (record?.revision === before?.record.revision) return { before, after: before }
        const found = record === undefined ? undefined : await reader.watchable(record)
        const after = keeps(id) ? found : undefined
        if (!keeps(id)) reader.setAside.delete(id)
        if (after === undefined) remove(id)
        else put(after)
        return { before, after }
      }),
    async outdated() {
      const known = new Map(reader.setAside)
      for (const { record } of monitors.values()) known.set(record.id, record.revision)
      const changed: number[] = []
      for await (const page of reader.pages([...kept])) {
        for (const { id, revision } of page) {
          if (known.get(id) !== revision) changed.push(id)
          known.delete(id)
        }
      }
      return [...changed, ...known.keys()]
    },
    peek: (id) => monitors.get(id),
    async get(id) {
      return monitors.get(id) ?? reader.read(await store.monitors.get(id))
    },
    async byTokenHash(hash) {
      const record = await store.monitors.byTokenHash(hash)
      return (record === undefined ? undefined : monitors.get(record.id)) ?? reader.read(record)
    },
    add(record) {
      const cached = cachedMonitorOf(core, record, [])
      if (keeps(record.id)) put(cached)
      return cached
    },
    all: () => monitors.values(),
    withTag: (account_id, tags) => byTag.find(account_id, tags),
    get missingShards() {
      if (kept.size === SHARDS && loading.length === 0) return []
      const present = new Set([...kept].filter((shard) => !loading.includes(shard)))
      return ALL_SHARDS.filter((shard) => !present.has(shard))
    },
    get size() {
      return monitors.size
    },
    get asideCount() {
      return reader.setAside.size
    },
    change(id, work, { deferrable = false } = {}) {
      // A deferred round of this monitor may be waiting, and this change behind it.
      if (!deferrable && tails.has(id)) committer.flush()
      return inTurn(id, () => attempt(id, work, deferrable))
    },
    flush: () => committer.flush(),
    seal: (type, settings) => sealSettings(core, type, settings),
    async drain() {
      while (tails.size > 0) await Promise.allSettled([...tails.values()])
      await committer.drain()
    },
  }
  return monitorCache
}
