/**
 * Creates the running parts of one engine in the order of their dependencies, and subscribes them to committed changes.
 *
 * @module
 */

import { yieldingQueueOf } from '../clock.ts'
import { createSemaphore } from '../net/resolve/semaphore.ts'
import type { Semaphore } from '../net/resolve/semaphore.ts'
import { inProcessProbes } from '../probes/in-process.ts'
import type { ProbeHost, ProbeTransport } from '../probes/transport.ts'
import { createAnnouncer } from './announce/announcer.ts'
import { createSubscriptions } from './announce/subscriptions.ts'
import type { Subscriptions } from './announce/subscriptions.ts'
import { createConnectivity } from './checks/connectivity.ts'
import type { Connectivity } from './checks/connectivity.ts'
import { orderRunner } from './checks/order-runner.ts'
import { createCommitter, observedCommits } from './commit/committer.ts'
import { createAccountTurns } from './core/account-turns.ts'
import type { AccountTurns } from './core/account-turns.ts'
import { emit } from './core/core.ts'
import type { Core } from './core/core.ts'
import { createOutbox } from './delivery/outbox.ts'
import type { Outbox } from './delivery/outbox.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Lifecycle } from './lifecycle.ts'
import { createAccountWindows } from './monitors/account-windows.ts'
import type { AccountWindows } from './monitors/account-windows.ts'
import { createChangeBus } from './monitors/change-bus.ts'
import type { ChangeBus } from './monitors/change-bus.ts'
import { createMonitorCache } from './monitors/monitor-cache.ts'
import type { MonitorCache } from './monitors/monitor-cache.ts'
import type { EngineOptions } from './options.ts'
import { createBaselines } from './rounds/baselines.ts'
import { createPushMonitors } from './rounds/push.ts'
import type { PushMonitors } from './rounds/push.ts'
import { createRounds } from './rounds/rounds.ts'
import type { OpenRounds, Rounds } from './rounds/rounds.ts'
import { createMaintenanceSchedule } from './scheduling/maintenance.ts'
import { createMonitorSchedule } from './scheduling/monitor-schedule.ts'
import type { MonitorSchedule } from './scheduling/monitor-schedule.ts'
import { createStaleness } from './scheduling/staleness.ts'
import type { Staleness } from './scheduling/staleness.ts'
import { createChangeFeed } from './sharing/change-feed.ts'
import { createShardLeases } from './sharing/shard-leases.ts'

export interface Runtime {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: AccountWindows
  readonly changeBus: ChangeBus
  readonly openRounds: OpenRounds
  readonly rounds: Rounds
  readonly push: PushMonitors
  readonly schedule: MonitorSchedule
  readonly staleness: Staleness
  readonly outbox: Outbox
  readonly run: ProbeHost['run']
  readonly subscriptions: Subscriptions
  /** Running tests of settings that are not stored, by account. */
  readonly runningTests: Map<number, number>
  /** Hashes passwords of public pages. */
  readonly hashing: Semaphore
  readonly bulkTurns: AccountTurns
  readonly graphTurns: AccountTurns
  readonly nextCheck: () => Promise<void>
  readonly probes: ProbeTransport
  readonly connectivity: Connectivity
  readonly lifecycle: Lifecycle
}

type RuntimeOptions = Pick<
  EngineOptions,
  'limits' | 'probes' | 'anchors' | 'targets' | 'locations' | 'retention'
>

export function createRuntime(core: Core, options: RuntimeOptions): Runtime {
  const openRounds: OpenRounds = new Map()
  const { probes, connectivity, run } = createChecking(core, options)
  const committer = createCommitter({
    store: observedCommits(core),
    clock: core.clock,
    openRounds: () => openRounds.size,
  })
  const monitorCache = createMonitorCache(core, committer)
  const changeBus = createChangeBus(core)
  const outbox = createOutbox({ core, monitorCache, limits: options.limits ?? {} })
  const staleness = createStaleness({ core, monitorCache, remote: probes.remote === true })
  const shared = { core, monitorCache, accountWindows: createAccountWindows(core), changeBus }
  const baselines = createBaselines(shared)
  const { checkStarted: onCheck, roundEnded: onEnd, isStale } = staleness
  const rounds = createRounds({ ...shared, baselines, probes, openRounds, isStale, onCheck, onEnd })
  const push = createPushMonitors({ ...shared, baselines, run })
  const shardLeases = createShardLeases(core)
  const schedule = createMonitorSchedule({
    core,
    monitorCache,
    owns: shardLeases.owns,
    rounds,
    push,
    maintenance: createMaintenanceSchedule(shared),
    staleness,
    onClockSet(set) {
      push.clockSet(set.by_ms, shardLeases.holds)
      outbox.clockSet(set)
    },
  })
  const announcer = createAnnouncer({ core, schedule })
  // The schedule comes first: events of a monitor contain when it is due next.
  for (const follow of [schedule.follow, outbox.follow, announcer.announce])
    changeBus.subscribe(follow)
  const changeFeed = createChangeFeed({ ...shared, rounds, schedule })
  const subscriptions = createSubscriptions(core)
  const parts = { ...shared, rounds, push, schedule, staleness, outbox, probes, connectivity, run }
  const started = { baselines, announcer, subscriptions, shardLeases, changeFeed, options }
  const lifecycle = createLifecycle({ ...parts, ...started })
  const runningTests = new Map<number, number>()
  const waiting = {
    hashing: createSemaphore(1),
    bulkTurns: createAccountTurns(),
    graphTurns: createAccountTurns(),
    nextCheck: yieldingQueueOf(core.clock),
  }
  return { ...parts, ...waiting, openRounds, subscriptions, runningTests, lifecycle }
}

interface Checking {
  readonly probes: ProbeTransport
  readonly connectivity: Connectivity
  /** Runs one check in this process. */
  readonly run: ProbeHost['run']
}

/** How orders reach the locations, and how this process executes its own. */
function createChecking(core: Core, options: RuntimeOptions): Checking {
  const { clock, log, registry, tracing } = core
  const { checks = 64, checksPerHost = 2 } = options.limits ?? {}
  const probes =
    options.probes ?? inProcessProbes({ clock, concurrency: checks, perHost: checksPerHost })
  const connectivity = createConnectivity({
    clock,
    log,
    anchors: options.anchors ?? [],
    onChange(online) {
      for (const { id, name } of core.locations) emit(core, 'location', { id, name, online })
    },
  })
  const execute = orderRunner({
    checkerOf: (type) => registry.getOrThrow(type).checker,
    clock,
    log,
    targets: options.targets,
    ca: core.ca,
    connectivity,
  })
  const run: ProbeHost['run'] =
    tracing === undefined
      ? execute
      : (order, signal) => tracing.check(order, () => execute(order, signal))
  return { probes, connectivity, run }
}
