/**
 * English: states, verdicts and phases of a check, times, and labels that several pages have.
 *
 * @module
 */

import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const STATES = {
  /** A label, what it means, and how the state reads within a sentence: `2 up, 1 paused`. */
  states: {
    up: { label: 'Up', meaning: 'The last check succeeded', short: 'up' },
    down: { label: 'Down', meaning: 'An incident is open', short: 'down' },
    confirming: {
      label: 'Confirming',
      meaning: 'A check failed; the next ones decide whether it is down',
      short: 'confirming',
    },
    recovering: {
      label: 'Recovering',
      meaning: 'A check succeeded; the next ones decide whether it is up',
      short: 'recovering',
    },
    late: { label: 'Late', meaning: 'A signal is overdue, within its grace', short: 'late' },
    pending: { label: 'Pending', meaning: 'Nothing is known yet', short: 'pending' },
    maintenance: { label: 'Maintenance', meaning: 'Planned work', short: 'maintenance' },
    paused: { label: 'Paused', meaning: 'Checks are paused', short: 'paused' },
    stale: {
      label: 'Unknown',
      meaning: 'No check has been completed for a while',
      short: 'unknown',
    },
  },
  verdicts: { ok: 'OK', fail: 'Failed', unknown: 'Unknown' },
  phases: {
    resolve: 'DNS',
    connect: 'Connect',
    tls: 'TLS',
    starttls: 'STARTTLS',
    greeting: 'Greeting',
    send: 'Send',
    auth: 'Login',
    query: 'Query',
    first_byte: 'First byte',
    transfer: 'Transfer',
  },
}

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

export const LABELS = {
  monitors: (count: number): string =>
    plural(count, { one: '1 monitor', other: `${number(count)} monitors` }),
  removedMonitor: 'A removed monitor',
  yes: 'yes',
  no: 'no',
  none: 'none',
  never: 'never',
  andMore: (count: number): string => `, and ${number(count)} more`,
  all: 'All',
  filter: 'Filter',
  pages: 'Pages',
  previous: 'Previous',
  next: 'Next',
  newest: 'Newest',
  older: 'Older',
  back: 'Back',
  action: 'Action',
  created: 'Created',
  details: 'Details',
  page: (page: number, last: number, found: string): string => `Page ${page} of ${last}, ${found}`,
}
