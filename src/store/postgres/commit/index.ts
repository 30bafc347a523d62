/**
 * Commits changes: the whole list in one transaction, with one statement per table rather than per row.
 *
 * @module
 */

import type { MonitorState } from '../../../model.ts'
import { exceeds, isChecked, ratedChecks } from '../../quota.ts'
import type { Change, Committed } from '../../store.ts'
import { ofNoneRemoved } from '../account-removal.ts'
import { lockedChecks } from '../account-use.ts'
import { addAudits } from '../audit.ts'
import { numbers } from '../bulk.ts'
import { announce } from '../changes.ts'
import type { Database, Session } from '../database.ts'
import type { Partitions } from '../partitions.ts'
import { isMissingPartition } from '../partitions.ts'
import type { Accepted } from './accepted.ts'
import { putHistory, putResults } from './history.ts'
import { openIncidents, updateIncidents } from './incidents.ts'
import { putLocations, putMonitors, removeMonitors } from './monitors.ts'
import { cancel, notify } from './outbox.ts'

export async function commit(
  db: Database,
  partitions: Partitions,
  changes: readonly Change[],
): Promise<readonly Committed[]> {
  if (changes.length === 0) return []
  const work = async (): Promise<readonly Committed[]> => {
    await partitions.ensure(startsOf(changes))
    return db.transaction((session) => commitAll(session, db.schema, changes))
  }
  try {
    return await work()
  } catch (error) {
    if (!isMissingPartition(error)) throw error
    partitions.forget()
    return work()
  }
}

function* startsOf(changes: readonly Change[]): Iterable<number> {
  for (const { results = [] } of changes) for (const { started_at } of results) yield started_at
}

async function commitAll(
  session: Session,
  schema: string,
  changes: readonly Change[],
): Promise<readonly Committed[]> {
  const checks = await lockedChecks(session, changes)
  const monitors = await lock(session, changes)
  const answers = new Map<Change, Committed>()
  const broadcast = new Set<number>()
  for (const wave of waves(changes)) {
    const accepted = judge(wave, { monitors, answers, checks })
    await write(session, accepted)
    for (const done of accepted) settle(done, { monitors, answers, broadcast })
  }
  await announce(session, schema, [...broadcast])
  return changes.map((change) => answers.get(change) ?? { ok: false, reason: 'gone' })
}

interface Locked {
  readonly account_id: number
  readonly version: number
  readonly revision: number
  readonly state: MonitorState
  readonly token_hash: string | null
  readonly checks_per_min: number
}
type Monitors = Map<number, Locked>

/** Locks in the order of ids, so that concurrent commits do not deadlock. */
const LOCK = `SELECT id, account_id, version, revision, state, token_hash, checks_per_min
  FROM watchpost.monitors
  WHERE id = ANY ($1::bigint[]) AND ${ofNoneRemoved()} ORDER BY id FOR NO KEY UPDATE`

async function lock(session: Session, changes: readonly Change[]): Promise<Monitors> {
  const ids = new Set(changes.map(({ monitor_id }) => monitor_id))
  const rows = await session.rows(LOCK, [numbers([...ids])])
  return new Map(rows.map(({ id, ...locked }) => [Number(id), locked as unknown as Locked]))
}

/** Changes of the same monitor go into successive waves; each wave is written together. */
function waves(changes: readonly Change[]): Change[][] {
  const found: Change[][] = []
  const depths = new Map<number, number>()
  for (const change of changes) {
    const depth = depths.get(change.monitor_id) ?? 0
    depths.set(change.monitor_id, depth + 1)
    const wave = (found[depth] ??= [])
    wave.push(change)
  }
  return found
}

interface Books {
  readonly monitors: Monitors
  readonly answers: Map<Change, Committed>
  /** Monitors whose change is broadcast to other processes. */
  readonly broadcast: Set<number>
  /** The check rate of the accounts that have a quota of it. */
  readonly checks: Map<number, number>
}

/** Decides for each change whether it is accepted, before the first write. */
function judge(wave: readonly Change[], books: Omit<Books, 'broadcast'>): Accepted[] {
  const { monitors, answers, checks } = books
  const accepted: Accepted[] = []
  for (const change of wave) {
    const monitor = monitors.get(change.monitor_id)
    if (monitor === undefined) answers.set(change, { ok: false, reason: 'gone' })
    else if (monitor.revision !== change.revision) {
      answers.set(change, { ok: false, reason: 'outdated' })
    } else if (isBeyond(monitor, change, checks)) {
      answers.set(change, { ok: false, reason: 'quota' })
    } else {
      const { account_id } = monitor
      accepted.push({ change, account_id, opened: null, result_ids: [], notification_ids: [] })
    }
  }
  return accepted
}

/** Whether the change raises the monitor's check rate and the account then exceeds its allowance. */
function isBeyond(monitor: Locked, change: Change, checks: Map<number, number>): boolean {
  const limit = change.within?.checks_per_min
  if (limit === undefined) return false
  const all = checks.get(monitor.account_id) ?? 0
  const more = checksAfter(monitor, change) - (isChecked(monitor) ? monitor.checks_per_min : 0)
  if (more > 0 && exceeds(all + more, limit)) return true
  checks.set(monitor.account_id, all + more)
  return false
}

function checksAfter(monitor: Locked, { machine, settings }: Change): number {
  const { token_hash, checks_per_min } = monitor
  if (!isChecked({ token_hash, state: machine?.state ?? monitor.state })) return 0
  return settings === undefined ? checks_per_min : ratedChecks(settings.common)
}

async function write(session: Session, accepted: readonly Accepted[]): Promise<void> {
  if (accepted.length === 0) return
  await openIncidents(session, accepted)
  await updateIncidents(session, accepted)
  await putMonitors(session, accepted)
  await putLocations(session, accepted)
  await putResults(session, accepted)
  await putHistory(session, accepted)
  await cancel(session, accepted)
  await notify(session, accepted)
  await addAudits(
    session,
    accepted.flatMap(({ change: { audit, monitor_id: id }, account_id }) =>
      audit === undefined ? [] : [{ audit, id, account_id }],
    ),
  )
  await removeMonitors(session, accepted)
}

function settle(done: Accepted, { monitors, answers, broadcast }: Omit<Books, 'checks'>): void {
  const { change, opened, result_ids, notification_ids } = done
  const monitor = monitors.get(change.monitor_id)
  if (monitor === undefined) return
  const state = change.machine?.state ?? monitor.state
  const version = monitor.version + (change.settings === undefined ? 0 : 1)
  const revision = monitor.revision + 1
  const incident_id = opened ?? change.update_incident?.id ?? null
  answers.set(change, { ok: true, version, revision, incident_id, result_ids, notification_ids })
  if (change.remove === true) monitors.delete(change.monitor_id)
  else {
    const { settings } = change
    const checks_per_min =
      settings === undefined ? monitor.checks_per_min : ratedChecks(settings.common)
    monitors.set(change.monitor_id, { ...monitor, version, revision, state, checks_per_min })
  }
  const paused = (state === 'paused') !== (monitor.state === 'paused')
  const said = change.settings ?? change.token ?? change.remove ?? change.broadcast
  if (said !== undefined || paused) broadcast.add(change.monitor_id)
}
