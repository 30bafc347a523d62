/** When incidents open and end, and how time is counted. */
import type { Rule } from './rule.ts'

export const INCIDENT_RULES: readonly Rule[] = [
  {
    name: 'two-incidents',
    about: 'A failing round opens an incident although one is open.',
    file: 'incident/transition.ts',
    find: '  if (seen.incident !== null) return stillDown(failed, seen.incident, event)\n',
    replace:
      '  if (seen.incident !== null && seen.fails % 3 !== 0) return stillDown(failed, seen.incident, event)\n',
  },
  {
    name: 'threshold-off-by-one',
    about: 'An incident opens a round too late.',
    file: 'incident/transition.ts',
    find: 'if (failed.fails >= policy.fail_threshold)',
    replace: 'if (failed.fails > policy.fail_threshold)',
  },
  {
    name: 'blip-is-remembered',
    about: 'A good round does not end the row of failing ones.',
    file: 'incident/transition.ts',
    find: 'const good: MachineState = { ...seen, fails: 0, first_fail_at: null }',
    replace: 'const good: MachineState = { ...seen, first_fail_at: null }',
  },
  {
    name: 'undecided-ends-the-row',
    about: 'A round that nobody can decide ends the row of failing ones.',
    file: 'incident/transition.ts',
    find: '  if (!isUndecided(seen)) return same(seen)\n',
    replace: '  if (!isUndecided(seen)) return same({ ...seen, fails: 0, first_fail_at: null })\n',
  },
  {
    name: 'dated-at-detection',
    about: 'An incident begins when it was confirmed, not when it began.',
    file: 'incident/transition.ts',
    find: 'const started_at = Math.min(failed.first_fail_at ?? event.at, event.at)',
    replace: 'const started_at = event.at',
  },
  {
    name: 'pause-leaves-incident-open',
    about: 'A paused monitor keeps its open incident.',
    file: 'incident/transition.ts',
    find: '    before.incident === null\n      ? []\n',
    replace: '    before.incident === null || paused\n      ? []\n',
  },
  {
    name: 'gap-counts-as-up',
    about: 'Time in which nobody looked counts as before.',
    file: 'incident/transition.ts',
    find: 'if (last === null || policy.gap_ms === null || at - last <= policy.gap_ms) return same(before)',
    replace: 'if (last === null || policy.gap_ms === null || at > last) return same(before)',
  },
  {
    name: 'absence-is-no-break',
    about: 'Failures before and after an absence of more than ten intervals are in a row.',
    file: 'incident/transition.ts',
    find: "  if (!isLong || state.state !== 'confirming') return state\n",
    replace: "  if (!isLong || state.state !== 'down') return state\n",
  },
  {
    name: 'known-time-is-dated-back',
    about: 'After the clock was set back, availability is written before what is stored.',
    file: 'incident/transition.ts',
    find: 'known_since: Math.max(step.state.known_since, at)',
    replace: 'known_since: at',
  },
]
