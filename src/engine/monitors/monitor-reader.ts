/**
 * Reads monitors from the store, with the states of their locations and with decrypted secrets.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { ConfigurationError, NotFoundError, UnreadableError } from '../../errors.ts'
import { maintenanceAt } from '../../incident/maintenance.ts'
import type { LocationState, MonitorRecord } from '../../model.ts'
import { fitsIn } from '../core/json-size.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { cachedMonitorOf, groupByMonitor } from './cached-monitor.ts'
import type { CachedMonitor } from './cached-monitor.ts'

/** Monitors per query: at first and after a page with long bodies or headers, and at most. */
const HEAVY_PAGE = 32
const MAX_PAGE = 500
/** Length of a monitor's settings up to which its parsing time is negligible. */
const LIGHT_CHARS = 4096

/** Whether a monitor has no long bodies, headers, metadata or lists. */
export function isLight({ common, settings }: MonitorRecord): boolean {
  return fitsIn(settings, LIGHT_CHARS) && fitsIn(common, LIGHT_CHARS)
}

export interface MonitorReader {
  /** The records of all monitors of these shards (`undefined`: all), in pages. */
  pages(shards: readonly number[] | undefined): AsyncGenerator<readonly MonitorRecord[]>
  /**
   * The same as cached monitors, without those that are set aside.
   *
   * @throws ConfigurationError if a secret cannot be decrypted
   */
  all(shards: readonly number[] | undefined): Promise<readonly CachedMonitor[]>
  /** The one, `undefined` if it is set aside. @throws ConfigurationError if a secret cannot be decrypted */
  watchable(record: MonitorRecord): Promise<CachedMonitor | undefined>
  /** Ids and revisions of the monitors without a checker here, or with settings that cannot be read. */
  readonly setAside: Map<number, number>
  /** @throws NotFoundError without a record */
  read(record: MonitorRecord | undefined): Promise<CachedMonitor>
}

export function createMonitorReader(core: Core): MonitorReader {
  const { store, registry } = core

  /** A row that cannot be parsed must not prevent other monitors from running. */
  const onUnreadable = setAside(core, 'monitor')

  async function* pages(
    shards: readonly number[] | undefined,
  ): AsyncGenerator<readonly MonitorRecord[]> {
    const within = { account_id: 'all', ...(shards === undefined ? {} : { shards }) } as const
    const yieldIfLong = yielderOf(core.clock)
    let limit = HEAVY_PAGE
    for (let after_id = 0; ;) {
      const page = await store.monitors.list({ ...within, after_id, limit }, onUnreadable)
      yield page
      const last = page.at(-1)
      if (last === undefined || page.length < limit) return
      await yieldIfLong()
      after_id = last.id
      limit = page.every(isLight) ? Math.min(4 * limit, MAX_PAGE) : HEAVY_PAGE
    }
  }

  const aside = new Map<number, number>()

  /** A type that is not registered here must not prevent other monitors from running. */
  function isKnown({ id, type }: MonitorRecord): boolean {
    if (registry.get(type) !== undefined) return true
    core.log.error(
      { monitor_id: id, type },
      'no checker of this type is registered: the monitor is not checked',
    )
    return false
  }

  /**
   * A window that cannot be computed would end a search for all monitors whose windows open, and a secret that was
   * changed cannot be used; one that was sealed with another key is a mistake of the configuration.
   */
  function readOrSetAside(
    record: MonitorRecord,
    states: readonly LocationState[],
  ): CachedMonitor | undefined {
    try {
      const cached = cachedMonitorOf(core, record, states)
      maintenanceAt(cached.record.common.maintenance, core.clock.now(), core)
      return cached
    } catch (error) {
      if (error instanceof ConfigurationError) throw error
      onUnreadable(new UnreadableError(`The monitor ${record.id} cannot be read`, { cause: error }))
      return undefined
    }
  }

  function watchable(
    record: MonitorRecord,
    states: readonly LocationState[],
  ): CachedMonitor | undefined {
    const cached = isKnown(record) ? readOrSetAside(record, states) : undefined
    if (cached === undefined) aside.set(record.id, record.revision)
    else aside.delete(record.id)
    return cached
  }

  return {
    setAside: aside,
    pages,
    async all(shards) {
      const found: CachedMonitor[] = []
      // Twenty windows of a monitor take half a millisecond.
      const yieldIfLong = yielderOf(core.clock)
      for await (const page of pages(shards)) {
        const ids = page.map(({ id }) => id)
        const states = groupByMonitor(await store.monitors.locations(ids, onUnreadable))
        for (const record of page) {
          await yieldIfLong()
          const cached = watchable(record, states.get(record.id) ?? [])
          if (cached !== undefined) found.push(cached)
        }
      }
      return found
    },
    async watchable(record) {
      return watchable(record, await store.monitors.locations([record.id], onUnreadable))
    },
    async read(record) {
      if (record === undefined) throw new NotFoundError('monitor')
      return cachedMonitorOf(core, record, await store.monitors.locations([record.id]))
    },
  }
}
