import { describe, expect, it } from 'vitest'
import { countFlaps, flapPercent, withoutFlaps } from '../../src/incident/flapping.ts'
import { initialState } from '../../src/incident/state.ts'
import type { MachineState } from '../../src/model.ts'

const open = { id: 1, started_at: 0, cause_code: 'timeout' }

/** Rounds as a text: `1` with an incident open after it. */
function after(rounds: string): MachineState {
  let state = initialState(0)
  for (const round of rounds)
    state = countFlaps({ ...state, incident: round === '1' ? open : null })
  return state
}

describe('flapping', () => {
  it.each([
    ['', 0],
    ['0000000000', 0],
    // The only change is the latest: weight 1.18 of 20.
    ['01', 5.9],
    // And the oldest that counts: 0.8 of 20.
    ['011111111111111111111', 4],
    ['010101010101010101010', 99],
  ])('%s changed by %d percent', (rounds, percent) => {
    expect(flapPercent(rounds)).toBe(percent)
  })

  it('one or two outages in twenty rounds are outages; the third is flapping', () => {
    expect(after('000100').flapping).toBe(false)
    expect(after('00010001').flapping).toBe(false)
    expect(after('0001000100010').flapping).toBe(true)
  })

  it('begins at thirty percent, and not between the two bars', () => {
    expect(flapPercent('01010011000000')).toBe(30)
    expect(after('01010011000000').flapping).toBe(true)
    expect(flapPercent('00101011111111')).toBe(25)
    expect(after('00101011111111').flapping).toBe(false)
  })

  it('continues at twenty-five percent, once it began', () => {
    const state = countFlaps({
      ...initialState(0),
      recent: '0010101111111',
      incident: open,
      flapping: true,
    })
    expect([state.recent, state.flapping]).toEqual(['00101011111111', true])
  })

  it('ends below a lower bar than it began at, so that it does not flap itself', () => {
    let state = after('0001000100010')
    let rounds = 0
    while (state.flapping === true) {
      state = countFlaps({ ...state, incident: null })
      rounds++
    }
    expect(rounds).toBeGreaterThan(5)
    expect(flapPercent(state.recent!)).toBeLessThan(25)
    expect(state.recent).toHaveLength(21)
  })

  it('is forgotten where nobody looks for it, and nothing else with it', () => {
    const plain = { ...initialState(0), fails: 2 }
    expect(withoutFlaps({ ...plain, recent: '0101', flapping: true })).toStrictEqual(plain)
    expect(withoutFlaps({ ...plain, recent: '0101' })).toStrictEqual(plain)
    expect(withoutFlaps({ ...plain, flapping: false })).toStrictEqual(plain)
    expect(withoutFlaps(plain)).toBe(plain)
  })
})
