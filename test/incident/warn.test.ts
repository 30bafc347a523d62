import { describe, expect, it } from 'vitest'
import { warningOf } from '../../src/incident/warn.ts'
import type { Warn } from '../../src/model.ts'

/** The warning of a check with these figures; what is not among them was not measured. */
const warned = (warn: Warn, figures: Readonly<Record<string, number>>) =>
  warningOf(warn, (figure) => figures[figure] ?? null)

describe('a figure', () => {
  it('above its threshold is said with both; a response time in milliseconds', () => {
    expect(warned({ load: { above: 5 } }, { load: 7.12345 })).toEqual({
      cause_code: 'warn_above',
      cause_text: 'load is 7.123, more than 5',
      facts: { figure: 'load', value: 7.12345, above: 5 },
    })
    expect(warned({ response: { above: 300 } }, { response: 412 })?.cause_text).toBe(
      'response is 412 ms, more than 300 ms',
    )
  })

  it('below its threshold the same', () => {
    expect(warned({ days_left: { below: 21 } }, { days_left: 20 })).toEqual({
      cause_code: 'warn_below',
      cause_text: 'days_left is 20, less than 21',
      facts: { figure: 'days_left', value: 20, below: 21 },
    })
    expect(warned({ response: { below: 5 } }, { response: 4 })?.cause_text).toBe(
      'response is 4 ms, less than 5 ms',
    )
  })

  it.each<[string, Warn, Record<string, number>]>([
    ['at the upper threshold', { load: { above: 5 } }, { load: 5 }],
    ['at the lower threshold', { load: { below: 5 } }, { load: 5 }],
    ['between both', { load: { above: 9, below: 5 } }, { load: 7 }],
    ['that was not measured', { load: { above: -1, below: 5 } }, {}],
    ['above another one of a lower threshold', { load: { below: 5 } }, { load: 7 }],
    ['without a threshold', {}, { load: 7 }],
  ])('%s is no warning', (_, warn, figures) => {
    expect(warned(warn, figures)).toBeUndefined()
  })

  it('is the first of those beyond their thresholds, in the order of the settings', () => {
    const warn: Warn = { a: { above: 5 }, b: { above: 5 }, c: { above: 5 } }
    expect(warned(warn, { b: 6, c: 7 })?.facts['figure']).toBe('b')
  })
})
