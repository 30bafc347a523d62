/**
 * `createEngine`: puts the parts together. Nothing happens before `start()` or the first call of a group.
 *
 * @module
 */

import type { CheckerOf, CheckerSource } from '../checkers/checker.ts'
import { describe } from '../fields/describe.ts'
import type { FieldTable } from '../fields/field.ts'
import { inProcessProbes } from '../probes/in-process.ts'
import type { AccountScope, Engine } from './api/engine.ts'
import { commonFields } from './registry/monitor-fields.ts'
import { accountsOf } from './services/accounts.ts'
import { contactsOf } from './services/contacts.ts'
import { historyOf } from './services/history.ts'
import { authenticate, keysOf } from './services/keys.ts'
import { monitorsOf } from './services/monitors.ts'
import { partsOf } from './services/parts.ts'
import type { Parts } from './services/parts.ts'
import { repliesOf } from './services/replies.ts'
import { requestsOf, turnsOf } from './services/requests.ts'
import type { AnyContactKind } from '../webhook/contact-kind.ts'
import type { webhookContact } from '../webhook/webhook-kind.ts'
import { NotFoundError } from '../errors.ts'
import { isAccountId } from '../model.ts'
import { createAccountCache } from './services/account-cache.ts'
import { createLifecycle } from './lifecycle.ts'
import { createConnectivity } from './checks/connectivity.ts'
import { emit } from './core/core.ts'
import { checkListener } from './api/events.ts'
import { coreOf } from './options.ts'
import type { EngineOptions } from './options.ts'
import { orderRunner } from './checks/order-runner.ts'
import { readingOf } from './views/readings.ts'
import { createChangeFeed } from './scheduling/change-feed.ts'
import { createShardLeases } from './scheduling/shard-leases.ts'
import { createOutbox } from './delivery/outbox.ts'
import { createPushMonitors } from './rounds/push.ts'
import { createMonitorCache } from './monitors/monitor-cache.ts'
import { createAnnouncer } from './announce/announcer.ts'
import { createCommitter } from './commit/committer.ts'
import { observedCommits } from './commit/observed-commits.ts'
import { createCommittedChanges } from './monitors/committed.ts'
import { createRounds } from './rounds/rounds.ts'
import type { OpenRounds } from './rounds/rounds.ts'
import { createMaintenance } from './scheduling/maintenance.ts'
import { createMonitorSchedule } from './scheduling/monitor-schedule.ts'
import { createStaleness } from './scheduling/staleness.ts'
import { REQUEST_SERVICES } from './services/request-services.ts'
import type { RequestServices } from './services/request-services.ts'

/** @throws ConfigurationError for options that cannot work */
export function createEngine<
  const S extends CheckerSource,
  const K extends AnyContactKind = ReturnType<typeof webhookContact>,
>(options: EngineOptions<S, K>): Engine<CheckerOf<S>, K> {
  const core = coreOf(options)
  const { clock, store, registry } = core
  const { checks = 64, checksPerHost = 2, ...limits } = options.limits ?? {}
  const probes =
    options.probes ?? inProcessProbes({ clock, concurrency: checks, perHost: checksPerHost })
  const open: OpenRounds = new Map()
  const committer = createCommitter({
    store: observedCommits(core),
    clock,
    underWay: () => open.size,
  })
  const monitorCache = createMonitorCache(core, committer)
  const committed = createCommittedChanges(core)
  const outbox = createOutbox({ core, monitorCache, limits })

  const connectivity = createConnectivity({
    clock,
    log: core.log,
    anchors: options.anchors ?? [],
    onChange(online) {
      for (const { id, name } of core.locations) emit(core, 'location', { id, name, online })
    },
  })
  const { tracing } = core
  const bare = orderRunner({
    checkerOf: (type) => registry.getOrThrow(type).checker,
    clock,
    log: core.log,
    targets: options.targets,
    ca: core.ca,
    connectivity,
  })
  const run: typeof bare =
    tracing === undefined
      ? bare
      : (order, signal) => tracing.check(order, () => bare(order, signal))
  const staleness = createStaleness({ core, monitorCache, remote: probes.remote === true })
  const rounds = createRounds({
    core,
    monitorCache,
    probes,
    open,
    committed,
    onCheck: staleness.checkBegun,
  })
  const push = createPushMonitors({ core, monitorCache, run, committed })
  const maintenance = createMaintenance({ core, monitorCache, committed })
  const shardLeases = createShardLeases(core)
  const schedule = createMonitorSchedule({
    core,
    monitorCache,
    shardLeases,
    rounds,
    push,
    maintenance,
    staleness,
    onClockSet(set) {
      push.clockSet(set.by_ms)
      outbox.clockSet(set)
    },
  })
  const changeFeed = createChangeFeed({ core, monitorCache, rounds, schedule })
  const announcer = createAnnouncer({ core, schedule })
  // The schedule comes first: what is told of a monitor says when it is due next.
  for (const follow of [schedule.follow, outbox.follow, announcer.announce])
    committed.subscribe(follow)
  const lifecycle = createLifecycle({
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
  })
  const parts: Parts = {
    core,
    monitorCache,
    committed,
    schedule,
    rounds,
    push,
    staleness,
    outbox,
    ready: lifecycle.open,
    running: () => lifecycle.running,
    accounts: createAccountCache(core),
  }

  function account(account_id: number): AccountScope {
    if (!isAccountId(account_id)) throw new NotFoundError('account')
    const own = partsOf(parts, account_id)
    return {
      account_id,
      monitors: monitorsOf(own, account_id),
      contacts: contactsOf(own, account_id),
      keys: keysOf(own, account_id),
      ...historyOf(own, account_id),
    }
  }

  const engine: Engine & { readonly [REQUEST_SERVICES]: RequestServices } = {
    ...account(lifecycle.firstAccount),
    [REQUEST_SERVICES]: {
      requests: requestsOf(parts),
      ...turnsOf(parts),
      replies: repliesOf(parts),
    },
    start: lifecycle.start,
    open: lifecycle.open,
    stop: lifecycle.stop,
    [Symbol.asyncDispose]: () => lifecycle.stop(),
    get running() {
      return lifecycle.running
    },
    on(event, listener) {
      checkListener(event, listener)
      // A function of its own: of a listener that was added twice, one unsubscription ends one.
      const own = (payload: unknown): unknown =>
        (listener as (payload: unknown) => unknown)(payload)
      core.events.on(event, own)
      return () => void core.events.off(event, own)
    },
    account,
    accounts: accountsOf(parts),
    locations: {
      async list() {
        await lifecycle.open()
        return core.locations.map(({ id, name }) => ({
          id,
          name,
          online: probes.online(id) && connectivity.online,
        }))
      },
    },
    authenticate: (key) => authenticate(parts, key),
    async signal(token, signal) {
      await lifecycle.open()
      return push.signal(token, signal)
    },
    types: {
      list: () => registry.views(),
      common: () => describe(commonFields()),
      tables: () =>
        new Map(
          [...registry.types].map(([name, { checker, common }]) => [
            name,
            {
              title: checker.title,
              fields: checker.fields,
              common: common as FieldTable,
            },
          ]),
        ),
    },
    async health() {
      await lifecycle.open()
      const due_at = await store.notifications.nextDue()
      return {
        running: lifecycle.running,
        monitors: monitorCache.size,
        checks_running: open.size,
        outbox_depth: await store.notifications.depth(),
        lag_ms: schedule.lag_ms,
        stale: staleness.count(),
        outbox_wait_ms: Math.max(0, clock.now() - (due_at ?? Infinity)),
      }
    },
    *readings() {
      for (const cached of monitorCache.all())
        yield readingOf(cached, core.locations, staleness.isStale(cached))
    },
  }
  // The groups know the types by their tables alone.
  return engine
}
