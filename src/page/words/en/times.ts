/**
 * English: units of time, and what lies ahead or behind.
 *
 * @module
 */

import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const TIMES = {
  /** Behind a number. */
  units: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' },
  /** With the number in place of `#`; days are two at least. The script of the page fills these in as well. */
  relative: {
    ago: { s: '# s ago', min: '# min ago', h: '# h ago', d: '# d ago' },
    in: { s: 'in # s', min: 'in # min', h: 'in # h', d: 'in # d' },
  },
  /** What ends soon or has ended: `Certificate in 4 days`. */
  endsIn: (title: string, time: string): string => `${title} ${time}`,
  hasEnded: 'has ended',
  ended: (title: string): string => `${title}: has ended`,
  inDays: (days: number): string =>
    plural(days, { one: 'in 1 day', other: `in ${number(days)} days` }),
  inTime: (time: string): string => `in ${time}`,
}
