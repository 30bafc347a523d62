/**
 * Gathers changes and hands them to the store together: one fsync serves many rounds. What arrives while a
 * commit is under way goes into the next one; a good round also waits a few milliseconds for those that are
 * about to end. A lone change does not wait, nor does one that somebody is to be told of.
 *
 * @module
 */

import type { Clock, Timer } from '../clock.ts'
import type { Change, Committed, Store } from '../store/store.ts'

/** Most changes in one transaction. */
const GROUP = 128

/** How long a round waits for others. */
const GATHER_MS = 5

interface Waiting {
  readonly change: Change
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

export interface Committer {
  /** Resolves when the change is durable. @throws StorageError */
  commit(change: Change): Promise<Committed>
  /** Resolves when nothing waits any more. */
  drain(): Promise<void>
}

export interface CommitterOptions {
  readonly store: Pick<Store, 'commit'>
  readonly clock: Pick<Clock, 'timer'>
  /** Rounds that have not been stored, those included whose change waits here. */
  readonly underWay: () => number
}

export function createCommitter({ store, clock, underWay }: CommitterOptions): Committer {
  const waiting: Waiting[] = []
  let flushing: Promise<void> | undefined
  let gathering: Timer | undefined

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP)
      try {
        const committed = await store.commit(group.map(({ change }) => change))
        group.forEach(({ resolve, reject }, index) => {
          const answer = committed[index]
          if (answer === undefined) reject(new Error('The store answered with too few commits'))
          else resolve(answer)
        })
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    flushing = undefined
  }

  /** In order: what waits goes with what does not. */
  function begin(): void {
    gathering?.cancel()
    gathering = undefined
    // A turn later, so that the rounds that end together are written together.
    flushing ??= Promise.resolve().then(flush)
  }

  function gather(change: Change): void {
    const more = waiting.length < GROUP && underWay() > waiting.length
    if (more && mayWait(change)) gathering ??= clock.timer(GATHER_MS, begin)
    else begin()
  }

  return {
    commit: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject })
        if (flushing === undefined) gather(change)
      }),
    async drain() {
      if (waiting.length > 0) begin()
      while (flushing !== undefined) await flushing
    },
  }
}

/** A round that nobody is to hear of; everything else has somebody who waits for it. */
function mayWait({ results = [], notify = [], ...change }: Change): boolean {
  return (
    results.length > 0 &&
    notify.length === 0 &&
    change.open_incident === undefined &&
    change.update_incident === undefined
  )
}
