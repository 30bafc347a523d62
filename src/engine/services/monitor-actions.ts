/**
 * What is done to one monitor of an account: a change is committed, an event applied, a check started.
 *
 * @module
 */

import { ConflictError, NotFoundError } from '../../errors.ts'
import type { AuditAction, NewAuditRecord } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { VersionOptions } from '../api/engine.ts'
import type { CachedMonitor, Changed } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { MONITOR_DELETED, planChange } from '../rounds/plan-change.ts'
import { withDeadlineReset } from '../rounds/push.ts'
import { auditRecord } from './audit.ts'
import type { ServiceContext } from './service-context.ts'
import { allowanceOf, quotasOf, requireInterval } from './quotas.ts'
import { requireVersion } from './versioned-records.ts'

/** An object around the promise: awaiting the start does not await the end. */
export interface Started {
  readonly ended: Promise<Changed | null>
}

/** Those that commit resolve to the change, `null` if nothing changed. @throws NotFoundError for a monitor of another account */
export interface MonitorActions {
  own(this: void, id: number): Promise<CachedMonitor>
  /** Commits a change, and waits for those that follow it. */
  commit(
    this: void,
    id: number,
    work: Parameters<MonitorCache['change']>[1],
  ): Promise<Changed | null>
  /** Starts a round, or joins the open one. @throws ConflictError */
  startCheck(this: void, id: number, options: VersionOptions): Promise<Started>
  pause(this: void, id: number, options: VersionOptions): Promise<Changed | null>
  resume(this: void, id: number, options: VersionOptions): Promise<Changed | null>
  remove(this: void, id: number, version: number | undefined): Promise<Changed | null>
}

export function createMonitorActions(context: ServiceContext, account_id: number): MonitorActions {
  const { core, monitorCache, changeBus, ready } = context

  const auditOf = ({ record }: CachedMonitor, action: AuditAction): NewAuditRecord =>
    auditRecord(context, { resource: 'monitor', action, name: record.common.name })

  async function own(id: number): Promise<CachedMonitor> {
    await ready()
    const cached = await monitorCache.get(id)
    if (cached.record.account_id !== account_id) throw new NotFoundError('monitor')
    return cached
  }

  async function commit(
    id: number,
    work: Parameters<MonitorCache['change']>[1],
  ): Promise<Changed | null> {
    await own(id)
    const changed = await monitorCache.change(id, work)
    if (changed !== null) await changeBus.publish(changed)
    return changed
  }

  /** Applies an event to the machine. */
  function applyEvent(
    id: number,
    { kind, version }: VersionOptions & { readonly kind: 'pause' | 'resume' },
    touch: (cached: CachedMonitor) => Partial<Change>,
  ): Promise<Changed | null> {
    return commit(id, async (cached) => {
      requireVersion('monitor', cached.record, version)
      const planned = await planChange({ core, monitorCache }, cached, {
        event: { kind, at: core.clock.now() },
      })
      if (planned === null) return null
      const audit = auditOf(cached, kind === 'pause' ? 'paused' : 'resumed')
      return { ...planned, change: { ...planned.change, ...touch(cached), audit } }
    })
  }

  async function startCheck(id: number, { version }: VersionOptions): Promise<Started> {
    const start = (cached: CachedMonitor): Started => {
      requireVersion('monitor', cached.record, version)
      requireCheckable(context, cached)
      const ended = checkNow(context, cached)
      // A waiting caller gets the failure; it was logged already.
      ended.catch(() => undefined)
      return { ended }
    }
    await context.nextCheck()
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
    await own(id)
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
      requireVersion('monitor', cached.record, version)
      const planned = await planChange({ core, monitorCache }, cached, {
        event: { kind: 'remove', at: core.clock.now() },
      })
      const { machine: _machine, ...change } = planned?.change ?? emptyChange(context, cached)
      const audit = auditOf(cached, 'deleted')
      return { ...planned, change: { ...change, cancel: MONITOR_DELETED, remove: true, audit } }
    })

  return { own, commit, startCheck, pause, resume, remove }
}

/** A pause or resume raises the version, since other clients may depend on it. */
function raisedVersion({
  record: { common, settings, target },
}: CachedMonitor): Pick<Change, 'settings'> {
  return { settings: { common, settings, target } }
}

function emptyChange({ core }: ServiceContext, { record }: CachedMonitor): Change {
  return { monitor_id: record.id, revision: record.revision, at: core.clock.now() }
}

/** @throws ConflictError `paused` or `not_running` */
function requireCheckable({ running }: ServiceContext, cached: CachedMonitor): void {
  if (cached.record.machine.state === 'paused') {
    throw new ConflictError('paused', 'The monitor is paused; resume it first')
  }
  if (!running())
    throw new ConflictError('not_running', 'The engine is not running; start it first')
}

function checkNow(
  { core, rounds, push }: ServiceContext,
  cached: CachedMonitor,
): Promise<Changed | null> {
  return cached.type.checker.push === undefined
    ? rounds.run(cached, core.clock.now())
    : push.judge(cached)
}
