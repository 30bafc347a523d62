/**
 * Groups changes into commits: one fsync serves many rounds. Changes that arrive during a commit go into the next one,
 * accounts in turn; a round without notifications also waits a few milliseconds for rounds that are about to end. A
 * single change does not wait, nor does one with notifications. Deferrable rounds, which change no state and have no
 * waiting caller, are stored a few times a second: if the process is killed, the next round repeats the lost checks. A
 * change that meets a damaged row is refused alone: its group is stored in halves.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock, Timer } from '../../clock.ts'
import { NotFoundError, UnreadableError } from '../../errors.ts'
import type { Change, Committed, Store } from '../../store/store.ts'
import { emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'

/** Maximum number of changes in one transaction. */
const GROUP = 128
/** Maximum of rows that several changes write in one transaction: a store may write them in one turn. */
const GROUP_ROWS = 256
/** A change does not know how many waiting notifications it cancels: as many as a monitor with some contacts has. */
const CANCELLED_ROWS = 20

/** How long a round waits for others. */
const GATHER_MS = 5

/** Interval of commits that contain only deferrable changes. */
const DEFER_MS = 250

interface Waiting {
  readonly change: Change
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

interface CommitOptions {
  /** Whose change it is: those of one account are stored in their order. */
  readonly account_id: number
  /** No caller waits for it. */
  readonly deferrable?: boolean
}

export interface Committer {
  /** Resolves when the change is durable. @throws StorageError */
  commit(change: Change, options: CommitOptions): Promise<Committed>
  /** Commits waiting changes now. */
  flush(): void
  /** Resolves when no change is waiting. */
  drain(): Promise<void>
}

export interface CommitterOptions {
  readonly store: Pick<Store, 'commit'>
  readonly clock: Pick<Clock, 'timer' | 'monotonic' | 'sleep'>
  /** The number of rounds that are not stored, including those whose change waits here. */
  readonly openRounds: () => number
}

export function createCommitter({ store, clock, openRounds }: CommitterOptions): Committer {
  const waiting = createWaitingChanges()
  let flushing: Promise<void> | undefined
  let gathering: { readonly timer: Timer; readonly until: number } | undefined
  /** Monotonic: when the first waiting change must be committed, and when the last commit started. */
  let due = Infinity
  let lastCommit = -Infinity

  const isDue = (): boolean =>
    waiting.size > 0 && (waiting.size >= GROUP || due <= clock.monotonic())

  async function writeGroups(): Promise<void> {
    const yieldIfLong = yielderOf(clock)
    while (isDue()) {
      const group = waiting.takeGroup()
      if (waiting.size === 0) due = Infinity
      await write(group, yieldIfLong)
    }
    flushing = undefined
    if (waiting.size > 0) arm()
  }

  async function write(group: readonly Waiting[], yieldIfLong: () => Promise<void>): Promise<void> {
    await yieldIfLong()
    lastCommit = clock.monotonic()
    try {
      const committed = await store.commit(group.map(({ change }) => change))
      group.forEach(({ resolve, reject }, index) => {
        const answer = committed[index]
        if (answer === undefined) reject(new Error('The store answered with too few commits'))
        else resolve(answer)
      })
    } catch (error) {
      if (group.length > 1 && isOfOneChange(error)) {
        const middle = group.length >> 1
        await write(group.slice(0, middle), yieldIfLong)
        await write(group.slice(middle), yieldIfLong)
      } else for (const { reject } of group) reject(error)
    }
  }

  /** Deferrable changes are committed along with the others, in order. */
  function begin(): void {
    gathering?.timer.cancel()
    gathering = undefined
    due = -Infinity
    // One microtask later, so that rounds that end together are committed together.
    flushing ??= Promise.resolve().then(writeGroups)
  }

  function arm(): void {
    if (isDue()) begin()
    else if (gathering === undefined || gathering.until > due) {
      gathering?.timer.cancel()
      gathering = { timer: clock.timer(due - clock.monotonic(), begin), until: due }
    }
  }

  function dueAt(change: Change, deferrable: boolean): number {
    const now = clock.monotonic()
    if (!mayWait(change)) return now
    if (deferrable) return Math.max(now, lastCommit + DEFER_MS)
    return flushing === undefined && openRounds() > waiting.size ? now + GATHER_MS : now
  }

  return {
    commit: (change, { account_id, deferrable = false }) =>
      new Promise((resolve, reject) => {
        waiting.add(account_id, { change, resolve, reject })
        due = Math.min(due, dueAt(change, deferrable))
        if (flushing === undefined) arm()
      }),
    flush() {
      if (waiting.size > 0) begin()
    },
    async drain() {
      if (waiting.size > 0) begin()
      while (flushing !== undefined) await flushing
    },
  }
}

/** Whether others can be stored, and this one cannot when it is tried again: it meets a damaged row. */
export function isOfOneChange(error: unknown): boolean {
  return (
    error instanceof UnreadableError ||
    error instanceof NotFoundError ||
    (error instanceof Error && error.cause instanceof TypeError)
  )
}

interface WaitingChanges {
  readonly size: number
  add(account_id: number, one: Waiting): void
  /** What one transaction takes: at least one. */
  takeGroup(): Waiting[]
}

/** Accounts take turns: thousands of changes of one, with notifications of each, take minutes. */
function createWaitingChanges(): WaitingChanges {
  /** The account whose turn it is comes first. */
  const byAccount = new Map<number, Waiting[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    add(account_id, one) {
      size++
      const own = byAccount.get(account_id)
      if (own === undefined) byAccount.set(account_id, [one])
      else own.push(one)
    },
    takeGroup() {
      const group: Waiting[] = []
      let rows = 0
      // An account with more changes is put behind the others, and comes again.
      for (const [account_id, own] of byAccount) {
        const [first] = own
        if (first === undefined || group.length === GROUP) break
        rows += rowsOf(first.change)
        if (group.length > 0 && rows > GROUP_ROWS) break
        group.push(first)
        own.shift()
        byAccount.delete(account_id)
        if (own.length > 0) byAccount.set(account_id, own)
      }
      size -= group.length
      return group
    },
  }
}

function rowsOf({ results = [], notify = [], cancel }: Change): number {
  return 1 + results.length + notify.length + (cancel === undefined ? 0 : CANCELLED_ROWS)
}

/** A round without notifications; every other change has a waiting caller. */
function mayWait({ results = [], notify = [], open_incident, update_incident }: Change): boolean {
  const isAlone = open_incident === undefined && update_incident === undefined
  return results.length > 0 && notify.length === 0 && isAlone
}

/** The store's commits, timed for listeners and traced if the host has tracing. */
export function observedCommits(core: Core): Pick<Store, 'commit'> {
  const { store, clock, tracing, events } = core
  const plain: Store['commit'] = (changes) => store.commit(changes)
  const traced: Store['commit'] =
    tracing === undefined ? plain : (changes) => tracing.commit(changes, () => plain(changes))
  return {
    async commit(changes): Promise<readonly Committed[]> {
      if (events.listenerCount('commit') === 0) return traced(changes)
      const from = clock.monotonic()
      const report = (ok: boolean): void =>
        emit(core, 'commit', { changes: changes.length, duration_ms: clock.monotonic() - from, ok })
      try {
        const committed = await traced(changes)
        report(true)
        return committed
      } catch (error) {
        report(false)
        throw error
      }
    },
  }
}
