/**
 * The baselines of the monitors that warn by one: learned from their hourly totals, at most once an hour for each, one
 * monitor after the other, accounts in turn, and beside the checks, which never wait for it. Once there is enough to
 * judge by, a day passes between two reads. What is kept for a monitor and location is about a kilobyte.
 *
 * @module
 */

import { responseOf } from '../../checkers/response-time.ts'
import { hoursNeeded, JUDGED_CHECKS, learned } from '../../incident/baseline.ts'
import type { Baseline } from '../../incident/baseline.ts'
import { hourOf } from '../../incident/hours.ts'
import { usualAt } from '../../incident/warn.ts'
import type { Usual } from '../../incident/warn.ts'
import { BASELINE } from '../../model.ts'
import type { EpochMs, MonitorRecord, Outcome } from '../../model.ts'
import { DAY_MS, HOUR_MS } from '../../model/time.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { usualHoursOf, latestTimesOf } from './baseline-history.ts'
import type { Latest } from './baseline-history.ts'

/** Between two monitors: an engine that starts with thousands of them has other work as well. */
const PAUSE_MS = 50
/** Response times older than so many intervals say nothing of the present. */
const LATEST_INTERVALS = 10

export interface Baselines {
  /**
   * How a good check at a location compares with what is usual, this check included. A repeated call for the same tick
   * counts once.
   */
  judge(cached: CachedMonitor, location_id: number, check: GoodCheck): Usual
  /** Resolves when nothing is read any more. */
  stop(): Promise<void>
}

export interface GoodCheck {
  readonly tick: EpochMs
  readonly outcome: Outcome
}

interface Learning {
  readonly checked_since: EpochMs
  /** The hour in which it was last read; `undefined`: not yet. */
  read_in: EpochMs | undefined
  readonly locations: Map<number, LocationTimes>
}

interface LocationTimes {
  baseline: Baseline | undefined
  latest: readonly Latest[]
}

export interface BaselinesOptions {
  readonly core: Core
  readonly monitorCache: Pick<MonitorCache, 'peek'>
}

export function createBaselines({ core, monitorCache }: BaselinesOptions): Baselines {
  const { clock } = core
  const monitors = new Map<number, Learning>()
  /** The monitors of each account; the account whose turn it is comes first. */
  const queue = new Map<number, Set<number>>()
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  function learningOf({ record }: CachedMonitor): Learning {
    const { checked_since = 0 } = record.machine
    const known = monitors.get(record.id)
    if (known?.checked_since === checked_since) return known
    const made: Learning = { checked_since, read_in: undefined, locations: new Map() }
    monitors.set(record.id, made)
    return made
  }

  function learnSoon({ id, account_id }: Pick<MonitorRecord, 'id' | 'account_id'>): void {
    if (stopping.signal.aborted) return
    queue.set(account_id, (queue.get(account_id) ?? new Set()).add(id))
    running ??= learnQueued()
  }

  async function learnQueued(): Promise<void> {
    for (let id = takeNext(queue); id !== undefined; id = takeNext(queue)) {
      await learn(id).catch((err: unknown) => {
        logError(core, err, 'the baseline of a monitor cannot be learned at present')
      })
      await clock.sleep(PAUSE_MS, stopping.signal).catch(() => queue.clear())
    }
    for (const id of monitors.keys()) if (!learns(monitorCache.peek(id))) monitors.delete(id)
    running = undefined
  }

  async function learn(id: number): Promise<void> {
    const cached = monitorCache.peek(id)
    if (cached === undefined || !learns(cached)) return
    const learning = learningOf(cached)
    const now = clock.now()
    const isFirst = learning.read_in === undefined
    // Before the read: one that fails is repeated in the next hour.
    learning.read_in = hourOf(now)
    const hours = await usualHoursOf(core, cached, now)
    const query = { from: oldestOf(cached, now), checks: JUDGED_CHECKS }
    const latest = isFirst ? await latestTimesOf(core, cached, query) : new Map<number, Latest[]>()
    for (const id of new Set([...hours.keys(), ...latest.keys(), ...learning.locations.keys()])) {
      const times = timesOf(learning, id)
      times.baseline = learned(hours.get(id) ?? [], now)
      times.latest = (latest.get(id) ?? []).reduceRight(withEarlier, times.latest)
    }
  }

  return {
    judge(cached, location_id, { tick, outcome }) {
      const { interval_sec } = cached.record.common
      const learning = learningOf(cached)
      const times = timesOf(learning, location_id)
      const ms = responseOf(cached.type.checker, outcome)
      if (ms !== null) times.latest = withLatest(times.latest, [tick, ms], oldestOf(cached, tick))
      if (isDue(learning, tick, isLearned(times.baseline, interval_sec))) learnSoon(cached.record)
      if (ms === null) return { place: 'unclear' }
      const latest = times.latest.map(([, each]) => each)
      return usualAt({ latest, baseline: times.baseline, interval_sec }, tick)
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Accounts in turn: one with thousands of monitors delays each other one by a single read. */
function takeNext(queue: Map<number, Set<number>>): number | undefined {
  for (const [account_id, ids] of queue) {
    const [id] = ids
    queue.delete(account_id)
    if (id === undefined) continue
    ids.delete(id)
    // To the end of the ring.
    queue.set(account_id, ids)
    return id
  }
  return undefined
}

function learns(cached: CachedMonitor | undefined): boolean {
  return Object.values(cached?.record.common.warn ?? {}).includes(BASELINE)
}

function timesOf({ locations }: Learning, location_id: number): LocationTimes {
  const known = locations.get(location_id)
  if (known !== undefined) return known
  const made: LocationTimes = { baseline: undefined, latest: [] }
  locations.set(location_id, made)
  return made
}

function oldestOf({ record }: CachedMonitor, at: EpochMs): EpochMs {
  return at - LATEST_INTERVALS * record.common.interval_sec * 1000
}

function withLatest(latest: readonly Latest[], last: Latest, oldest: EpochMs): readonly Latest[] {
  const others = latest.filter(([tick]) => tick >= oldest && tick !== last[0])
  return [...others, last].slice(-JUDGED_CHECKS)
}

/** A stored response time, unless it is known, or newer ones suffice. */
function withEarlier(latest: readonly Latest[], stored: Latest): readonly Latest[] {
  const isKnown = latest.some(([tick]) => tick <= stored[0])
  return isKnown || latest.length >= JUDGED_CHECKS ? latest : [stored, ...latest]
}

function isLearned(baseline: Baseline | undefined, interval_sec: number): boolean {
  return baseline !== undefined && baseline.hours >= hoursNeeded(interval_sec)
}

/** By the absolute difference, since the clock may have been set back. */
function isDue({ read_in }: Learning, at: EpochMs, learnedEnough: boolean): boolean {
  if (read_in === undefined) return true
  return Math.abs(hourOf(at) - read_in) >= (learnedEnough ? DAY_MS : HOUR_MS)
}
