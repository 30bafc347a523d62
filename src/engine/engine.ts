/**
 * `createEngine`: builds the public object of an engine. Nothing runs before `start()` or the first call of a
 * service.
 *
 * @module
 */

import type { CheckerOf, CheckerSource } from '../checkers/checker.ts'
import { NotFoundError } from '../errors.ts'
import { describe } from '../fields/describe.ts'
import type { FieldTable } from '../fields/field.ts'
import { isAccountId } from '../model.ts'
import type { AnyContactKind } from '../webhook/contact-kind.ts'
import type { webhookContact } from '../webhook/webhook-kind.ts'
import type { AccountScope, ActorOptions, Engine } from './api/engine.ts'
import type { MonitorReading } from './api/readings.ts'
import type { Core } from './core/core.ts'
import { coreOf, retentionDays } from './options.ts'
import type { EngineOptions } from './options.ts'
import { commonFields } from './registry/monitor-fields.ts'
import { createRuntime } from './runtime.ts'
import type { Runtime } from './runtime.ts'
import { createAccountCache } from './services/account-cache.ts'
import { accountMonitorsOf } from './services/account-monitors.ts'
import { accountsOf } from './services/accounts.ts'
import { actorOf, auditLogOf } from './services/audit.ts'
import { backupOf } from './services/backup.ts'
import { contactsOf } from './services/contacts.ts'
import { createDayTotals } from './services/day-totals.ts'
import { historyOf } from './services/history.ts'
import { idempotencyLocksOf, idempotencyResponsesOf } from './services/idempotency.ts'
import { authenticate, keyReader, keysOf } from './services/keys.ts'
import { maintenanceOfAccount } from './services/maintenance.ts'
import { monitorsOf } from './services/monitors.ts'
import { createPastDays } from './services/past-days.ts'
import { publicPagesOf, publishedPagesOf } from './services/public-pages.ts'
import { REQUEST_SERVICES, requestsOf } from './services/request-services.ts'
import type { RequestServices } from './services/request-services.ts'
import { accountContext } from './services/service-context.ts'
import type { ServiceContext } from './services/service-context.ts'
import { statusReportsOf } from './services/status-reports.ts'
import { transferOf } from './transfer/transfer.ts'
import type { Importing } from './transfer/transfer.ts'
import { readingOf } from './views/views.ts'

/** @throws ConfigurationError for invalid options */
export function createEngine<
  const S extends CheckerSource,
  const K extends AnyContactKind = ReturnType<typeof webhookContact>,
>(options: EngineOptions<S, K>): Engine<CheckerOf<S>, K> {
  const core = coreOf(options)
  const runtime = createRuntime(core, options)
  const { lifecycle, monitorCache, push, schedule, staleness, subscriptions } = runtime
  const { clock, store, registry } = core
  const context: ServiceContext = {
    ...runtime,
    ready: lifecycle.open,
    running: () => lifecycle.running,
    accounts: createAccountCache(core),
    dayTotals: createDayTotals(core),
    pastDays: createPastDays(core),
    pastAvailability: createPastDays(core),
    actor: null,
  }
  runtime.changeBus.subscribe(context.pastDays.follow)
  runtime.changeBus.subscribe(context.pastAvailability.follow)
  const importing: Importing = new Set()
  const retention = retentionDays(options.retention)

  function account(account_id: number, options?: ActorOptions): AccountScope {
    if (!isAccountId(account_id)) throw new NotFoundError('account')
    const own = accountContext(context, account_id, actorOf(options))
    return {
      account_id,
      monitors: monitorsOf(own, account_id),
      contacts: contactsOf(own, account_id),
      maintenance: maintenanceOfAccount(own, account_id),
      publicPages: publicPagesOf(own, account_id),
      statusReports: statusReportsOf(own, account_id),
      keys: keysOf(own, account_id),
      auditLog: auditLogOf(own, account_id),
      ...historyOf(own, account_id),
      ...transferOf(own, account_id, { importing, retention }),
    }
  }

  const engine: Engine & { readonly [REQUEST_SERVICES]: RequestServices } = {
    ...account(lifecycle.firstAccount),
    [REQUEST_SERVICES]: servicesOfRequests(context),
    start: lifecycle.start,
    open: lifecycle.open,
    stop: lifecycle.stop,
    [Symbol.asyncDispose]: () => lifecycle.stop(),
    get running() {
      return lifecycle.running
    },
    on: subscriptions.on,
    once: subscriptions.once,
    off: subscriptions.off,
    events: subscriptions.events,
    account,
    accounts: accountsOf(context),
    backup: backupOf(context),
    locations: locationsOf(runtime, core),
    authenticate: (key) => authenticate(context, key),
    async signal(token, signal) {
      await lifecycle.open()
      return push.signal(token, signal)
    },
    types: typesOf(registry),
    async health() {
      await lifecycle.open()
      const due_at = await store.notifications.nextDue()
      return {
        running: lifecycle.running,
        monitors: monitorCache.size,
        checks_running: runtime.openRounds.size,
        outbox_depth: await store.notifications.depth(),
        lag_ms: schedule.lag_ms,
        stale: staleness.count() + monitorCache.asideCount,
        outbox_wait_ms: Math.max(0, clock.now() - (due_at ?? Infinity)),
      }
    },
    readings: (account_id) => readingsOf(runtime, core, account_id),
  }
  // The type parameters are for the compiler: at run time a type is known by its field table.
  return engine
}

function servicesOfRequests(context: ServiceContext): RequestServices {
  return {
    requests: requestsOf(context),
    runningRepeatable: new Map(),
    ...idempotencyLocksOf(context),
    idempotencyResponses: idempotencyResponsesOf(context),
    publishedPages: publishedPagesOf(context),
    accountMonitors: accountMonitorsOf(context),
    key: keyReader(context),
  }
}

function locationsOf(
  { lifecycle, probes, connectivity }: Runtime,
  core: Core,
): Engine['locations'] {
  return {
    async list() {
      await lifecycle.open()
      // Empty until the store is open.
      return core.locations.map(({ id, name }) => ({
        id,
        name,
        online: probes.online(id) && connectivity.online,
      }))
    },
  }
}

function* readingsOf(
  { monitorCache, staleness }: Runtime,
  core: Core,
  account_id: number | undefined,
): Generator<MonitorReading> {
  for (const cached of monitorCache.all())
    if (account_id === undefined || cached.record.account_id === account_id)
      yield readingOf(cached, core.locations, staleness.isStale(cached))
}

function typesOf(registry: Core['registry']): Engine['types'] {
  return {
    list: () => registry.views(),
    common: () => describe(commonFields()),
    tables: () =>
      new Map(
        [...registry.types].map(([name, { checker, common }]) => [
          name,
          { title: checker.title, fields: checker.fields, common: common as FieldTable },
        ]),
      ),
  }
}
