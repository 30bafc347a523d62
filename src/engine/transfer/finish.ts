/**
 * Releases the monitors of an import: takes their tags away and resumes those that were not paused.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { NotFoundError } from '../../errors.ts'
import { transition } from '../../incident/transition.ts'
import type { MonitorRecord } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { ImportView } from '../api/transfer.ts'
import type { Core } from '../core/core.ts'
import { withDeadlineReset } from '../rounds/push.ts'
import { allowanceOf, quotasOf } from '../services/quotas.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { lastChangeAt } from './history-writer.ts'
import { importedMonitors, withoutMarks } from './store-lines.ts'

interface Finishing {
  readonly context: ServiceContext
  readonly account_id: number
  /** When the export began: what its monitors were since then is unknown. */
  readonly at: number
}

/** Monitors of one transaction. */
const GROUP = 25

export async function finish(
  { context, account_id, at }: Finishing,
  signal: AbortSignal | undefined,
): Promise<Pick<ImportView, 'over_quota'>> {
  const { core } = context
  const { checks_per_min } = allowanceOf(await quotasOf(core, account_id))
  const within = checks_per_min === undefined ? {} : { within: { checks_per_min } }
  const yieldIfLong = yielderOf(core.clock)
  let over_quota = 0
  let group: MonitorRecord[] = []
  async function release(): Promise<void> {
    const records = group
    group = []
    signal?.throwIfAborted()
    const known = await lastChanges(core, records)
    const releases: Change[] = []
    for (const record of records) {
      const change = releaseOf(core, record, { at, last: known.get(record.id) })
      releases.push({ ...change, ...(await newDeadline(context, record, change.at)), ...within })
    }
    const ends = await core.store.commit(releases)
    for (const [index, record] of records.entries()) {
      const end = ends[index]
      if (end?.ok === false && end.reason === 'quota') {
        over_quota++
        await keepPaused(core, record, { at, last: known.get(record.id) })
      } else if (end?.ok !== true) throw new NotFoundError('monitor')
      await startChecks(context, record.id)
    }
  }
  for await (const record of importedMonitors(context, account_id)) {
    await yieldIfLong()
    group.push(record)
    if (group.length >= GROUP) await release()
  }
  if (group.length > 0) await release()
  return { over_quota }
}

/** Its stored state is read, and its first check scheduled. */
async function startChecks({ monitorCache, schedule }: ServiceContext, id: number): Promise<void> {
  await monitorCache.refresh(id)
  const cached = monitorCache.peek(id)
  if (cached !== undefined && cached.record.machine.state !== 'paused') schedule.add(cached)
}

interface Known {
  readonly at: number
  /** The last change of availability. */
  readonly last: number | undefined
}

async function lastChanges(
  { store }: Core,
  records: readonly MonitorRecord[],
): Promise<ReadonlyMap<number, number>> {
  const known = new Map<number, number>()
  for (const { id } of records) {
    const last = await lastChangeAt(store, id)
    if (last !== undefined) known.set(id, last)
  }
  return known
}

function releaseOf(
  { clock }: Core,
  record: MonitorRecord,
  { at, last }: Known,
  keepsPaused = false,
): Change {
  const { id, revision, settings, target, machine } = record
  const { common, staysPaused } = withoutMarks(record.common)
  const now = clock.now()
  const isPaused = staysPaused || keepsPaused
  const paused = { ...machine, availability: 'paused' } as const
  const resumed = transition(machine, { kind: 'resume', at: now }, POLICY).state
  // Of a monitor without a history nothing is known before its first check.
  const unknown =
    last === undefined ? [] : [{ at: Math.max(at, last), availability: 'unknown' } as const]
  return {
    monitor_id: id,
    revision,
    at: now,
    settings: { common, settings, target },
    machine: isPaused ? paused : resumed,
    availability: [...unknown, ...(isPaused ? [{ at: now, availability: 'paused' } as const] : [])],
    broadcast: true,
  }
}

/** The job of a heartbeat has not signalled here yet: its time begins anew, as after a pause. */
async function newDeadline(
  { core, monitorCache }: ServiceContext,
  { id, type }: MonitorRecord,
  at: number,
): Promise<Partial<Change>> {
  if (core.registry.get(type)?.checker.push === undefined) return {}
  return withDeadlineReset(await monitorCache.get(id), at)
}

/** A pause and its end depend on no threshold. */
const POLICY = { fail_threshold: 1, recover_threshold: 1, gap_ms: null }

async function keepPaused(core: Core, record: MonitorRecord, known: Known): Promise<void> {
  const [end] = await core.store.commit([releaseOf(core, record, known, true)])
  if (end?.ok !== true) throw new NotFoundError('monitor')
}
