/**
 * Gathers changes while a commit is under way and hands them to the store together: one fsync serves
 * many rounds, and a lone change does not wait.
 *
 * @module
 */

import type { Change, Committed, Store } from '../store/store.ts'

/** Most changes in one transaction. */
const GROUP = 128

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

export function createCommitter(store: Pick<Store, 'commit'>): Committer {
  const waiting: Waiting[] = []
  let flushing: Promise<void> | undefined

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

  return {
    commit: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject })
        // A turn later, so that the rounds that end together are written together.
        flushing ??= Promise.resolve().then(flush)
      }),
    async drain() {
      while (flushing !== undefined) await flushing
    },
  }
}
