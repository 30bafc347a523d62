/**
 * Monitors of one account: create, read, change, pause, resume, check.
 *
 * @module
 */

import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts'
import { isPlainObject } from '../../fields/parse.ts'
import { initialState, statesOf } from '../../incident/state.ts'
import { MONITOR_STATES, MONITOR_STATUSES } from '../../model.ts'
import type { JsonObject, MonitorState, MonitorStatus } from '../../model.ts'
import type { Change, MonitorQuery } from '../../store/store.ts'
import type { AccountScope, MonitorFilter } from '../api.ts'
import { interpret } from '../interpret.ts'
import { rearmed } from '../passive.ts'
import { monitorSummary, monitorView, resultView } from '../present.ts'
import type { Outlined } from '../present.ts'
import type { Concluded } from '../rounds.ts'
import { byLocation, groupByMonitor } from '../entry.ts'
import type { Changed, Entry } from '../entry.ts'
import type { MonitorType } from '../registry.ts'
import { settleMonitor } from '../settle.ts'
import type { MonitorSummary, MonitorView } from '../views.ts'
import { makeToken, pingOf } from '../tokens.ts'
import type { Parts } from './parts.ts'
import { pageOf } from './parts.ts'
import { previewOf } from './preview.ts'
import { demandVersion, revised } from './revise.ts'
import { statusView } from './status.ts'
import { uptimeOfDays } from './uptime.ts'

type Monitors = AccountScope['monitors']

export function monitorsOf(parts: Parts, account_id: number): Monitors {
  const { core, roster, watch, ready } = parts

  async function own(id: number): Promise<Entry> {
    await ready()
    const entry = await roster.get(id)
    if (entry.record.account_id !== account_id) throw new NotFoundError('monitor')
    return entry
  }

  const summary = (entry: Outlined): MonitorSummary =>
    monitorSummary(entry, watch.nextDue(entry.record.id))

  function view(entry: Entry): MonitorView {
    const ping = pingOf(core, entry.record)
    return monitorView(entry, {
      next_due_at: watch.nextDue(entry.record.id),
      locations: core.locations,
      ...(ping === undefined ? {} : { ping }),
    })
  }

  /** Changes the machine by an event and tells what follows. */
  async function happen(
    id: number,
    kind: 'pause' | 'resume',
    touch: (entry: Entry) => Partial<Change>,
  ): Promise<Changed | null> {
    const changed = await roster.change(id, async (entry) => {
      const interpreted = await interpret({ core, roster }, entry, {
        event: { kind, at: core.clock.now() },
      })
      return interpreted === null ? null : { ...interpreted.change, ...touch(entry) }
    })
    if (changed !== null) await watch.announce(changed, [])
    return changed
  }

  return {
    async create(input) {
      await ready()
      const given: JsonObject = isPlainObject(input) ? input : refuse({ type: 'required' })
      const { type: name, ...fields } = given
      const type = typeOf(parts, name)
      const { common, settings, target } = await settleMonitor(core, {
        account_id,
        type,
        input: fields,
      })
      const token = type.checker.passive === undefined ? undefined : makeToken(core)
      const now = core.clock.now()
      const record = await core.store.monitors.create({
        account_id,
        type: type.checker.type,
        common,
        settings: roster.seal(type, settings),
        target,
        machine: initialState(now),
        token_hash: token?.token_hash ?? null,
        token: token?.sealed ?? null,
        created_at: now,
        updated_at: now,
      })
      const entry = roster.add(record)
      watch.reschedule(entry, 'now')
      return view(entry)
    },

    async preview(input, { against } = {}) {
      await ready()
      const { type: name, ...fields }: JsonObject = isPlainObject(input)
        ? input
        : refuse({ type: 'required' })
      const type = typeOf(parts, name)
      const entry = against === undefined ? {} : { against: await own(against) }
      return previewOf(parts, { account_id, type, input: fields, ...entry })
    },

    async list(filter = {}) {
      await ready()
      const { names } = core.registry
      const records = await core.store.monitors.list(queryOf(account_id, filter, names))
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

    async update(id, patch, options = {}) {
      await own(id)
      if (!isPlainObject(patch)) refuse({ '': 'invalid: an object is expected' })
      const changed = await roster.change(id, (entry) => {
        demandVersion(entry.record, options.version)
        return revised(parts, entry, patch)
      })
      if (changed?.after === undefined) return view(await own(id))
      const { record } = changed.after
      const restarted = changed.before.record.machine !== record.machine
      if (restarted) watch.rounds.cancel(id, 'changed')
      if (record.machine.state !== 'paused')
        watch.reschedule(changed.after, restarted ? 'now' : 'next')
      await watch.announce(changed, [])
      return view(changed.after)
    },

    async remove(id, options = {}) {
      await own(id)
      const changed = await roster.change(id, async (entry) => {
        demandVersion(entry.record, options.version)
        const interpreted = await interpret({ core, roster }, entry, {
          event: { kind: 'remove', at: core.clock.now() },
        })
        const { machine: _machine, ...change } = interpreted?.change ?? bare(parts, entry)
        return { ...change, cancel: { scope: 'all', reason: 'monitor_deleted' }, remove: true }
      })
      watch.forget(id)
      watch.rounds.cancel(id, 'changed')
      if (changed !== null) await watch.announce(changed, [])
    },

    async pause(id) {
      await own(id)
      await happen(id, 'pause', touched)
      watch.forget(id)
      watch.rounds.cancel(id, 'paused')
      return summary(await own(id))
    },

    async resume(id) {
      await own(id)
      const changed = await happen(id, 'resume', (entry) => ({
        ...touched(entry),
        ...rearmed(entry, core.clock.now()),
      }))
      if (changed?.after !== undefined) watch.reschedule(changed.after, 'now')
      return summary(await own(id))
    },

    async check(id) {
      const entry = await own(id)
      demandCheckable(parts, entry)
      const concluded = await checkNow(parts, entry)
      const after = concluded?.changed.after ?? (await own(id))
      const { change, committed } = concluded?.changed ?? {}
      const results = (change?.results ?? []).map((result, index) =>
        resultView({ ...result, id: committed?.result_ids[index] ?? 0, monitor_id: id }),
      )
      return { results, monitor: summary(after) }
    },

    async queueCheck(id) {
      const entry = await own(id)
      demandCheckable(parts, entry)
      // Its end is seen in the results; a failure to store it was complained of already.
      checkNow(parts, entry).catch(() => undefined)
    },

    status: async (id) => statusView(parts, await own(id)),

    async uptime(id, options = {}) {
      return uptimeOfDays(core, (await own(id)).record, options.days ?? 30)
    },
  }
}

function typeOf({ core }: Parts, name: unknown): MonitorType {
  if (name === undefined || name === null) return refuse({ type: 'required' })
  const type = typeof name === 'string' ? core.registry.get(name) : undefined
  return type ?? refuse({ type: `invalid: one of ${core.registry.names.join(', ')} is expected` })
}

/** A pause or resume is a change of the monitor that others may rely on: its version grows. */
function touched({ record: { common, settings, target } }: Entry): Pick<Change, 'settings'> {
  return { settings: { common, settings, target } }
}

function bare({ core }: Parts, { record }: Entry): Change {
  return { monitor_id: record.id, revision: record.revision, at: core.clock.now() }
}

/** @throws ConflictError `paused` or `not_running` */
function demandCheckable({ running }: Parts, entry: Entry): void {
  if (entry.record.machine.state === 'paused') {
    throw new ConflictError('paused', 'The monitor is paused; resume it first')
  }
  if (!running())
    throw new ConflictError('not_running', 'The engine is not running; start it first')
}

function checkNow({ core, watch }: Parts, entry: Entry): Promise<Concluded | null> {
  return entry.type.checker.passive === undefined
    ? watch.rounds.run(entry, core.clock.now())
    : watch.judgeNow(entry)
}

function queryOf(
  account_id: number,
  filter: MonitorFilter,
  names: readonly string[],
): MonitorQuery {
  return {
    account_id,
    limit: (filter.limit ?? 50) + 1,
    ...(filter.after !== undefined ? { after_id: filter.after } : {}),
    ...(filter.status !== undefined ? { states: filter.status.flatMap(statesNamed) } : {}),
    // A type that is no longer registered has no fields to be shown by.
    types: names.filter((name) => filter.type?.includes(name) ?? true),
    ...(filter.tag !== undefined ? { tags: filter.tag } : {}),
    ...(filter.q !== undefined ? { q: filter.q } : {}),
  }
}

/** `up`, `down` and `paused` are states and statuses; a filter means the wider one. */
function statesNamed(name: MonitorState | MonitorStatus): MonitorState[] {
  const status = MONITOR_STATUSES.find((known) => known === name)
  if (status !== undefined) return statesOf(status)
  return MONITOR_STATES.filter((state) => state === name)
}

function refuse(fields: Readonly<Record<string, string>>): never {
  throw new ValidationError(fields)
}
