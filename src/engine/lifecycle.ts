/**
 * Opens, starts and stops the parts of an engine in the order of their dependencies.
 *
 * @module
 */

import { yielderOf } from '../clock.ts'
import { ClosedError } from '../errors.ts'
import { FIRST_ACCOUNT } from '../model.ts'
import type { CheckReport } from '../model.ts'
import { preloadCodec } from '../net/dns/message.ts'
import { checkOptions, milliseconds } from '../options.ts'
import type { CheckOrder, ProbeTransport } from '../probes/transport.ts'
import { notOffered } from '../store/fallbacks.ts'
import type { Store } from '../store/store.ts'
import type { Announcer } from './announce/announcer.ts'
import type { Subscriptions } from './announce/subscriptions.ts'
import type { Connectivity } from './checks/connectivity.ts'
import { emit, logError } from './core/core.ts'
import type { Core } from './core/core.ts'
import { ensureFirstAccount } from './core/stored-accounts.ts'
import type { Outbox } from './delivery/outbox.ts'
import { ABSENCE_MS, createHousekeeping } from './housekeeping.ts'
import type { AccountWindows } from './monitors/account-windows.ts'
import type { CachedMonitor } from './monitors/cached-monitor.ts'
import type { MonitorCache } from './monitors/monitor-cache.ts'
import type { EngineOptions } from './options.ts'
import type { Baselines } from './rounds/baselines.ts'
import type { PushMonitors } from './rounds/push.ts'
import type { Rounds } from './rounds/rounds.ts'
import type { MonitorSchedule } from './scheduling/monitor-schedule.ts'
import type { Staleness } from './scheduling/staleness.ts'
import { requireKnownIds } from './services/monitor-defaults.ts'
import type { ChangeFeed } from './sharing/change-feed.ts'
import type { ShardLeases } from './sharing/shard-leases.ts'

const DRAIN_MS = 11_000

export interface Lifecycle {
  readonly firstAccount: number
  readonly running: boolean
  open(this: void): Promise<void>
  start(this: void): Promise<void>
  stop(this: void, options?: StopOptions): Promise<void>
}

interface StopOptions {
  readonly drainMs?: number
}

export interface LifecycleOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: Pick<AccountWindows, 'start' | 'stop'>
  readonly rounds: Rounds
  readonly baselines: Pick<Baselines, 'stop'>
  readonly schedule: MonitorSchedule
  readonly staleness: Staleness
  readonly announcer: Announcer
  readonly subscriptions: Pick<Subscriptions, 'end'>
  readonly shardLeases: ShardLeases
  readonly changeFeed: ChangeFeed
  readonly outbox: Outbox
  readonly push: PushMonitors
  readonly probes: ProbeTransport
  readonly connectivity: Pick<Connectivity, 'start'>
  readonly run: (order: CheckOrder, signal: AbortSignal) => Promise<CheckReport>
  readonly options: Pick<EngineOptions, 'locations' | 'retention'>
}

export function createLifecycle(parts: LifecycleOptions): Lifecycle {
  const {
    core,
    monitorCache,
    accountWindows,
    rounds,
    schedule,
    staleness,
    shardLeases,
    changeFeed,
    outbox,
    push,
    probes,
  } = parts
  const { clock, store } = core
  const { locations = ['local'], retention } = parts.options
  const housekeeping = createHousekeeping({ core, shardLeases, retention })
  let opened: Promise<void> | undefined
  let state: 'idle' | 'running' | 'stopped' = 'idle'
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined

  async function openStore(): Promise<void> {
    await store.open()
    await ensureFirstAccount(core)
    core.locations = await Promise.all(locations.map((name) => store.locations.ensure(name)))
    requireKnownIds(core)
  }

  function open(): Promise<void> {
    if (state === 'stopped') return Promise.reject(new ClosedError('The engine has been stopped'))
    opened ??= openStore().catch((error: unknown) => {
      // A store that could not be opened may be reachable later.
      opened = undefined
      throw error
    })
    return opened
  }

  function start(): Promise<void> {
    if (state === 'running') return Promise.resolve()
    starting ??= begin()
      .catch(async (error: unknown) => {
        accountWindows.stop()
        await changeFeed.stop().catch(() => undefined)
        throw error
      })
      .finally(() => {
        starting = undefined
      })
    return starting
  }

  async function begin(): Promise<void> {
    requireShared(store)
    await Promise.all([open(), preloadCodec()])
    // First, so that changes made while the monitors are read are not missed.
    await changeFeed.start()
    await accountWindows.start()
    const shards = await shardLeases.join()
    await monitorCache.load(shards)
    const alive_at = await housekeeping.lastAlive()
    const away_ms = clock.now() - alive_at
    const absent_since = await housekeeping.absentSince(alive_at)
    if (absent_since !== undefined) await push.resetMissedDeadlines(absent_since)
    await parts.connectivity.start()
    await addMonitors(monitorCache.all())
    await housekeeping.noteAlive()
    // The last step that can fail: a start that rejects leaves nothing running, and can be repeated.
    await probes.start({
      locations: core.locations,
      run: staleness.countingChecks(parts.run),
      onAnswer: rounds.answer,
    })
    if (state === 'stopped') {
      await probes.stop(0)
      throw new ClosedError('The engine was stopped while it started')
    }
    state = 'running'
    schedule.start()
    staleness.start(parts.announcer.announceStarvation)
    // The clock was set back meanwhile: deadlines, retries and leases would otherwise be that far ahead.
    if (away_ms < -ABSENCE_MS) {
      push.clockSet(away_ms)
      outbox.clockSet({ by_ms: away_ms, after: clock.now(), before: Infinity })
    }
    outbox.start()
    shardLeases.keep({ acquired: takeShards, released: releaseShards })
    housekeeping.start()
  }

  async function takeShards(shards: readonly number[]): Promise<void> {
    await addMonitors(await monitorCache.load(shards))
  }

  async function addMonitors(monitors: Iterable<CachedMonitor>): Promise<void> {
    const yieldIfLong = yielderOf(clock)
    for (const { record } of monitors) {
      await yieldIfLong()
      if (stopping !== undefined) return
      // The monitor may be changed, removed or released between the steps.
      const present = monitorCache.peek(record.id)
      try {
        if (present !== undefined) schedule.add(present)
      } catch (err) {
        logError(core, err, `the monitor ${record.id} cannot be scheduled; it is set aside`)
      }
    }
  }

  async function releaseShards(shards: readonly number[]): Promise<void> {
    const yieldIfLong = yielderOf(clock)
    for (const id of monitorCache.drop(shards)) {
      await yieldIfLong()
      schedule.release(id)
    }
  }

  /** Waits for a running start, but not longer than `max_ms`. */
  async function endOfStart(start: Promise<void>, max_ms: number): Promise<void> {
    const waiting = new AbortController()
    const timeout = clock.sleep(max_ms, waiting.signal)
    // The error of a failed start is reported to the caller of `start`.
    await Promise.race([start, timeout]).catch(() => undefined)
    waiting.abort()
    await timeout.catch(() => undefined)
  }

  /** The streams of events end last: deliveries that end during the stop have events. */
  async function end(drain_ms: number): Promise<void> {
    try {
      await endParts(drain_ms)
    } finally {
      parts.subscriptions.end()
    }
  }

  async function endParts(drain_ms: number): Promise<void> {
    if (starting !== undefined) await endOfStart(starting, drain_ms)
    const wasRunning = state === 'running'
    state = 'stopped'
    emit(core, 'stop', { drain_ms })
    housekeeping.stop()
    const learningEnded = parts.baselines.stop()
    if (wasRunning) {
      schedule.stop()
      accountWindows.stop()
      staleness.stop()
      await Promise.all([probes.stop(drain_ms).then(() => rounds.abandon()), outbox.stop(drain_ms)])
      await monitorCache.drain()
      await Promise.all([shardLeases.leave(), changeFeed.stop(), housekeeping.noteAlive()]).catch(
        (err: unknown) => {
          core.log.warn({ err }, 'the end of the engine could not be stored')
        },
      )
    }
    await learningEnded
    if (opened !== undefined) await opened.then(() => store.close())
  }

  /** Every call resolves when the engine has stopped; the first one sets the time for running work. */
  async function stop(options: StopOptions = {}): Promise<void> {
    checkOptions('engine.stop', options, { drainMs: milliseconds(0) })
    const { drainMs = DRAIN_MS } = options
    // A listener of the event `stop` may call this again.
    stopping ??= Promise.resolve().then(() => end(drainMs))
    await stopping
  }

  return {
    firstAccount: FIRST_ACCOUNT,
    get running() {
      return state === 'running'
    },
    open,
    start,
    stop,
  }
}

/** @throws ConfigurationError if two engines on this store could not coordinate */
function requireShared({ shared, shards, changes }: Store): void {
  if (!shared) return
  if (shards === undefined) throw notOffered('An engine on a shared store', 'shards')
  if (changes === undefined) throw notOffered('An engine on a shared store', 'changes')
}
