/**
 * Monitors of one account: create, read, change, pause, resume, check.
 *
 * @module
 */

import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts'
import { withoutAbsent } from '../../fields/merge.ts'
import { initialState } from '../../incident/state.ts'
import type { JsonObject } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { AccountScope, VersionOptions } from '../api/engine.ts'
import { planChange, MONITOR_DELETED } from '../rounds/plan-change.ts'
import { withDeadlineReset } from '../rounds/push.ts'
import { monitorSummary, monitorView, resultView } from '../views/views.ts'
import type { Outlined } from '../views/views.ts'
import { byLocation, groupByMonitor } from '../monitors/cached-monitor.ts'
import type { Changed, CachedMonitor } from '../monitors/cached-monitor.ts'
import { warningsOf } from '../registry/registry.ts'
import type { MonitorType } from '../registry/registry.ts'
import { allowanceOf, quotasOf, requireInterval } from './quotas.ts'
import { validateMonitor } from './validate-input.ts'
import type { MonitorSummary, MonitorView } from '../api/views.ts'
import { makeToken, pingOf } from '../core/tokens.ts'
import type { Parts } from './parts.ts'
import { pageOf } from './parts.ts'
import { bulkOf, tagged } from './bulk.ts'
import { read, readFilter } from './read-filter.ts'
import { listed, queryOf } from './listed.ts'
import { monitorFilter, previewOptions, uptimeOptions, versionOptions } from './filters.ts'
import { previewOf } from './preview.ts'
import { requireVersion, planUpdate } from './revise.ts'
import { statusView } from './status.ts'
import { uptimeOfDays } from './uptime.ts'
import { isJsonObject } from '../../model/json.ts'

type Monitors = AccountScope['monitors']

/** An object around the promise: awaiting the start does not await the end. */
interface Started {
  readonly ended: Promise<Changed | null>
}

export function monitorsOf(parts: Parts, account_id: number): Monitors {
  const { core, monitorCache, committed, schedule, ready } = parts

  async function own(id: number): Promise<CachedMonitor> {
    await ready()
    const cached = await monitorCache.get(id)
    if (cached.record.account_id !== account_id) throw new NotFoundError('monitor')
    return cached
  }

  const summary = (cached: Outlined): MonitorSummary =>
    monitorSummary(cached, schedule.factsOf(cached))

  function view(cached: CachedMonitor): MonitorView {
    const ping = pingOf(core, cached.record)
    return monitorView(cached, {
      ...schedule.factsOf(cached),
      locations: core.locations,
      ...(ping === undefined ? {} : { ping }),
    })
  }

  /** Commits a change of a monitor, and waits for its listeners. */
  async function commit(
    id: number,
    work: Parameters<typeof monitorCache.change>[1],
  ): Promise<Changed | null> {
    const changed = await monitorCache.change(id, work)
    if (changed !== null) await committed.publish(changed)
    return changed
  }

  /** Applies an event to the machine. */
  function applyEvent(
    id: number,
    { kind, version }: VersionOptions & { readonly kind: 'pause' | 'resume' },
    touch: (cached: CachedMonitor) => Partial<Change>,
  ): Promise<Changed | null> {
    return commit(id, async (cached) => {
      requireVersion(cached.record, version)
      const planned = await planChange({ core, monitorCache }, cached, {
        event: { kind, at: core.clock.now() },
      })
      return planned === null ? null : { change: { ...planned.change, ...touch(cached) } }
    })
  }

  /** Starts a round, or joins the open one. */
  async function startCheck(id: number, { version }: VersionOptions): Promise<Started> {
    const start = (cached: CachedMonitor): Started => {
      requireVersion(cached.record, version)
      requireCheckable(parts, cached)
      const ended = checkNow(parts, cached)
      // A waiting caller gets the failure; it was logged already.
      ended.catch(() => undefined)
      return { ended }
    }
    const cached = await own(id)
    if (version === undefined) return start(cached)
    // After the changes of this monitor that are under way; another process may have changed it as well.
    await monitorCache.refresh(id)
    let started: Started | undefined
    await monitorCache.change(id, (present) => {
      started = start(present)
      return null
    })
    return started ?? { ended: Promise.resolve(null) }
  }

  const pause = (id: number, options: VersionOptions): Promise<Changed | null> =>
    applyEvent(id, { ...options, kind: 'pause' }, raisedVersion)

  async function resume(id: number, options: VersionOptions): Promise<Changed | null> {
    const quotas = await quotasOf(core, account_id)
    const { checks_per_min } = allowanceOf(quotas)
    return applyEvent(id, { ...options, kind: 'resume' }, (cached) => {
      requireInterval(quotas, cached.type, cached.record.common)
      return {
        ...raisedVersion(cached),
        ...withDeadlineReset(cached, core.clock.now()),
        ...(checks_per_min === undefined ? {} : { within: { checks_per_min } }),
      }
    })
  }

  const remove = (id: number, version: number | undefined): Promise<Changed | null> =>
    commit(id, async (cached) => {
      requireVersion(cached.record, version)
      const planned = await planChange({ core, monitorCache }, cached, {
        event: { kind: 'remove', at: core.clock.now() },
      })
      const { machine: _machine, ...change } = planned?.change ?? emptyChange(parts, cached)
      return { change: { ...change, cancel: MONITOR_DELETED, remove: true } }
    })

  const bulk = bulkOf(parts, account_id, {
    own,
    pause: async (id) => (await own(id), (await pause(id, {})) !== null),
    resume: async (id) => (await own(id), (await resume(id, {})) !== null),
    remove: async (id) => (await own(id), (await remove(id, undefined)) !== null),
    check: async (id) => {
      if ((await own(id)).record.machine.state === 'paused') return false
      await startCheck(id, {})
      return true
    },
    tag: (tags) => async (id) => (await own(id), (await commit(id, tagged(parts, tags))) !== null),
  })

  return {
    bulk,

    async create(input) {
      await ready()
      const { type: name, ...fields } = objectFrom(input)
      const type = typeOf(parts, name)
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
      const record = await core.store.monitors.create(made, within)
      const cached = monitorCache.add(record)
      schedule.reschedule(cached, 'now')
      return withWarnings(view(cached), cached, fields)
    },

    async preview(input, options) {
      const { against } = readFilter(previewOptions, options)
      await ready()
      const { type: name, ...fields } = objectFrom(input)
      const type = typeOf(parts, name)
      const cached = against === undefined ? {} : { against: await own(against) }
      return previewOf(parts, { account_id, type, input: fields, ...cached })
    },

    async list(given) {
      await ready()
      const { names } = core.registry
      const filter = readFilter({ ...monitorFilter, type: read.list(read.oneOf(names)) }, given)
      const records = await listed(core, queryOf(account_id, filter, names))
      const states = groupByMonitor(
        await core.store.monitors.locations(records.map(({ id }) => id)),
      )
      const outlined = records.map((record) => ({
        record,
        locations: byLocation(states.get(record.id) ?? []),
      }))
      return pageOf(outlined.map(summary), filter.limit ?? 50)
    },

    get: async (id) => view(await own(id)),

    async update(id, patch, options) {
      const { version } = readFilter(versionOptions, options)
      await own(id)
      if (!isJsonObject(patch)) refuse({ '': 'invalid: an object is expected' })
      const wanted = withoutAbsent(patch)
      const changed = await commit(id, (cached) => {
        requireVersion(cached.record, version)
        return planUpdate(parts, cached, wanted)
      })
      if (changed?.after === undefined) return view(await own(id))
      return withWarnings(view(changed.after), changed.after, wanted)
    },

    async remove(id, options) {
      const { version } = readFilter(versionOptions, options)
      await own(id)
      await remove(id, version)
    },

    async pause(id, options = {}) {
      await own(id)
      await pause(id, options)
      return summary(await own(id))
    },

    async resume(id, options = {}) {
      await own(id)
      await resume(id, options)
      return summary(await own(id))
    },

    async check(id, options = {}) {
      const { ended } = await startCheck(id, options)
      const changed = await ended
      const after = changed?.after ?? (await own(id))
      const results = (changed?.change.results ?? []).map((result, index) =>
        resultView(
          { ...result, id: changed?.committed.result_ids[index] ?? 0, monitor_id: id },
          core.registry.get(after.record.type)?.checker,
        ),
      )
      return { results, monitor: summary(after) }
    },

    // The results show its end.
    queueCheck: async (id, options = {}) => void (await startCheck(id, options)),

    status: async (id) => statusView(parts, await own(id)),

    async uptime(id, options) {
      const { days = 30 } = readFilter(uptimeOptions, options)
      return uptimeOfDays(core, (await own(id)).record, days)
    },
  }
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

function typeOf({ core }: Parts, name: unknown): MonitorType {
  if (name === undefined || name === null) return refuse({ type: 'required' })
  const type = typeof name === 'string' ? core.registry.get(name) : undefined
  return type ?? refuse({ type: `invalid: one of ${core.registry.names.join(', ')} is expected` })
}

/** A pause or resume raises the version, since other clients may depend on it. */
function raisedVersion({
  record: { common, settings, target },
}: CachedMonitor): Pick<Change, 'settings'> {
  return { settings: { common, settings, target } }
}

function emptyChange({ core }: Parts, { record }: CachedMonitor): Change {
  return { monitor_id: record.id, revision: record.revision, at: core.clock.now() }
}

/** @throws ConflictError `paused` or `not_running` */
function requireCheckable({ running }: Parts, cached: CachedMonitor): void {
  if (cached.record.machine.state === 'paused') {
    throw new ConflictError('paused', 'The monitor is paused; resume it first')
  }
  if (!running())
    throw new ConflictError('not_running', 'The engine is not running; start it first')
}

function checkNow({ core, rounds, push }: Parts, cached: CachedMonitor): Promise<Changed | null> {
  return cached.type.checker.push === undefined
    ? rounds.run(cached, core.clock.now())
    : push.judge(cached)
}

function refuse(fields: Readonly<Record<string, string>>): never {
  throw new ValidationError(fields)
}
