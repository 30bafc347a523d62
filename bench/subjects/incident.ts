import { initialState } from '../../src/incident/state.ts'
import { transition } from '../../src/incident/transition.ts'
import type { MachineEvent, Policy } from '../../src/incident/transition.ts'
import type { Benchmark } from '../harness/benchmark.ts'

const POLICY: Policy = { fail_threshold: 2, recover_threshold: 2, gap_ms: 120_000 }
const T0 = Date.UTC(2026, 0, 1)

/** Mostly good, now and then an outage of three rounds. */
function eventAt(round: number): MachineEvent {
  const at = T0 + round * 60_000
  if (round % 50 >= 3) return { kind: 'round', at, verdict: 'ok' }
  const cause = { cause_code: 'timeout', cause_text: 'No answer in time' }
  return { kind: 'round', at, verdict: 'fail', cause, locations_failed: [1] }
}

export const incident: Benchmark = {
  name: 'incident',
  about: 'the incident machine alone: one transition, an outage in every fifty rounds',
  unit: 'transition',
  prepare({ scale }) {
    const units = Math.round(500_000 * scale)
    const events = Array.from({ length: 10_000 }, (_, round) => eventAt(round))
    return {
      baseline: 'copy of the state',
      contenders: [
        {
          name: 'transition',
          units,
          run(count) {
            let [state, effects] = [initialState(T0), 0]
            for (let i = 0; i < count; i++) {
              if (i % events.length === 0) state = initialState(T0)
              const step = transition(state, events[i % events.length]!, POLICY)
              state = step.state
              effects += step.effects.length
            }
            if (effects === 0) throw new Error('nothing happened')
          },
        },
        {
          name: 'copy of the state',
          units,
          run(count) {
            let state = initialState(T0)
            for (let i = 0; i < count; i++) state = { ...state, last_round_at: T0 + i }
            if (state.last_round_at === null) throw new Error('nothing happened')
          },
        },
      ],
    }
  },
}
