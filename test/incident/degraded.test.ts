import { describe, expect, it } from 'vitest'
import { initialState } from '../../src/incident/state.ts'
import { transition } from '../../src/incident/transition.ts'
import type { Effect, MachineEvent } from '../../src/incident/transition.ts'
import type { MachineState } from '../../src/model.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const START = Date.UTC(2026, 0, 1)

type Word = 'ok' | 'slow' | 'other' | 'unclear' | 'fail' | 'unknown' | 'late' | 'tardy' | Kind
type Kind = Exclude<MachineEvent['kind'], 'round'>

const cause = (cause_code: string) => ({ cause_code, cause_text: 'It is slow' })

function eventOf(word: Word, at: number): MachineEvent {
  const good = { kind: 'round', verdict: 'ok', at } as const
  switch (word) {
    case 'ok':
      return good
    case 'late':
      return { ...good, verdict: 'late' }
    case 'tardy':
      return { ...good, verdict: 'late', warned: cause('warn_above') }
    case 'slow':
      return { ...good, warned: cause('warn_above') }
    case 'other':
      return { ...good, warned: cause('warn_below') }
    case 'unclear':
      return { ...good, warned: 'unclear' }
    case 'unknown':
      return { ...good, verdict: 'inconclusive' }
    case 'fail':
      return { ...good, verdict: 'fail', cause: cause('timeout'), locations_failed: [1] }
    case 'pause':
    case 'resume':
    case 'reconfigure':
    case 'remove':
    case 'maintenance_start':
    case 'maintenance_end':
      return { kind: word, at }
  }
}

/** Plays the words a minute apart, with two rounds to confirm and two to recover. */
function play(words: string, { confirm = 2, recover = 2 } = {}) {
  let state: MachineState = initialState(START)
  const told: string[] = []
  const effects: Effect[] = []
  words.split(' ').forEach((word, index) => {
    const step = transition(state, eventOf(word as Word, START + (index + 1) * MINUTE), {
      fail_threshold: confirm,
      recover_threshold: recover,
      gap_ms: null,
    })
    state = step.state
    effects.push(...step.effects)
    for (const effect of step.effects) {
      if (effect.kind === 'degraded') told.push(`degraded at ${index + 1}`)
      if (effect.kind === 'restored') told.push(`${effect.reason} at ${index + 1}`)
    }
  })
  return { state, told, effects }
}

describe('degraded', () => {
  it.each([
    ['ok slow', []],
    ['ok slow ok slow ok slow', []],
    ['ok slow slow', ['degraded at 3']],
    ['slow slow slow', ['degraded at 2']],
    ['slow slow ok slow ok', ['degraded at 2']],
    ['slow slow ok ok', ['degraded at 2', 'recovered at 4']],
    ['slow slow ok ok slow slow', ['degraded at 2', 'recovered at 4', 'degraded at 6']],
    // What says neither is left out, and a failed round is not good.
    ['ok slow unclear slow', ['degraded at 4']],
    ['ok slow unknown slow', ['degraded at 4']],
    ['slow slow ok unclear ok', ['degraded at 2', 'recovered at 5']],
    ['slow slow ok fail ok', ['degraded at 2']],
    ['slow slow ok fail ok ok', ['degraded at 2', 'recovered at 6']],
    ['ok slow fail slow', ['degraded at 4']],
    // It ends with what it belongs to.
    ['slow slow fail fail', ['degraded at 2', 'down at 4']],
    ['slow slow fail fail ok ok', ['degraded at 2', 'down at 4']],
    ['slow slow fail fail slow slow', ['degraded at 2', 'down at 4']],
    ['slow slow fail fail slow slow slow', ['degraded at 2', 'down at 4', 'degraded at 7']],
    ['slow slow maintenance_start', ['degraded at 2', 'maintenance at 3']],
    ['slow slow maintenance_start slow slow', ['degraded at 2', 'maintenance at 3']],
    ['slow slow pause resume slow', ['degraded at 2', 'paused at 3']],
    ['slow slow reconfigure', ['degraded at 2', 'reconfigured at 3']],
    ['slow slow remove', ['degraded at 2', 'deleted at 3']],
    ['slow pause resume slow', []],
    ['slow maintenance_start maintenance_end slow', []],
    ['pause pause slow resume slow', []],
    ['slow fail fail ok slow', []],
  ])('%s', (words, told) => {
    expect(play(words).told).toEqual(told)
  })

  it('takes as many rounds to begin as an incident, and as many to end', () => {
    expect(play('slow slow ok ok', { confirm: 2, recover: 1 }).told).toEqual([
      ...['degraded at 2', 'recovered at 3'],
    ])
    expect(play('slow ok ok ok', { confirm: 1, recover: 3 }).told).toEqual([
      ...['degraded at 1', 'recovered at 4'],
    ])
  })

  it('changes nothing of a monitor that it does not concern', () => {
    for (const words of [
      'pause pause',
      'pause ok',
      'ok resume',
      'maintenance_start slow pause pause',
    ]) {
      const [last, ...earlier] = words.split(' ').toReversed()
      const { state } = play(earlier.toReversed().join(' '))
      const policy = { fail_threshold: 2, recover_threshold: 2, gap_ms: null }
      const step = transition(state, eventOf(last as Word, START + DAY), policy)
      expect([step.state === state, step.effects]).toEqual([true, []])
    }
  })

  it('has the time and cause of its first round, and the latest cause while it lasts', () => {
    expect(play('ok slow slow').state).toMatchObject({
      state: 'up',
      degraded: { since: START + 2 * MINUTE, cause_code: 'warn_above' },
    })
    expect(play('ok slow slow other').state.degraded).toMatchObject({
      since: START + 2 * MINUTE,
      cause_code: 'warn_below',
    })
  })

  it('counts its time from the first round beyond the threshold to the first one within', () => {
    const times = (words: string) =>
      play(words).effects.flatMap((effect) =>
        effect.kind === 'availability'
          ? [`${effect.availability} from ${(effect.at - START) / MINUTE}`]
          : [],
      )
    expect(times('ok slow slow slow ok ok')).toEqual(['up from 1', 'degraded from 2', 'up from 5'])
    expect(times('ok slow slow fail fail')).toEqual(['up from 1', 'degraded from 2', 'down from 4'])
    expect(times('ok slow slow late')).toEqual(['up from 1', 'degraded from 2'])
    // Nobody knows whether a monitor that was never up was up meanwhile.
    expect(times('fail tardy tardy late late')).toEqual([])
    expect(play('fail tardy tardy late late').told).toEqual(['degraded at 3', 'recovered at 5'])
    // Unknown time is not degraded, and what follows it is again.
    expect(times('ok slow slow unknown unknown unknown unknown slow')).toEqual([
      'up from 1',
      'degraded from 2',
      'unknown from 7',
      'degraded from 8',
    ])
  })

  it('leaves nothing behind', () => {
    for (const words of ['slow slow ok ok', 'slow ok', 'slow slow pause', 'slow slow fail fail']) {
      expect(play(words).state).not.toHaveProperty('degraded')
      expect(play(words).state).not.toHaveProperty('warn_streak')
    }
  })
})
