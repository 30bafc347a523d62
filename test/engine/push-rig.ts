/** A job that waits for signals, in the monitors of an engine. */
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { DeadlineReset, Signal, Terms } from '../../src/checkers/push.ts'
import { hashOf } from '../../src/engine/core/tokens.ts'
import { createBaselines } from '../../src/engine/rounds/baselines.ts'
import { createPushMonitors, memoOf } from '../../src/engine/rounds/push.ts'
import { initialState } from '../../src/incident/state.ts'
import type {
  CommonSettings,
  Json,
  MachineState,
  MonitorRecord,
  Notice,
  Verdict,
} from '../../src/model.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import { outcome } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { monitorsRig } from './monitors-rig.ts'

export const MINUTE = 60_000
export const TOKEN = 'token-of-the-job'

/** What is remembered of a job: what has come, and when the next is due. */
export interface Memo {
  readonly heard: readonly string[]
  readonly due: number
}

/** A job that is due a period after each signal; a deadline that moves is due a period later. */
const job = {
  ...defineChecker({
    type: 'job',
    title: 'Job',
    description: 'Waits for signals',
    fields: {},
    target: () => 'x',
    run: () => Promise.resolve(up()),
  }),
  push: {
    receive(memo: Memo | undefined, { kind, at, message }: Signal, { period_ms }: Terms<never>) {
      const heard = [...(memo?.heard ?? []), `${kind} ${message ?? ''}`.trim()]
      return { heard, due: kind === 'log' ? (memo?.due ?? 0) : at + period_ms }
    },
    dueAt: (memo: Memo | undefined, after: number) =>
      memo === undefined || memo.due <= after ? null : memo.due,
    resetDeadline(memo: Memo | undefined, why: DeadlineReset, terms: Terms<never>) {
      // What has failed has no deadline.
      if (memo === undefined || memo.heard.includes('fail')) return undefined
      const { period_ms, missed_limit } = terms
      const due = why.reason === 'clock_set' ? memo.due + why.by_ms : why.at + period_ms
      return { heard: [...memo.heard, `${why.reason} ${missed_limit}`], due }
    },
  },
} as unknown as AnyChecker
const other = { ...job, type: 'other', push: undefined } as unknown as AnyChecker

export interface Given {
  readonly verdict?: Verdict
  readonly memo?: Json
  readonly notices?: readonly Notice[]
  readonly state?: Partial<MachineState>
  readonly record?: Partial<MonitorRecord>
}

/** A job with a token whose judgement is what the test says: good, unless its deadline has passed. */
export async function pushing({ state = {}, record = {}, verdict: says, ...report }: Given = {}) {
  const rig = await monitorsRig(job, other)
  const { core, monitorCache, clock } = rig
  const orders: CheckOrder[] = []
  const run = (order: CheckOrder) => {
    orders.push(order)
    const memo = order.memo as Memo | null
    const isLate = memo !== null && memo.due <= order.round
    const verdict = says ?? (isLate ? 'fail' : 'ok')
    const details = memo === null ? {} : { next_expected_at: new Date(memo.due).toISOString() }
    const cause = verdict === 'fail' ? { cause_code: 'missed', cause_text: 'It did not come' } : {}
    const said = outcome({
      verdict,
      details,
      ...cause,
      started_at: new Date(clock.now()).toISOString(),
    })
    return Promise.resolve({ outcome: said, ...report })
  }
  const push = createPushMonitors({
    ...rig,
    run,
    baselines: createBaselines({ core, monitorCache }),
  })
  const add = (
    of: Partial<MonitorRecord> = {},
    token = TOKEN,
    common: Partial<CommonSettings> = {},
  ) =>
    rig.add(
      { interval_sec: 600, fail_threshold: 1, ...common },
      {
        type: 'job',
        token_hash: hashOf(token),
        token: 't',
        machine: { ...initialState(NOON), ...state },
        ...of,
      },
    )
  const { id } = (await add(record)).record
  const cached = () => monitorCache.peek(id)!
  return {
    ...{ ...rig, push, orders, add, id, cached },
    memo: () => memoOf(cached()) as Memo | undefined,
    machine: () => cached().record.machine,
    results: async () => (await rig.store.results.list({ monitor_id: id, limit: 9 })).length,
  }
}
