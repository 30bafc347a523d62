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
import { createKnownAccounts } from './services/account-cache.ts'
import { createLifecycle } from './lifecycle.ts'
import { createConnectivity } from './checks/connectivity.ts'
import { emit } from './core/core.ts'
import { checkListener } from './api/events.ts'
import { coreOf } from './options.ts'
import type { EngineOptions } from './options.ts'
import { orderRunner } from './checks/order-runner.ts'
import { readingOf } from './views/readings.ts'
import { createFollowing } from './scheduling/change-feed.ts'
import { createOwnership } from './scheduling/shard-leases.ts'
import { createOutbox } from './delivery/outbox.ts'
import { createPassiveMonitors } from './rounds/push.ts'
import { createRoster } from './monitors/monitor-cache.ts'
import { createWatch } from './scheduling/watch.ts'
import { REQUEST_SERVICES } from './services/request-services.ts'
import type { RequestServices } from './services/request-services.ts'

/** @throws ConfigurationError for options that cannot work */
export function createEngine<
  const S extends CheckerSource,
  const K extends AnyContactKind = ReturnType<typeof webhookContact>,
>(options: EngineOptions<S, K>): Engine<CheckerOf<S>, K> {
  const core = coreOf(options)
  const { clock, store, registry } = core
  const {
    checks = 64,
    checksPerHost = 2,
    deliveries = 50,
    deliveriesPerContact = 5,
    deliveriesPerHost = 10,
  } = options.limits ?? {}
  const probes =
    options.probes ?? inProcessProbes({ clock, concurrency: checks, perHost: checksPerHost })
  const roster = createRoster(core, () => watch.rounds.size)
  const outbox = createOutbox({
    core,
    roster,
    concurrency: deliveries,
    perContact: deliveriesPerContact,
    perHost: deliveriesPerHost,
  })

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
    checkerOf: (type) => registry.demand(type).checker,
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
  const passive = createPassiveMonitors({
    core,
    roster,
    run,
    onConcluded: (concluded) => watch.concluded(concluded),
  })
  const ownership = createOwnership(core)
  const watch = createWatch({
    core,
    roster,
    ownership,
    probes,
    judge: passive.judge,
    onNotifications: outbox.wake,
    onClockSet(set) {
      passive.clockSet(set.by_ms)
      outbox.clockSet(set)
    },
  })
  const following = createFollowing({ core, roster, watch })
  const lifecycle = createLifecycle({
    core,
    roster,
    watch,
    ownership,
    following,
    outbox,
    passive,
    probes,
    run,
    connectivity,
    options,
  })
  const parts: Parts = {
    core,
    roster,
    watch,
    outbox,
    ready: lifecycle.open,
    running: () => lifecycle.running,
    accounts: createKnownAccounts(core),
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
      return passive.signal(token, signal)
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
        monitors: roster.size,
        checks_running: watch.rounds.size,
        outbox_depth: await store.notifications.depth(),
        lag_ms: watch.lag_ms,
        stale: watch.countStale(),
        outbox_wait_ms: Math.max(0, clock.now() - (due_at ?? Infinity)),
      }
    },
    *readings() {
      for (const entry of roster.entries())
        yield readingOf(entry, core.locations, watch.isStale(entry))
    },
  }
  // The groups know the types by their tables alone.
  return engine
}
