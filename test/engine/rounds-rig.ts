/** The rounds of an engine whose probes answer when, and what, the test says. */
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createBaselines } from '../../src/engine/rounds/baselines.ts'
import { createRounds } from '../../src/engine/rounds/rounds.ts'
import type { OpenRounds } from '../../src/engine/rounds/rounds.ts'
import type { CheckReport, Outcome } from '../../src/model.ts'
import type { CheckOrder, ProbeTransport } from '../../src/probes/transport.ts'
import { outcome } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { monitorsRig } from './monitors-rig.ts'

export const FAILED = { verdict: 'fail', cause_code: 'timeout', cause_text: 'Too slow' } as const

export async function roundsRig(...checkers: readonly AnyChecker[]) {
  const rig = await monitorsRig(...checkers)
  const { clock } = rig
  const orders: CheckOrder[] = []
  const cancelled: number[] = []
  const checked: number[] = []
  const ended: string[] = []
  const openRounds: OpenRounds = new Map()
  const probes: ProbeTransport = {
    start: () => Promise.resolve(),
    send(order) {
      orders.push(order)
      return Promise.resolve()
    },
    cancel: (monitor_id) => void cancelled.push(monitor_id),
    stop: () => Promise.resolve(),
    online: () => true,
  }
  const rounds = createRounds({
    ...{ ...rig, probes, openRounds, baselines: createBaselines(rig) },
    isStale: () => false,
    onCheck: (monitor_id) => void checked.push(monitor_id),
    onEnd: (monitor_id, stored) => void ended.push(`${monitor_id} ${stored ? 'stored' : 'lost'}`),
  })
  return {
    ...{ ...rig, rounds, probes },
    /** Sent to the locations, in this order. */
    orders,
    /** The monitors whose orders were called back. */
    cancelled,
    /** A monitor for each check that was reported. */
    checked,
    /** Each round that ended: its monitor, and whether it was stored. */
    ended,
    /** Answers an order: all is well, unless the test says otherwise. */
    answer(
      order: CheckOrder | undefined,
      of: Partial<Outcome> = {},
      { lag_ms = 0, ...report }: Partial<CheckReport> & { readonly lag_ms?: number } = {},
    ) {
      const started_at = new Date(clock.now()).toISOString()
      rounds.answer({
        order: { ...order!, location_id: order!.location.id },
        report: { outcome: outcome({ started_at, phases: {}, ...of }), ...report },
        lag_ms,
      })
    },
    /** `seconds since noon @location verdict` of each stored result, the oldest first. */
    async results(monitor_id: number) {
      const stored = await rig.store.results.list({ monitor_id, limit: 99 })
      return stored
        .toSorted((a, b) => a.id - b.id)
        .map(({ round, location_id, verdict, cause_code }) =>
          [`${(round - NOON) / 1000} @${location_id} ${verdict}`, cause_code ?? []]
            .flat()
            .join(' '),
        )
    },
  }
}
