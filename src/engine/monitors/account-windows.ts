/**
 * The maintenance windows of accounts in memory, by the monitors that they cover. An open or next occurrence is
 * computed once, not per monitor.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { UnreadableError } from '../../errors.ts'
import { isOpen, maintenanceOf, spanAt } from '../../incident/maintenance.ts'
import type { Maintenance, Span } from '../../incident/maintenance.ts'
import type { EpochMs, MaintenanceRecord, MonitorRecord } from '../../model.ts'
import { fold } from '../../model/fold.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'

/** Windows of one account, whatever its quota. */
export const MAX_WINDOWS = 1000
/** Rows per query. */
const ROWS_PER_QUERY = 500
/** Ids of removed windows that are kept: a request may have read a window before its removal, and pass it on later. */
const MAX_REMOVED = 10_000

export interface AccountWindow {
  readonly record: MaintenanceRecord
  /** The occurrence that is open, otherwise the next one; over if there is no other. */
  readonly span: Span
}

/** The parts of a monitor by which windows match it. */
export type Covered = Pick<MonitorRecord, 'id' | 'account_id'> & {
  readonly common: Pick<MonitorRecord['common'], 'tags'>
}

export interface AccountWindows {
  /** Reads all windows, and keeps them up to date until {@link AccountWindows.stop}. */
  start(): Promise<void>
  stop(): void
  /** Reads the account's windows, unless all are kept up to date. */
  ready(account_id: number): Promise<void>
  /** Reads all again: another process changed some. Rejects if the store fails. */
  refresh(): Promise<void>
  /** Follows a window that this engine stored, or removed (`undefined`); one that is older than known is ignored. */
  put(id: number, record: MaintenanceRecord | undefined): void
  /** Computes the occurrence again unless it is open. */
  advance(id: number, now: EpochMs): AccountWindow | undefined
  get(id: number): AccountWindow | undefined
  all(): IterableIterator<AccountWindow>
  of(account_id: number): Iterable<AccountWindow>
  /** Those that cover the monitor. */
  covering(monitor: Covered): ReadonlySet<AccountWindow>
  /** By these windows alone, without those of the monitor's own settings. */
  at(monitor: Covered, now: EpochMs): Maintenance
  /** `account_ids`: whose windows changed. */
  onChange(
    listener: (windows: readonly AccountWindow[], account_ids: readonly number[]) => void,
  ): void
}

interface Entry extends AccountWindow {
  span: Span
}

/** The windows of one account by what they cover. */
interface Index {
  readonly windows: Map<number, Entry>
  readonly all: Set<Entry>
  readonly byTag: Map<string, Set<Entry>>
  readonly byMonitor: Map<number, Set<Entry>>
}

export function createAccountWindows(core: Core): AccountWindows {
  const { store, clock } = core
  const entries = new Map<number, Entry>()
  const accounts = new Map<number, Index>()
  const removed = new Set<number>()
  let listener: Parameters<AccountWindows['onChange']>[0] = () => undefined
  let keepsUpToDate = false
  let refreshing = Promise.resolve()

  function drop(id: number): number | undefined {
    const entry = entries.get(id)
    if (entry === undefined) return undefined
    const { account_id } = entry.record
    entries.delete(id)
    const index = accounts.get(account_id)
    index?.windows.delete(id)
    for (const set of index === undefined ? [] : setsOf(index, entry.record)) set.delete(entry)
    if (index?.windows.size === 0) accounts.delete(account_id)
    return account_id
  }

  /** `undefined` for one that cannot be computed: it must not keep those of other accounts from being read. */
  function entryOf(record: MaintenanceRecord): Entry | undefined {
    try {
      setsOf(newIndex(), record)
      return { record, span: spanAt(record.settings.window, clock.now(), core) }
    } catch (cause) {
      const error = new UnreadableError(`Unreadable "settings" in row ${record.id}`, { cause })
      setAside(core, 'window')(error)
      return undefined
    }
  }

  function add(entry: Entry): void {
    const { record } = entry
    entries.set(record.id, entry)
    const index = accounts.get(record.account_id) ?? newIndex()
    accounts.set(record.account_id, index)
    index.windows.set(record.id, entry)
    for (const set of setsOf(index, record)) set.add(entry)
  }

  function remove(id: number): void {
    drop(id)
    removed.add(id)
    for (const oldest of removed) {
      if (removed.size <= MAX_REMOVED) break
      removed.delete(oldest)
    }
  }

  /** Unless a newer one is known, or it is gone: what a request has read may be older than what another stored. */
  function replace(record: MaintenanceRecord): Entry | undefined {
    const known = entries.get(record.id)?.record.version ?? 0
    if (known >= record.version || removed.has(record.id)) return undefined
    const entry = entryOf(record)
    drop(record.id)
    if (entry !== undefined) add(entry)
    return entry
  }

  /** Reads the windows of one account or of all, and drops those that are gone. */
  async function read(account_id: number | 'all'): Promise<void> {
    const yieldIfLong = yielderOf(clock)
    const gone = new Set(
      [...entries.values()]
        .filter(({ record }) => account_id === 'all' || record.account_id === account_id)
        .map(({ record }) => record.id),
    )
    const changed: Entry[] = []
    for (let after_id = 0; ;) {
      const query = { account_id, after_id, limit: ROWS_PER_QUERY }
      const rows = await store.maintenance.list(query, setAside(core, 'window'))
      for (const row of rows) {
        await yieldIfLong()
        gone.delete(row.id)
        const entry = replace(row)
        if (entry !== undefined) changed.push(entry)
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS_PER_QUERY) break
      after_id = last.id
    }
    const left = [...gone].map(drop).filter((id) => id !== undefined)
    const touched = new Set([...changed.map(({ record }) => record.account_id), ...left])
    if (keepsUpToDate && touched.size > 0) listener(changed, [...touched])
  }

  function covering({ id, account_id, common }: Covered): Set<Entry> {
    const index = accounts.get(account_id)
    const found = new Set<Entry>(index?.all)
    if (index === undefined) return found
    for (const entry of index.byMonitor.get(id) ?? []) found.add(entry)
    if (index.byTag.size === 0) return found
    for (const tag of common.tags)
      for (const entry of index.byTag.get(fold(tag)) ?? []) found.add(entry)
    return found
  }

  const windows: AccountWindows = {
    async start() {
      await read('all')
      keepsUpToDate = true
    },
    stop() {
      keepsUpToDate = false
    },
    async ready(account_id) {
      if (!keepsUpToDate) await read(account_id)
    },
    refresh() {
      // One after the other: what the second reads is newer.
      const reading = refreshing.then(() => read('all'))
      refreshing = reading.catch(() => undefined)
      return reading
    },
    put(id, record) {
      const account_id = record?.account_id ?? entries.get(id)?.record.account_id
      if (record === undefined) remove(id)
      const entry = record === undefined ? undefined : replace(record)
      if (keepsUpToDate && account_id !== undefined)
        listener(entry === undefined ? [] : [entry], [account_id])
    },
    advance(id, now) {
      const entry = entries.get(id)
      if (entry !== undefined && !isOpen(entry.span, now))
        entry.span = spanAt(entry.record.settings.window, now, core)
      return entry
    },
    get: (id) => entries.get(id),
    all: () => entries.values(),
    of: (account_id) => accounts.get(account_id)?.windows.values() ?? [],
    covering,
    at: (monitor, now) =>
      maintenanceOf(
        [...covering(monitor)].map(({ span, record }) => ({
          span,
          skip_checks: record.settings.window.skip_checks,
        })),
        now,
      ),
    onChange(added) {
      listener = added
    },
  }
  return windows
}

function newIndex(): Index {
  return { windows: new Map(), all: new Set(), byTag: new Map(), byMonitor: new Map() }
}

/** The sets of the index in which the window is. */
function setsOf({ all, byTag, byMonitor }: Index, { settings }: MaintenanceRecord): Set<Entry>[] {
  return [
    ...(settings.all_monitors ? [all] : []),
    ...settings.tags.map((tag) => setAt(byTag, fold(tag))),
    ...settings.monitor_ids.map((id) => setAt(byMonitor, id)),
  ]
}

function setAt<K>(sets: Map<K, Set<Entry>>, key: K): Set<Entry> {
  const known = sets.get(key)
  if (known !== undefined) return known
  const made = new Set<Entry>()
  sets.set(key, made)
  return made
}
