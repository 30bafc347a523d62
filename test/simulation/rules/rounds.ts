/** When it is looked, and what counts of what was seen. */
import type { Rule } from './rule.ts'

export const ROUND_RULES: readonly Rule[] = [
  {
    name: 'unknown-counts-as-failure',
    about: 'A location that could not measure counts as one that saw a failure.',
    file: 'incident/quorum.ts',
    find: "present.filter(({ verdict }) => verdict === 'fail').length",
    replace: "present.filter(({ verdict }) => verdict !== 'ok').length",
  },
  {
    name: 'no-quorum',
    about: 'One location is enough for a failure, whatever was asked for.',
    file: 'incident/quorum.ts',
    find: 'const need = Math.min(Math.max(1, confirm_locations), locations)',
    replace: 'const need = Math.min(1, confirm_locations + locations)',
  },
  {
    name: 'silence-hides-for-ever',
    about: 'A location that is silent is waited for without end.',
    file: 'incident/quorum.ts',
    find: 'const STRICT_ROUNDS = 3',
    replace: 'const STRICT_ROUNDS = 3_000',
  },
  {
    name: 'overtaken-rounds-count',
    about: 'A round counts although a later one was stored before it.',
    file: 'engine/rounds/rounds.ts',
    find: '      if (isOvertaken(round, cached)) return null\n',
    replace: '      void isOvertaken\n',
  },
  {
    name: 'old-answers-count',
    about: 'An answer to an order of long ago counts for the round under way.',
    file: 'engine/rounds/rounds.ts',
    find: `        round === undefined ||
        round.tick !== order.round ||
        round.cached.record.version !== order.version
`,
    replace: '        round === undefined\n',
  },
  {
    name: 'no-revision-check',
    about: 'A change worked out on an old state of its monitor is accepted.',
    file: 'store/memory/commit.ts',
    find: "  if (monitor.revision !== change.revision) return { ok: false, reason: 'outdated' }\n",
    replace: '',
  },
  {
    name: 'burst-after-jump',
    about: 'After the clock was set forward, every missed round is made up for.',
    file: 'engine/scheduling/monitor-schedule.ts',
    find: 'if (push === undefined) return nextDueAt(id, common.interval_sec * 1000, now)',
    replace:
      'if (push === undefined) return nextDueAt(id, common.interval_sec * 1000, Math.max(machine.last_round_at ?? 0, now - 7_200_000))',
  },
  {
    name: 'silent-after-set-back',
    about: 'After the clock was set back and a restart, checks wait until it is there again.',
    file: 'engine/scheduling/cadence.ts',
    find: 'if (last_round_at > now) return',
    replace: 'if (last_round_at > now + 1e12) return',
  },
  {
    name: 'heartbeat-outage-is-blamed',
    about: 'A job is called missing for signals that came while no engine listened.',
    file: 'engine/lifecycle.ts',
    find: 'if (absent_since !== undefined) await push.resetMissedDeadlines(absent_since)',
    replace: 'if (absent_since === 0) await push.resetMissedDeadlines(absent_since)',
  },
  {
    name: 'held-heartbeat-is-forgotten',
    about: 'A job whose alert is held waits for a signal, as one that is up does.',
    file: 'engine/scheduling/monitor-schedule.ts',
    find: '[due_at, judgedAgainAt(cached)].filter',
    replace: '[due_at].filter',
  },
  {
    name: 'any-time-is-believed',
    about: 'A check is dated as its probe says, whatever that is.',
    file: 'engine/rounds/read-answer.ts',
    find: 'Math.abs(started_at - now) > FURTHEST_MS',
    replace: 'Math.abs(started_at - now) < 0',
  },
  {
    name: 'any-duration-is-believed',
    about: 'A check took as long as its probe says, whatever that is.',
    file: 'engine/rounds/read-answer.ts',
    find: 'value >= 0 && value <= FURTHEST_MS',
    replace: 'value >= 0',
  },
]
