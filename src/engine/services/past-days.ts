/**
 * The UTC days of monitors that are over, as their uptime shows them, kept in memory for a while: a page with ninety
 * days of fifty monitors is read again at every change, and these days stay as they are.
 *
 * @module
 */

import { addCounts } from '../../incident/latency.ts'
import { addSeconds, NO_SECONDS } from '../../incident/uptime.ts'
import type { Seconds } from '../../incident/uptime.ts'
import { DAY_MS, dayOf } from '../../model/time.ts'
import type { DailyStats, EpochMs, MonitorRecord } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { UptimeDay } from '../api/views.ts'
import type { Core } from '../core/core.ts'

/** A late result that another engine has stored, or an import, is seen after this time at the latest. */
const KEPT_MS = 60_000
/** Of all monitors together: about 200 bytes each. */
const KEPT_DAYS = 20_000
/** Cached lists of day names, one for each requested number of days. */
const LISTS_KEPT = 16

/** One day of a monitor, with what sums of days need. */
export interface Day {
  readonly seconds: Seconds
  readonly latency: DailyStats['latency']
  readonly view: UptimeDay
}

/** The days, and their sums. */
export interface Days {
  readonly views: readonly UptimeDay[]
  readonly seconds: Seconds
  readonly latency: DailyStats['latency']
  readonly incidents: number
}

/** Days that are over: `days` of them, the last of which ends at `until`. */
interface DaysQuery {
  readonly record: Pick<MonitorRecord, 'id'>
  readonly until: EpochMs
  readonly days: number
}

interface Sums {
  readonly past: Days
  readonly present: Days
}

interface Kept extends Days {
  readonly until: EpochMs
  readonly read_at: EpochMs
}

export interface PastDays {
  /** The sums of the days that are over, and of the present one. `read(from)` reads the days from this index on. */
  sums(query: DaysQuery, read: (from: number) => Promise<readonly Day[]>): Promise<Sums>
  /** The names of the days up to the one that begins at `last`, oldest first. */
  names(last: EpochMs, days: number): readonly string[]
  /** A change was stored: days of the past that it changes are read again. */
  follow(this: void, committed: { readonly change: Change }): void
}

function sumsOf(days: readonly Day[]): Days {
  return {
    views: days.map(({ view }) => view),
    seconds: days.reduce((sum, { seconds }) => addSeconds(sum, seconds), NO_SECONDS),
    latency: addCounts(days.map(({ latency }) => latency)),
    incidents: days.reduce((sum, { view }) => sum + view.incidents, 0),
  }
}

export function createPastDays({ clock }: Pick<Core, 'clock'>): PastDays {
  /** By monitor, then by the number of days. The one used last is the last. */
  const kept = new Map<number, Map<number, Kept>>()
  const lists = new Map<string, readonly string[]>()
  let size = 0
  let reading = 0
  /** How often days of the past have changed. */
  let changes = 0

  function forget(monitor_id: number): void {
    for (const days of kept.get(monitor_id)?.keys() ?? []) size -= days
    kept.delete(monitor_id)
  }

  function keep(monitor_id: number, days: number, sums: Kept): void {
    const own = kept.get(monitor_id) ?? new Map<number, Kept>()
    if (!own.has(days)) size += days
    own.set(days, sums)
    kept.set(monitor_id, own)
    for (const other of kept.keys()) {
      if (size <= KEPT_DAYS) return
      forget(other)
    }
  }

  function namesUntil(last: EpochMs, days: number): readonly string[] {
    const key = `${last} ${days}`
    const known = lists.get(key)
    if (known !== undefined) return known
    const names = Array.from({ length: days }, (_, ago) => dayOf(last - ago * DAY_MS)).reverse()
    if (lists.size >= LISTS_KEPT) lists.clear()
    lists.set(key, names)
    return names
  }

  return {
    async sums({ record: { id }, until, days }, read) {
      const now = clock.now()
      const own = kept.get(id)
      const known = own?.get(days)
      if (own !== undefined && known?.until === until && Math.abs(now - known.read_at) < KEPT_MS) {
        kept.delete(id)
        kept.set(id, own)
        return { past: known, present: sumsOf(await read(days)) }
      }
      const before = changes
      reading++
      try {
        const found = await read(0)
        const past = { ...sumsOf(found.slice(0, days)), until, read_at: now }
        // Otherwise the days that were read may lack the change.
        if (changes === before) keep(id, days, past)
        return { past, present: sumsOf(found.slice(days)) }
      } finally {
        reading--
      }
    },
    names: namesUntil,
    follow({ change }) {
      if (kept.size + reading === 0) return
      const { monitor_id, availability = [], daily = [], open_incident, remove = false } = change
      const today = Math.floor(clock.now() / DAY_MS) * DAY_MS
      const isPast =
        availability.some(({ at }) => at < today) ||
        (open_incident?.started_at ?? today) < today ||
        daily.some(({ day }) => day < (namesUntil(today, 1)[0] ?? ''))
      if (!remove && !isPast) return
      changes++
      forget(monitor_id)
    },
  }
}
