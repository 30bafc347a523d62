/**
 * German: units of time, and what lies ahead or behind.
 *
 * @module
 */

import type { TIMES } from '../en/times.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const TIMES_DE: typeof TIMES = {
  units: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'Tg.' },
  relative: {
    ago: { s: 'vor # s', min: 'vor # min', h: 'vor # h', d: 'vor # Tg.' },
    in: { s: 'in # s', min: 'in # min', h: 'in # h', d: 'in # Tg.' },
  },
  endsIn: (title, time) => `${title}: ${time}`,
  hasEnded: 'abgelaufen',
  ended: (title) => `${title}: abgelaufen`,
  inDays: (days) => plural(days, { one: 'in 1 Tag', other: `in ${number(days)} Tagen` }),
  inTime: (time) => `in ${time}`,
}
