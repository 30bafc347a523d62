import { describe, expect, it } from 'vitest'
import { parse } from '../../src/fields/parse.ts'
import { statusRanges, statusRangesField } from '../../src/fields/status-ranges.ts'

const fields = { expected_status: statusRangesField('codes') }
const stored = (value: unknown) => parse(fields, { expected_status: value })

const NO_STATUS = 'invalid: status codes such as 200-299, 404 or 2xx are expected, 100 to 599'

describe('expected_status', () => {
  it.each([
    ['200-299', '200-299'],
    [' 200 - 299 , 404 ', '200-299,404'],
    ['2xx,3XX', '200-299,300-399'],
    [204, '204'],
    [[200, '201-202', '5xx'], '200,201-202,500-599'],
    ['204-204', '204'],
  ])('takes %j and keeps %j', (given, kept) => {
    expect(stored(given)).toEqual({ ok: true, value: { expected_status: kept } })
  })

  it.each(['', '299-200', '99', '600', '200-600', '2x', 'ok', '200,,201', [[]], true, 200.5, {}])(
    'refuses %j',
    (given) => {
      const result = stored(given)
      expect(result.ok).toBe(false)
      expect(!result.ok && result.fields.expected_status).toBe(NO_STATUS)
    },
  )

  it.each([[[]], [[200, true]], ['x2xx'], ['2xxx'], ['1200'], ['2000']])(
    'refuses %j as well',
    (given) => {
      expect(stored(given)).toEqual({ ok: false, fields: { expected_status: NO_STATUS } })
    },
  )

  it('tells a client its form, and refuses what was stored and is none', () => {
    expect(fields.expected_status.info).toEqual({
      kind: 'string',
      format: 'status_ranges',
      example: '200-299,401',
      description: 'codes',
    })
    expect(() => statusRanges('ok')).toThrow(new TypeError(NO_STATUS))
  })

  it('refuses more ranges than anyone needs', () => {
    expect(stored(Array.from({ length: 50 }, () => 200)).ok).toBe(true)
    const result = stored(Array.from({ length: 51 }, () => 200))
    expect(!result.ok && result.fields.expected_status).toMatch(/^out_of_range: 1\.\.50/)
  })

  it('includes both ends of a range and nothing around them', () => {
    const ranges = statusRanges('200-204,401')
    const included = [199, 200, 204, 205, 400, 401, 402].filter((code) => ranges.includes(code))
    expect(included).toEqual([200, 204, 401])
  })
})
