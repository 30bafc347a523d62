import { describe, expect, it } from 'vitest'
import { daysList } from '../../src/fields/days.ts'
import { parse, decodeSettings } from '../../src/fields/parse.ts'

const fields = { days_warn: daysList({ description: 'Days', max: 90 }).default([14]) }

function parsed(days_warn: unknown): unknown {
  const result = parse(fields, { days_warn })
  return result.ok ? result.value.days_warn : result.fields
}

describe('daysList', () => {
  it.each([
    [14, [14]],
    [0, [0]],
    ['14', [14]],
    ['3, 14,7', [14, 7, 3]],
    [
      [7, 14, 7],
      [14, 7],
    ],
    [
      ['7', 14],
      [14, 7],
    ],
    [undefined, [14]],
    [null, [14]],
  ])('takes %j as %j', (given, days) => {
    expect(parsed(given)).toEqual(days)
  })

  it('gives the checker the list, whichever form was stored', () => {
    expect(decodeSettings(fields, { days_warn: [14, 7] }).days_warn).toEqual([14, 7])
    expect(decodeSettings(fields, { days_warn: '7,30' }).days_warn).toEqual([30, 7])
  })

  it.each(['', ',', '14,', 'soon', '1.5', '-1', 1.5, -1, NaN, true, {}, [[14]], [null]])(
    'refuses %j',
    (given) => {
      expect(parsed(given)).toEqual({ days_warn: expect.stringMatching(/^invalid: /) })
    },
  )

  it('names the bounds of the days and of the list', () => {
    expect(parsed(91)).toEqual({ days_warn: 'out_of_range: 0..90' })
    expect(parsed([])).toEqual({ days_warn: 'out_of_range: 1..10 items' })
    expect(parsed(Array.from({ length: 11 }, (_, n) => n))).toEqual({
      days_warn: 'out_of_range: 1..10 items',
    })
  })
})
