/** Who has a place for a check, and what is said where nobody looks. */
import type { Rule } from './rule.ts'

export const PLACE_RULES: readonly Rule[] = [
  {
    name: 'quota-of-before',
    about:
      'A monitor is let in by what the account had before, not by what it has with the monitor.',
    file: 'store/memory/accounts.ts',
    find: 'const use = { monitors: monitors + 1,',
    replace: 'const use = { monitors,',
  },
  {
    name: 'one-queue-for-all',
    about: 'All accounts wait in one queue, first come, first served.',
    file: 'fair-queue.ts',
    find: '    const known = accounts.get(id)\n',
    replace: '    id = 0\n    const known = accounts.get(id)\n',
  },
  {
    name: 'no-reserve',
    about: 'There are no places for those who have none.',
    file: 'fair-queue.ts',
    find: 'const total = slots + reserveOf(slots)',
    replace: 'const total = slots + 0 * reserveOf(slots)',
  },
  {
    name: 'most-get-more',
    about: 'A free place goes to the account that has the most.',
    file: 'fair-queue.ts',
    find: 'const [first] = byHeld[level] ?? []',
    replace: 'const [first] = byHeld[levels === 1 ? level : levels - 1 - level] ?? []',
  },
  {
    name: 'neglect-is-not-noticed',
    about: 'What nobody looks at is never stale.',
    file: 'engine/scheduling/staleness.ts',
    find: 'activity.sinceLastCheck(cached.record) > allowedMs(cached)',
    replace: 'activity.sinceLastCheck(cached.record) > 1e9 * allowedMs(cached)',
  },
  {
    name: 'unstored-is-healthy',
    about: 'What nobody can store is shown as it was stored last.',
    file: 'engine/scheduling/staleness.ts',
    find: 'isStarved(cached) || cannotBeStored(cached)',
    replace: 'isStarved(cached) || (cached.record.id < 0 && cannotBeStored(cached))',
  },
  {
    name: 'starvation-is-not-told',
    about: 'What nobody looks at is stale, and nobody is told.',
    file: 'engine/scheduling/staleness.ts',
    find: 'if (isStarved(cached) && !wasSuspended && !reported.has(id)) {',
    replace: 'if (isStarved(cached) && !wasSuspended && reported.has(id)) {',
  },
  {
    name: 'stale-too-soon',
    about: 'A monitor is stale half an interval after its last check.',
    file: 'engine/scheduling/staleness.ts',
    find: 'const INTERVALS = 2\n',
    replace: 'const INTERVALS = 0.5\n',
  },
  {
    name: 'stale-by-the-wall-clock',
    about: 'A clock that is set makes neglect up, or hides it.',
    file: 'engine/scheduling/check-activity.ts',
    find: 'if (activity === undefined) return clock.now()',
    replace: 'if (activity === undefined || activity.running === 0) return clock.now()',
  },
  {
    name: 'stale-looks-good',
    about: 'The page shows what nobody looked at as it was seen last.',
    file: 'page/layout/words.ts',
    find: "return stateWords(isUnseen({ state, stale }) ? 'stale' : state)",
    replace: "return stateWords(isUnseen({ state, stale }) && state !== 'up' ? 'stale' : state)",
  },
]
