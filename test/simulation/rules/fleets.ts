/** Several engines on one store. */
import type { Rule } from './rule.ts'

export const FLEET_RULES: readonly Rule[] = [
  {
    name: 'lapsed-lease-counts',
    about: 'An engine that stood still goes on checking what another one has by now.',
    file: 'engine/sharing/shard-leases.ts',
    find: 'holds(monitor_id) && clock.now() < until.wall',
    replace: 'held.has(shardOf(monitor_id))',
    machines: 2,
  },
  {
    name: 'dead-keeps-its-share',
    about: 'Nobody takes over the monitors of an engine that is dead.',
    file: 'store/memory/shared.ts',
    find: '(lapses <= now || lapses > until + LEASE_AHEAD_MS)',
    replace: '(lapses < 0 || lapses > until + LEASE_AHEAD_MS)',
    machines: 2,
  },
  {
    name: 'late-claim-redates',
    about: 'A claim that a slow store executes late moves what was queued meanwhile.',
    file: 'store/rules.ts',
    find: 'export const REDATED_AFTER_MS = 60_000',
    replace: 'export const REDATED_AFTER_MS = 0',
    machines: 2,
  },
  {
    name: 'changes-elsewhere-are-unheard',
    about: 'An engine hears nothing of what another one changes.',
    file: 'engine/sharing/change-feed.ts',
    find: "(id) => readSoon(id ?? 'all')",
    replace: "(id) => (id === undefined ? readSoon('all') : undefined)",
    machines: 2,
  },
]
