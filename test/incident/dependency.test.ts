import { describe, expect, it } from 'vitest'
import { mayStillWait, parentSays } from '../../src/incident/dependency.ts'
import { initialState } from '../../src/incident/state.ts'
import type { EpochMs, MonitorState } from '../../src/model.ts'

const SINCE = 1000

function parent(state: MonitorState, last_round_at: EpochMs | null, push = false) {
  return parentSays({ machine: { ...initialState(0), state, last_round_at }, push }, SINCE)
}

describe('what a parent says of the failure of its child', () => {
  it.each(['down', 'recovering', 'maintenance'] as const)(
    '%s: it is the cause, whenever it was checked and of whatever type',
    (state) => {
      expect(parent(state, SINCE - 1)).toBe('cause')
      expect(parent(state, SINCE + 1, true)).toBe('cause')
    },
  )

  it.each(['down', 'recovering'] as const)(
    '%s, and nobody could measure it for more than three rounds: not clear any more',
    (state) => {
      const says = (inconclusive: number) =>
        parentSays({ machine: { ...initialState(0), state, inconclusive }, push: false }, SINCE)
      expect([3, 4].map(says)).toEqual(['cause', 'unclear'])
    },
  )

  it('in maintenance it is the cause, measured or not', () => {
    const machine = { ...initialState(0), state: 'maintenance' as const, inconclusive: 4 }
    expect(parentSays({ machine, push: false }, SINCE)).toBe('cause')
  })

  it.each(['confirming', 'pending'] as const)('%s: not clear yet, but for push types', (state) => {
    expect(parent(state, SINCE + 1)).toBe('unclear')
    expect(parent(state, null, true)).toBe('healthy')
  })

  it.each(['up', 'late'] as const)('%s: healthy if checked since the failure began', (state) => {
    expect(parent(state, SINCE - 1)).toBe('unclear')
    expect(parent(state, SINCE)).toBe('healthy')
    expect(parent(state, null)).toBe('unclear')
    expect(parent(state, SINCE - 1, true)).toBe('healthy')
  })

  it('paused: it explains nothing', () => {
    expect(parent('paused', null)).toBe('healthy')
  })

  it('a notification waits two rounds for an unclear one', () => {
    expect([0, 1, 2, 3].map(mayStillWait)).toEqual([true, true, false, false])
  })
})
