import { describe, expect, it } from 'vitest'
import {
  initialState,
  lastCheckAt,
  checkTimesOf,
  statesOf,
  statusOf,
} from '../../src/incident/state.ts'
import type { MonitorState } from '../../src/model.ts'

describe('the status that a state folds into', () => {
  const states: readonly MonitorState[] = [
    'pending',
    'up',
    'confirming',
    'down',
    'recovering',
    'late',
    'maintenance',
    'paused',
  ]

  it.each([
    ['unknown', ['pending']],
    ['up', ['up', 'confirming', 'late']],
    ['down', ['down', 'recovering']],
    ['paused', ['maintenance', 'paused']],
  ] as const)('%s: %j', (status, folded) => {
    expect(statesOf(status)).toEqual(folded)
    expect(states.filter((state) => statusOf(state) === status)).toEqual(folded)
  })
})

describe('a new monitor', () => {
  it('has told nothing yet, and counts as checked when it was created', () => {
    const machine = initialState(500)
    expect(machine).toMatchObject({ state: 'pending', availability: 'unknown', incident: null })
    expect(machine.sent_notice_keys).toEqual([])
    expect(lastCheckAt(machine)).toBe(500)
  })
})

describe('the last check', () => {
  it.each([
    [{ since: 10, last_round_at: null }, [10, 10]],
    [{ since: 10, last_round_at: 30 }, [10, 30]],
    [{ since: 10, last_round_at: 30, last_check_ended_at: 20 }, [10, 20]],
    [{ since: 40, last_round_at: 30, last_check_ended_at: 20 }, [40, 20]],
  ])('%j', (facts, looks) => {
    const machine = { ...initialState(0), ...facts }
    expect(checkTimesOf(machine)).toEqual(looks)
    expect(lastCheckAt(machine)).toBe(Math.max(...looks))
  })
})
