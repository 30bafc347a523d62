/**
 * Monitors of one account: create, read, change, pause, resume, check.
 *
 * @module
 */

import { ValidationError } from '../../errors.ts'
import { withoutAbsent } from '../../fields/merge.ts'
import { initialState } from '../../incident/state.ts'
import type { JsonObject } from '../../model.ts'
import type { AccountScope } from '../api/engine.ts'
import { monitorSummary, monitorView, resultView } from '../views/views.ts'
import type { SummarySource } from '../views/views.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { unknownType, warningsOf } from '../registry/registry.ts'
import type { MonitorType } from '../registry/registry.ts'
import { allowanceOf, quotasOf } from './quotas.ts'
import { validateMonitor } from './validate-input.ts'
import type { MonitorSummary, MonitorView } from '../api/views.ts'
import { makeToken, heartbeatAddressOf } from '../core/tokens.ts'
import type { ServiceContext } from './service-context.ts'
import { pageOf } from './paging.ts'
import { createMonitorActions } from './monitor-actions.ts'
import { listMonitors, queryOf, summarySources } from './monitor-list.ts'
import { announceAudit } from '../announce/audit.ts'
import { auditRecord } from './audit.ts'
import { bulkOf, planTags } from './bulk.ts'
import { read, readFilter } from './read-filter.ts'
import {
  monitorFilter,
  previewOptions,
  testOptions,
  uptimeOptions,
  versionOptions,
} from './filters.ts'
import { hoursOf } from './hours.ts'
import { previewOf } from './preview.ts'
import type { GivenSettings } from './preview.ts'
import { createTestCheck } from './test-check.ts'
import { planUpdate } from './monitor-update.ts'
import { statusView } from './status.ts'
import { uptimeOfDays } from './uptime.ts'
import { requireVersion } from './versioned-records.ts'
import { isJsonObject } from '../../model/json.ts'

type Monitors = AccountScope['monitors']

export function monitorsOf(context: ServiceContext, account_id: number): Monitors {
  const { core, monitorCache, schedule, graphTurns, ready } = context
  const { own, commit, startCheck, pause, resume, remove } = createMonitorActions(
    context,
    account_id,
  )

  const testCheck = createTestCheck(context)

  const summary = (cached: SummarySource): MonitorSummary =>
    monitorSummary(cached, schedule.factsOf(cached))

  function view(cached: CachedMonitor): MonitorView {
    const ping = heartbeatAddressOf(core, cached.record)
    return monitorView(cached, {
      ...schedule.factsOf(cached),
      locations: core.locations,
      ...(ping === undefined ? {} : { ping }),
    })
  }

  const bulk = bulkOf(context, account_id, {
    own,
    pause: async (id) => (await pause(id, {})) !== null,
    resume: async (id) => (await resume(id, {})) !== null,
    remove: async (id) => (await remove(id, undefined)) !== null,
    check: async (id) => {
      if ((await own(id)).record.machine.state === 'paused') return false
      await startCheck(id, {})
      return true
    },
    tag: (tags) => async (id) =>
      inTurn(
        waits(await own(id)),
        async () => (await commit(id, planTags(context, tags))) !== null,
      ),
  })

  /** Input for a new monitor, or a patch of one. */
  async function givenOf(input: unknown, update: number | undefined): Promise<GivenSettings> {
    const { type: name, ...fields } = objectFrom(input)
    if (update === undefined) return { account_id, type: typeOf(context, name), input: fields }
    const cached = await own(update)
    if (name !== undefined && name !== cached.record.type) refuse({ type: 'immutable' })
    return { account_id, type: cached.type, input: fields, update: cached }
  }

  async function createMonitor(input: unknown): Promise<MonitorView> {
    await ready()
    const { type: name, ...fields } = objectFrom(input)
    const type = typeOf(context, name)
    return inTurn(connects(type, fields), () => createOf(type, fields))
  }

  /** `connects`: it may make a monitor wait for another. */
  function inTurn<T>(connects: boolean, change: () => Promise<T>): Promise<T> {
    return connects ? graphTurns.run(account_id, change) : change()
  }

  async function createOf(type: MonitorType, fields: JsonObject): Promise<MonitorView> {
    const { common, settings, target } = await validateMonitor(core, {
      account_id,
      type,
      input: fields,
    })
    const token = type.checker.push === undefined ? undefined : makeToken(core)
    const now = core.clock.now()
    const within = allowanceOf(await quotasOf(core, account_id))
    const made = {
      account_id,
      type: type.checker.type,
      common,
      settings: monitorCache.seal(type, settings),
      target,
      machine: initialState(now),
      token_hash: token?.token_hash ?? null,
      token: token?.sealed ?? null,
      created_at: now,
      updated_at: now,
    }
    const audit = auditRecord(context, {
      resource: 'monitor',
      action: 'created',
      name: common.name,
    })
    const record = await core.store.monitors.create(made, within, audit)
    announceAudit(core, audit, record)
    const cached = monitorCache.add(record)
    schedule.reschedule(cached, 'now')
    return withWarnings(view(cached), cached, fields)
  }

  return {
    bulk,

    create: createMonitor,

    async preview(
      input: unknown,
      options?: { readonly against?: number; readonly update?: number },
    ) {
      const { against, update } = readFilter(previewOptions, options)
      await ready()
      const cached = against === undefined ? {} : { against: await own(against) }
      return previewOf(context, { ...(await givenOf(input, update)), ...cached })
    },

    async test(input: unknown, options?: { readonly update?: number }) {
      const { update } = readFilter(testOptions, options)
      await ready()
      return testCheck(await givenOf(input, update))
    },

    async list(given) {
      await ready()
      const { names } = core.registry
      const filter = readFilter({ ...monitorFilter, type: read.list(read.oneOf(names)) }, given)
      const records = await listMonitors(core, queryOf(account_id, filter, names))
      const sources = await summarySources(core, records)
      return pageOf(sources.map(summary), filter.limit ?? 50)
    },

    get: async (id) => view(await own(id)),

    async update(id, patch, options) {
      const { version } = readFilter(versionOptions, options)
      const present = await own(id)
      if (!isJsonObject(patch)) refuse({ '': 'invalid: an object is expected' })
      const wanted = withoutAbsent(patch)
      const changed = await inTurn(reconnects(present, wanted), () =>
        commit(id, (cached) => {
          requireVersion('monitor', cached.record, version)
          return planUpdate(context, cached, wanted)
        }),
      )
      if (changed?.after === undefined) return view(await own(id))
      return withWarnings(view(changed.after), changed.after, wanted)
    },

    async remove(id, options) {
      const { version } = readFilter(versionOptions, options)
      await remove(id, version)
    },

    async pause(id, options = {}) {
      await pause(id, options)
      return summary(await own(id))
    },

    async resume(id, options = {}) {
      await resume(id, options)
      return summary(await own(id))
    },

    async check(id, options = {}) {
      const { ended } = await startCheck(id, options)
      const changed = await ended
      const after = changed?.after ?? (await own(id))
      const results = (changed?.change.results ?? []).map((result, index) =>
        resultView(
          { id: changed?.committed.result_ids[index] ?? 0, monitor_id: id, ...result },
          core.registry.get(after.record.type)?.checker,
        ),
      )
      return { results, monitor: summary(after) }
    },

    // The caller sees the end of the round in the results.
    queueCheck: async (id, options = {}) => void (await startCheck(id, options)),

    status: async (id) => statusView(context, await own(id)),

    async uptime(id, options) {
      const { days = 30 } = readFilter(uptimeOptions, options)
      return uptimeOfDays(context, (await own(id)).record, days)
    },

    hours: async (id, options) => hoursOf(context, (await own(id)).record, options),
  }
}

function connects({ checker }: MonitorType, fields: JsonObject): boolean {
  return 'depends_on' in fields || checker.composite !== undefined
}

/** Of a patch. */
function reconnects(cached: CachedMonitor, fields: JsonObject): boolean {
  return connects(cached.type, fields) || ('tags' in fields && waits(cached))
}

/** Whether it waits for others: one that does not closes no circle, whatever its tags make it a member of. */
function waits({ type, record }: CachedMonitor): boolean {
  return record.common.depends_on.length > 0 || type.checker.composite !== undefined
}

function withWarnings(
  view: MonitorView,
  { type, settings }: CachedMonitor,
  given: JsonObject,
): MonitorView {
  const warnings = warningsOf(type, settings, given)
  return warnings.length === 0 ? view : { ...view, warnings }
}

function objectFrom(input: unknown): JsonObject {
  return isJsonObject(input) ? withoutAbsent(input) : refuse({ type: 'required' })
}

function typeOf({ core }: ServiceContext, name: unknown): MonitorType {
  if (name === undefined || name === null) return refuse({ type: 'required' })
  const type = typeof name === 'string' ? core.registry.get(name) : undefined
  if (type === undefined) throw unknownType(name, core.registry.names)
  return type
}

function refuse(fields: Readonly<Record<string, string>>): never {
  throw new ValidationError(fields)
}
