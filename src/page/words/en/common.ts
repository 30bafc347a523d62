/**
 * English: states, units, the frame of every page, errors.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const COMMON = {
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
  /** Behind a number. */
  units: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' },
  /** With the number in place of `#`; days are two at least. The script of the page fills these in as well. */
  relative: {
    ago: { s: '# s ago', min: '# min ago', h: '# h ago', d: '# d ago' },
    in: { s: 'in # s', min: 'in # min', h: 'in # h', d: 'in # d' },
  },
  monitors: (count: number): string =>
    plural(count, { one: '1 monitor', other: `${number(count)} monitors` }),
  removedMonitor: 'A removed monitor',
  /** What ends soon or has ended: `Certificate in 4 days`. */
  endsIn: (title: string, time: string): string => `${title} ${time}`,
  hasEnded: 'has ended',
  ended: (title: string): string => `${title}: has ended`,
  inDays: (days: number): string =>
    plural(days, { one: 'in 1 day', other: `in ${number(days)} days` }),
  inTime: (time: string): string => `in ${time}`,
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

export const FRAME = {
  monitors: 'Monitors',
  incidents: 'Incidents',
  contacts: 'Contacts',
  maintenance: 'Maintenance',
  keys: 'API keys',
  audit: 'Audit log',
  skip: 'Skip to the content',
  sections: 'Sections',
  signOut: 'Sign out',
  signIn: 'Sign in',
  lost: <T>(when: T): Parts<T> => [
    'No connection to the service since ',
    when,
    '. This page shows what was known then.',
  ],
  signedOut: 'You are signed out. This page shows what was known then.',
  listChanged: 'The list has changed: reload it',
  live: 'Live',
  reload: 'Reload',
  newlyDown: 'Newly down: ',
  /** With the number in place of `#`. */
  newlyMore: ' and # more',
  asOf: <T>(time: T, zone: T): Parts<T> => ['As of ', time, ' ', zone, '.'],
  theme: 'Theme',
  auto: 'Auto',
  light: 'Light',
  dark: 'Dark',
  language: 'Language',
  /** With the name of the zone in place of `#`. */
  timesIn: 'Show times in #',
}

export const ERRORS = {
  toStart: 'To the start page',
  notFound: 'Not found',
  noPage: 'There is no such page. It may have been removed, or the address is mistyped.',
  noMonitor: 'There is no such monitor. It may have been removed, or the address is mistyped.',
  noFile: 'There is no such file. It may have been removed, or the address is mistyped.',
  noMonth: 'There is no such month here. The history goes back twelve months.',
  badRequest: 'That did not work',
  wrongMethod: 'Not possible here',
  wrongMethodText: 'This address does not take such a request.',
  tooMany: 'Too many requests',
  tooManyText: (sec: number): string =>
    `There were too many requests within a minute. Wait ${plural(sec, { one: '1 second', other: `${number(sec)} seconds` })}, then try again.`,
  forbidden: 'Not allowed',
  otherSite: 'This form was sent from another site. Open the page itself and try again.',
  unreadableForm: 'The form could not be read.',
  noNumber: (name: string): string => `The parameter "${name}" in the address is not a number.`,
  noneOf: (name: string, words: string): string =>
    `The parameter "${name}" in the address must be one of ${words}.`,
  notYours: 'You may not see this page.',
  signInFirst: 'Sign in first; then press the button again.',
  conflict: 'Not possible now',
  internal: 'Something went wrong',
  internalText: 'The mistake is on our side. The log of the service has the cause.',
  unavailable: 'Not available',
  unavailableText:
    'The service is starting or stopping, or its storage does not answer. Load the page again in a moment.',
  busyText: 'There are too many requests at the moment. Load the page again in a few seconds.',
  noTheme: 'There is no such theme.',
  noLanguage: 'There is no such language.',
  noAction: 'There is no such action.',
  noListPage: 'There is no such page of the list.',
}

export const SIGN_IN = {
  title: 'Sign in',
  key: 'API key',
  hint: <T>(command: T): Parts<T> => [
    'The key was shown when it was made, at the first start or by ',
    command,
    '.',
  ],
  notReader: 'This key may not read everything that the page shows: it lacks the scope read.',
  notKnown: 'This key is not known, or was revoked.',
  tooMany: (sec: number): string =>
    `This key is not known, or was revoked. Too many attempts failed: wait ${number(sec)} seconds.`,
}
