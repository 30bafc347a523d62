/**
 * Opening, starting and stopping, in the order in which the parts need each other.
 *
 * @module
 */

import { stepsOf } from '../clock.ts'
import type { Timer } from '../clock.ts'
import { ClosedError } from '../errors.ts'
import type { CheckReport } from '../model.ts'
import { loadPackages } from '../net/packages.ts'
import type { CheckOrder, ProbeTransport } from '../probes/transport.ts'
import { checkOptions, milliseconds } from '../options.ts'
import { notOffered } from '../store/fallbacks.ts'
import type { Store } from '../store/store.ts'
import { FIRST_ACCOUNT } from './services/account-cache.ts'
import type { Connectivity } from './checks/connectivity.ts'
import { logError, emit } from './core/core.ts'
import type { Core } from './core/core.ts'
import type { ChangeFeed } from './scheduling/change-feed.ts'
import type { EngineOptions } from './options.ts'
import type { ShardLeases } from './scheduling/shard-leases.ts'
import type { Outbox } from './delivery/outbox.ts'
import type { PushMonitors } from './rounds/push.ts'
import type { CachedMonitor, MonitorCache } from './monitors/monitor-cache.ts'
import type { Announcer } from './announce/announcer.ts'
import type { Rounds } from './rounds/rounds.ts'
import type { MonitorSchedule } from './scheduling/monitor-schedule.ts'
import type { Staleness } from './scheduling/staleness.ts'
import { DAY_MS } from '../model/time.ts'

const DRAIN_MS = 11_000
/** How often the engine notes that it is alive, and clears up. */
const ALIVE_MS = 15_000
const PRUNE_MS = 5 * 60_000
const PRUNE_ROWS = 500
const PRUNE_PAUSE_MS = 50
/** Whoever would watch this monitor clears up; there need not be one. */
const PRUNING = 0

/** Silence of the engine itself that is worth forgiving heartbeats for. */
const OUTAGE_MS = 2 * ALIVE_MS

export interface Lifecycle {
  readonly firstAccount: number
  readonly running: boolean
  open(this: void): Promise<void>
  start(this: void): Promise<void>
  stop(this: void, options?: StopOptions): Promise<void>
}

interface StopOptions {
  readonly drain_ms?: number
}

export interface LifecycleOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly rounds: Rounds
  readonly schedule: MonitorSchedule
  readonly staleness: Staleness
  readonly announcer: Announcer
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
    rounds,
    schedule,
    staleness,
    announcer,
    shardLeases,
    changeFeed,
    outbox,
    push,
    probes,
    run,
    connectivity,
    options,
  } = parts
  const { clock, store } = core
  const timers = new Set<Timer>()
  let opened: Promise<void> | undefined
  let state: 'idle' | 'running' | 'stopped' = 'idle'
  let starting: Promise<void> | undefined
  /** Somebody waits for the start to end, to stop what it has begun. */
  let ending = false

  async function openStore(): Promise<void> {
    await store.open()
    await store.accounts.ensureFirst({ name: 'default', created_at: clock.now() })
    core.locations = await Promise.all(
      (options.locations ?? ['local']).map((name) => store.locations.ensure(name)),
    )
  }

  function open(): Promise<void> {
    if (state === 'stopped') return Promise.reject(new ClosedError('The engine has been stopped'))
    opened ??= openStore().catch((error: unknown) => {
      // A store that could not be opened may be there a moment later.
      opened = undefined
      throw error
    })
    return opened
  }

  function start(): Promise<void> {
    if (state === 'running') return Promise.resolve()
    starting ??= begin()
      .catch(async (error: unknown) => {
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
    await Promise.all([open(), loadPackages()])
    // First of all: what others change while the monitors are read is not missed.
    await changeFeed.start()
    const shards = await shardLeases.join()
    await monitorCache.load(shards)
    const alive_at = Number((await store.meta.get('alive_at')) ?? clock.now())
    const away_ms = clock.now() - alive_at
    if (away_ms > OUTAGE_MS) await push.forgiveOutage(alive_at)
    await connectivity.start()
    await adopt(monitorCache.all())
    await noteAlive()
    // Last of what can fail: a start that rejects leaves nothing half begun, and can be made again.
    await probes.start({
      locations: core.locations,
      run: staleness.countingChecks(run),
      onAnswer: rounds.answer,
    })
    if (state === 'stopped') {
      await probes.stop(0)
      throw new ClosedError('The engine was stopped while it started')
    }
    state = 'running'
    schedule.start()
    staleness.start(announcer.announceTurn)
    // The clock was set back meanwhile: deadlines, retries and the leases of who died would be as far away as that.
    if (away_ms < -OUTAGE_MS) {
      push.clockSet(away_ms)
      outbox.clockSet({ by_ms: away_ms, after: clock.now(), before: Infinity })
    }
    outbox.start()
    shardLeases.keep({ take, give })
    every(ALIVE_MS, noteAlive)
    every(PRUNE_MS, prune)
  }

  async function noteAlive(): Promise<void> {
    await store.meta.set('alive_at', String(clock.now()))
  }

  async function take(shards: readonly number[]): Promise<void> {
    await adopt(await monitorCache.load(shards))
  }

  async function adopt(entries: Iterable<CachedMonitor>): Promise<void> {
    const others = stepsOf(clock)
    for (const { record } of entries) {
      await others()
      if (ending) return
      // Between the steps it may be changed, removed or given away.
      const present = monitorCache.peek(record.id)
      if (present !== undefined) schedule.adopt(present)
    }
  }

  function give(shards: readonly number[]): void {
    for (const id of monitorCache.drop(shards)) schedule.release(id)
  }

  /** Repeats `work` from the end of one run to the begin of the next. */
  function every(ms: number, work: () => Promise<unknown>): void {
    const timer = clock.timer(
      ms,
      () => {
        timers.delete(timer)
        work()
          .catch((err: unknown) => logError(core, err, 'the housekeeping of the engine failed'))
          .finally(() => {
            if (state === 'running') every(ms, work)
          })
      },
      { background: true },
    )
    timers.add(timer)
  }

  /** In small steps, by one engine of all, so that checks and deliveries are never kept waiting. */
  async function prune(): Promise<void> {
    const {
      results_days = 30,
      notifications_days = 90,
      history_days = 400,
    } = options.retention ?? {}
    if (!shardLeases.owns(PRUNING)) return
    const now = clock.now()
    const older = {
      results_before: now - results_days * DAY_MS,
      notifications_before: now - notifications_days * DAY_MS,
      history_before: now - history_days * DAY_MS,
      replies_before: now,
      limit: PRUNE_ROWS,
    }
    while (state === 'running' && (await store.prune(older)) >= PRUNE_ROWS)
      await clock.sleep(PRUNE_PAUSE_MS)
  }

  /** What has begun is to be stopped whole; a start that hangs is not waited for longer than that. */
  async function endOfStart(start: Promise<void>, longest_ms: number): Promise<void> {
    ending = true
    const over = new AbortController()
    const late = clock.sleep(longest_ms, over.signal)
    // What failed to begin is told to who began it.
    await Promise.race([start, late]).catch(() => undefined)
    over.abort()
    await late.catch(() => undefined)
  }

  async function stop(options: StopOptions = {}): Promise<void> {
    checkOptions('engine.stop', options, { drain_ms: milliseconds(0) })
    const { drain_ms = DRAIN_MS } = options
    if (starting !== undefined) await endOfStart(starting, drain_ms)
    if (state === 'stopped') return
    const wasRunning = state === 'running'
    state = 'stopped'
    emit(core, 'stop', { drain_ms })
    for (const timer of timers) timer.cancel()
    if (wasRunning) {
      schedule.stop()
      staleness.stop()
      await Promise.all([probes.stop(drain_ms).then(() => rounds.abandon()), outbox.stop(drain_ms)])
      await monitorCache.drain()
      await Promise.all([shardLeases.leave(), changeFeed.stop(), noteAlive()]).catch(
        (err: unknown) => {
          core.log.warn({ err }, 'the end of the engine could not be noted')
        },
      )
    }
    if (opened !== undefined) await opened.then(() => store.close())
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

/** @throws ConfigurationError where two engines on this store would not know of each other */
function requireShared({ shared, shards, changes }: Store): void {
  if (!shared) return
  if (shards === undefined) throw notOffered('An engine on a shared store', 'shards')
  if (changes === undefined) throw notOffered('An engine on a shared store', 'changes')
}
