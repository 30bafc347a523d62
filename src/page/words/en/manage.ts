/**
 * English: contacts and what is sent to them, maintenance, API keys, the audit log.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const CONTACTS = {
  title: 'Contacts',
  none: 'No contacts yet',
  noneText:
    'No alerts are sent when a monitor goes down. Create a contact with the API or the engine:',
  everyMonitor: 'every monitor',
  namedMonitors: 'monitors that name it',
  nothingSent: 'Nothing sent yet',
  notDelivered: 'Not delivered',
  delivered: 'Delivered',
  nothingWaits: 'Nothing waits',
  nothingRecent: 'Nothing recent waits',
  waits: (count: number): string =>
    plural(count, { one: '1 notification waits', other: `${number(count)} notifications wait` }),
  atLeastWaits: (count: number): string =>
    `At least ${plural(count, { one: '1 notification', other: `${number(count)} notifications` })} wait`,
  count: (count: number): string =>
    plural(count, { one: '1 contact', other: `${number(count)} contacts` }),
  sendTest: 'Send a test',
  sendTestTo: (name: string): string => `Send a test to ${name}`,
  notifications: 'Notifications',
  nothingSentTo: 'Nothing was sent to this contact yet.',
  lastNot: 'The last notification was not delivered',
  lastDelivered: 'The last notification was delivered',
  saidFailing: (name: string): string => `${name}: the last notification was not delivered`,
  saidWell: (name: string): string => `${name}: no delivery problem`,
  nextAttempt: <T>(when: T): Parts<T> => [', next attempt ', when],
  quietHours: 'Quiet hours',
  oneMessage: 'One message for',
  log: 'Notification log',
  event: 'Event',
  monitor: 'Monitor',
  contact: 'Contact',
  status: 'Status',
  attempts: 'Attempts',
  time: 'Time',
  statuses: {
    queued: 'Waiting',
    sending: 'Under way',
    sent: 'Delivered',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  noAttempts: 'none yet',
  attemptCount: (count: number): string =>
    plural(count, { one: '1 attempt', other: `${number(count)} attempts` }),
  attemptDelivered: 'delivered',
  next: <T>(when: T): Parts<T> => ['next ', when],
  goneMonitor: (id: number): string => `Monitor ${id}, removed`,
  goneContact: (id: number): string => `Contact ${id}, removed`,
  sendAgain: 'Send again',
}

export const MAINTENANCE = {
  title: 'Maintenance',
  none: 'No work is planned. While a window is open, its monitors are checked and nobody is notified.',
  plan: 'Plan work',
  over: 'over',
  openEnds: <T>(when: T): Parts<T> => ['open, ends ', when],
  begins: <T>(when: T): Parts<T> => ['begins ', when],
  noChecks: ' · no checks meanwhile',
  end: (name: string): string => `End ${name}`,
  remove: (name: string): string => `Remove ${name}`,
  endNow: 'End now',
  removeNow: 'Remove',
  allMonitors: 'All monitors',
  tagged: (tags: string): string => `tagged ${tags}`,
  and: ' and ',
  cron: (cron: string, zone: string, time: string): string => `${cron} ${zone}, for ${time}`,
  everyDay: 'every day',
  weekly: (days: string, at: string, time: string): string => `${days} at ${at}, for ${time}`,
  weekdays: {
    mon: 'Mon',
    tue: 'Tue',
    wed: 'Wed',
    thu: 'Thu',
    fri: 'Fri',
    sat: 'Sat',
    sun: 'Sun',
  },
  whatIsDone: 'What is done',
  when: 'When',
  nowFor: 'Now, for',
  minutes: 'minutes',
  minutesLabel: 'Minutes',
  onceFrom: 'Once, from',
  to: 'to',
  startUtc: 'Start, UTC',
  endUtc: 'End, UTC',
  everyWeek: 'Every week, for as many minutes, at',
  timeOfDay: 'Time of day',
  timeZone: 'Time zone',
  whichMonitors: 'For which monitors',
  all: 'All',
  withTag: 'With a tag',
  tag: 'Tag',
  these: 'These',
  monitors: 'Monitors',
  makeNoChecks: 'Make no checks meanwhile',
  planIt: 'Plan it',
}

export const KEYS = {
  title: 'API keys',
  made: <T>(name: T): Parts<T> => ['The key ', name, ' is shown only now. Copy it:'],
  name: 'Name',
  beginsWith: 'Begins with',
  may: 'May',
  lastUsed: 'Last used',
  revoked: <T>(day: T): Parts<T> => ['revoked ', day],
  revoke: 'Revoke',
  revokeKey: (name: string): string => `Revoke ${name}`,
  newKey: 'New key',
  whatItMay: 'What it may do',
  everything: 'everything',
  create: 'Create the key',
  notYours: 'You may not manage API keys.',
  needsName: (most: number): string => `A key needs a name of at most ${number(most)} characters.`,
  chooseScopes: 'Choose what the key may do.',
}

export const AUDIT = {
  title: 'Audit log',
  none: 'No change is on record.',
  longActor: (most: number): string =>
    `The actor to filter by has more than ${number(most)} characters.`,
  who: 'Who',
  whoSuchAs: 'Who, such as key:1',
  of: 'Of',
  time: 'Time',
  what: 'What',
  changes: 'Changes',
  nobody: 'nobody named',
  noValue: 'none',
  /** What was done with a resource: `Monitor Shop updated`. */
  actions: {
    created: 'created',
    updated: 'updated',
    paused: 'paused',
    resumed: 'resumed',
    deleted: 'deleted',
    revoked: 'revoked',
  },
  resources: {
    monitor: 'Monitor',
    contact: 'Contact',
    maintenance: 'Planned work',
    public_page: 'Public page',
    status_report: 'Status report',
    key: 'Key',
    account: 'Account',
  },
}
