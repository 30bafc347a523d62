import { describe, expect, it } from 'vitest'
import { quorum } from '../../src/incident/quorum.ts'
import type { LocationVerdict } from '../../src/incident/quorum.ts'

/** `ok`, `fail`, `unknown` or `gone` of the locations 1, 2, 3, … */
function round(words: string): LocationVerdict[] {
  return words.split(' ').map((word, index) => ({
    location_id: index + 1,
    verdict: word === 'ok' || word === 'fail' ? word : 'unknown',
    silent: word === 'gone',
  }))
}

describe('the quorum of a round', () => {
  it.each([
    ['fail fail ok', 2, 'fail'],
    ['fail ok ok', 2, 'ok'],
    ['fail ok unknown', 2, 'inconclusive'],
    ['fail fail unknown', 2, 'fail'],
    ['unknown unknown unknown', 1, 'inconclusive'],
    ['ok unknown unknown', 1, 'inconclusive'],
    ['ok ok ok', 3, 'ok'],
    ['fail fail ok', 3, 'ok'],
    ['fail fail gone', 3, 'inconclusive'],
    ['ok gone gone', 2, 'inconclusive'],
    ['gone gone gone', 2, 'inconclusive'],
  ])('%s, confirmed by %i: %s', (words, confirm_locations, verdict) => {
    expect(quorum(round(words), { confirm_locations }).verdict).toBe(verdict)
  })

  it('is late if every location that succeeded is, and ok if one is not', () => {
    const late = round('ok ok').map((one) => ({ ...one, late: true }))
    const mixed = late.map((one, index) => ({ ...one, late: index > 0 }))
    expect(quorum(late, { confirm_locations: 1 }).verdict).toBe('late')
    expect(quorum(mixed, { confirm_locations: 1 }).verdict).toBe('ok')
  })

  it('decides nothing without locations', () => {
    expect(quorum([], { confirm_locations: 1 }).verdict).toBe('inconclusive')
  })

  it('waits three rounds for a silent location, then the others decide without it', () => {
    let silent = {}
    const verdicts = ['fail fail gone', 'fail fail gone', 'fail fail gone', 'fail fail gone'].map(
      (words) => {
        const said = quorum(round(words), { confirm_locations: 3, silent })
        silent = said.silent
        return [said.verdict, said.reduced]
      },
    )
    expect(verdicts).toEqual([
      ['inconclusive', false],
      ['inconclusive', false],
      ['inconclusive', false],
      ['fail', true],
    ])
  })

  it('is strict again as soon as the silent one is back', () => {
    const said = quorum(round('fail fail ok'), { confirm_locations: 3, silent: { 3: 9 } })
    expect(said).toEqual({ verdict: 'ok', reduced: false, silent: {} })
  })

  it('decides nothing while everybody is silent, however long', () => {
    const said = quorum(round('gone gone'), { confirm_locations: 1, silent: { 1: 50, 2: 50 } })
    expect(said).toMatchObject({ verdict: 'inconclusive', reduced: false })
  })

  it('a location that could not measure is not one that is gone', () => {
    const said = quorum(round('fail unknown'), { confirm_locations: 2, silent: {} })
    expect(said).toEqual({ verdict: 'inconclusive', reduced: false, silent: {} })
  })
})
