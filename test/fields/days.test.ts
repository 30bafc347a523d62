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
    const problem = 'invalid: a number of days such as 14, or several as "14,7,3", is expected'
    expect(() => decodeSettings(fields, { days_warn: 'soon' })).toThrow(new TypeError(problem))
  })

  it.each(['', ',', '14,', 'soon', '1.5', '-1', 1.5, -1, NaN, true, {}, [[14]], [null]])(
    'refuses %j',
    (given) => {
      expect(parsed(given)).toEqual({ days_warn: expect.stringMatching(/^invalid: /) })
    },
  )

  it('names the bounds of the days and of the list', () => {
    expect(parsed(90)).toEqual([90])
    expect(parsed(91)).toEqual({ days_warn: 'out_of_range: 0..90' })
    expect(parsed([7, 91])).toEqual({ days_warn: 'out_of_range: 0..90' })
    expect(parsed(Array.from({ length: 10 }, (_, n) => n))).toHaveLength(10)
    expect(parsed([])).toEqual({ days_warn: 'out_of_range: 1..10 items' })
    expect(parsed(Array.from({ length: 11 }, (_, n) => n))).toEqual({
      days_warn: 'out_of_range: 1..10 items',
    })
  })

  it('says what it is, and has a year unless the type says otherwise', () => {
    const days = daysList({ description: 'Days' })
    const bounds = { min: 1, max: 10, unit: 'days', format: 'days' }
    expect(days.info).toEqual({
      kind: 'array',
      ...bounds,
      example: '14,7,3',
      description: 'Days',
    })
    expect(parse({ days }, { days: 365 }).ok).toBe(true)
    expect(parse({ days }, { days: 366 })).toMatchObject({
      fields: { days: 'out_of_range: 0..365' },
    })
  })

  it('says what is expected', () => {
    expect(parsed('soon')).toEqual({
      days_warn: 'invalid: a number of days such as 14, or several as "14,7,3", is expected',
    })
  })
})
