/**
 * Follows changes that other processes make on the same store.
 *
 * @module
 */

import { yieldingQueueOf } from '../../clock.ts'
import type { Timer } from '../../clock.ts'
import { createFairQueue } from '../../fair-queue.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { AccountWindows } from '../monitors/account-windows.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { Rounds } from '../rounds/rounds.ts'
import type { MonitorSchedule } from '../scheduling/monitor-schedule.ts'

/** Delay before what was missed is read again; doubled while reading fails. */
const RETRY_MIN_MS = 5_000
const RETRY_MAX_MS = 60_000
/** Maximum number of failures per try: a store that is down is not queried for every monitor. */
const FAILURES_PER_TRY = 5

/** Reads at a time, one more for an account without any: a change of ten thousand monitors must not fill the pool. */
const READS = 4

/** What has changed: a monitor, the windows of accounts, or anything. */
type Subject = number | 'windows' | 'all'

interface Waiting {
  readonly subject: Subject
  /** 0 for what belongs to no account, or to none that is known yet. */
  readonly account_id: number
  readonly host: ''
}

export interface ChangeFeed {
  /** Follows changes from then on; changes of monitors that are not cached have no effect. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface ChangeFeedOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: Pick<AccountWindows, 'refresh'>
  readonly rounds: Pick<Rounds, 'cancel'>
  readonly schedule: MonitorSchedule
}

export function createChangeFeed({
  core,
  monitorCache,
  accountWindows,
  rounds,
  schedule,
}: ChangeFeedOptions): ChangeFeed {
  let stopListening: (() => Promise<void>) | undefined
  let following = false
  const missed = new Set<Subject>()
  let timer: Timer | undefined
  let failures = 0
  const queue = createFairQueue<Waiting>({ slots: READS, perHost: READS + 1 })
  const waiting = new Set<Subject>()
  const nextTurn = yieldingQueueOf(core.clock)

  async function refresh(id: number): Promise<void> {
    const { before, after } = await monitorCache.refresh(id)
    if (before === after) return
    if (after === undefined) schedule.remove(id)
    else if (before === undefined) schedule.add(after)
    else follow(before, after)
  }

  function follow(before: CachedMonitor, after: CachedMonitor): void {
    const { id, version, machine } = after.record
    // A round with the previous settings does not count: it gives way to a new one.
    const ended = version !== before.record.version && rounds.cancel(id, 'changed')
    if (machine.state === 'paused') schedule.forget(id)
    else schedule.reschedule(after, startsOver(before, after) || ended ? 'now' : 'next')
  }

  async function refreshAll(): Promise<void> {
    await accountWindows.refresh()
    for (const id of await monitorCache.outdated()) await refresh(id)
  }

  async function read(subject: Subject): Promise<void> {
    if (subject === 'windows') await accountWindows.refresh()
    else await (subject === 'all' ? refreshAll() : refresh(subject))
    missed.delete(subject)
  }

  function retryLater(subject: Subject, err: unknown): void {
    // What a stopped engine has not read, the next one reads at its start; the store may be closed by now.
    if (!following) return
    logError(core, err, 'a change of another process could not be applied yet')
    // Moved to the end of the queue: a monitor that can never be read does not block the others.
    missed.delete(subject)
    missed.add(subject)
    const pause_ms = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures)
    timer ??= core.clock.timer(pause_ms, () => void readMissed(), { background: true })
  }

  async function readMissed(): Promise<void> {
    const failed: [Subject, unknown][] = []
    const subjects = [...missed]
    for (const subject of subjects) {
      if (failed.length === FAILURES_PER_TRY) break
      await read(subject).catch((err: unknown) => failed.push([subject, err]))
    }
    timer = undefined
    failures = failed.length < Math.min(FAILURES_PER_TRY, subjects.length) ? 0 : failures + 1
    for (const [subject, err] of failed) retryLater(subject, err)
  }

  function readSoon(subject: Subject): void {
    if (waiting.has(subject)) return
    waiting.add(subject)
    const cached = typeof subject === 'number' ? monitorCache.peek(subject) : undefined
    queue.add({ subject, account_id: cached?.record.account_id ?? 0, host: '' })
    readNext()
  }

  function readNext(): void {
    for (let next = queue.take(); next !== undefined; next = queue.take()) void readOrRetry(next)
  }

  async function readOrRetry(next: Waiting): Promise<void> {
    const { subject } = next
    await nextTurn()
    // What changes from now on has to be read once more.
    waiting.delete(subject)
    if (following) await read(subject).catch((err: unknown) => retryLater(subject, err))
    queue.release(next)
    readNext()
  }

  return {
    async start() {
      following = true
      stopListening = await core.store.changes?.listen(
        (id) => readSoon(id ?? 'all'),
        () => readSoon('windows'),
      )
    },
    async stop() {
      following = false
      timer?.cancel()
      timer = undefined
      missed.clear()
      queue.drop(() => true)
      waiting.clear()
      const ending = stopListening
      stopListening = undefined
      await ending?.()
    },
  }
}

/** The monitor was resumed, or its target changed. */
function startsOver(before: CachedMonitor, after: CachedMonitor): boolean {
  return after.record.machine.state === 'pending' && before.record.machine.state !== 'pending'
}
