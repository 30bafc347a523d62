/**
 * The tags that a form offers. Ten thousand monitors may have half a million of them: where there are too many for a
 * list, one is typed.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

const MOST = 200
/** Monitors that are looked at between two looks at the clock. */
const AT_ONCE = 200

export interface OfferedTags {
  add(tags: readonly string[]): void
  /** In alphabetical order; `undefined` if there are too many. */
  list(): readonly string[] | undefined
}

export function offeredTags(isOffered: (tag: string) => boolean = () => true): OfferedTags {
  const found = new Set<string>()
  return {
    add(tags) {
      if (found.size > MOST) return
      for (const tag of tags) if (isOffered(tag)) found.add(tag)
    },
    list: () => (found.size > MOST ? undefined : [...found].sort()),
  }
}

/** Those of all these monitors. */
export async function tagsOfAll(
  monitors: readonly { readonly tags: readonly string[] }[],
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<readonly string[] | undefined> {
  const offered = offeredTags()
  const yieldIfLong = yielderOf(clock)
  for (const [at, { tags }] of monitors.entries()) {
    if (at % AT_ONCE === 0) await yieldIfLong()
    offered.add(tags)
  }
  return offered.list()
}
