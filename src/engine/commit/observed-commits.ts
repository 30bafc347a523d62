/**
 * Commits as they are seen from outside: timed for listeners, traced where the host traces.
 *
 * @module
 */

import type { Committed, Store } from '../../store/store.ts'
import { emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'

/** The commits of the store of this engine. */
export function observedCommits(core: Core): Pick<Store, 'commit'> {
  const { store, clock, tracing, events } = core
  const plain: Store['commit'] = (changes) => store.commit(changes)
  const traced: Store['commit'] =
    tracing === undefined ? plain : (changes) => tracing.commit(changes, () => plain(changes))
  return {
    async commit(changes): Promise<readonly Committed[]> {
      if (events.listenerCount('commit') === 0) return traced(changes)
      const from = clock.monotonic()
      const tell = (ok: boolean): void =>
        emit(core, 'commit', { changes: changes.length, duration_ms: clock.monotonic() - from, ok })
      try {
        const committed = await traced(changes)
        tell(true)
        return committed
      } catch (error) {
        tell(false)
        throw error
      }
    },
  }
}
