/**
 * English: maintenance, API keys, the audit log.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { number } = formsOf('en-GB')

export const MAINTENANCE = {
  title: 'Maintenance',
  none: 'No work is planned. During maintenance, monitors are still checked, but no notifications are sent.',
  plan: 'Plan work',
  over: 'over',
  ends: <T>(when: T): Parts<T> => ['under way, ends ', when],
  begins: <T>(when: T): Parts<T> => ['begins ', when],
  noChecks: ' · no checks meanwhile',
  end: 'End now',
  endNamed: (name: string): string => `End ${name}`,
  remove: 'Remove',
  removeNamed: (name: string): string => `Remove ${name}`,
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
  withTag: 'With a tag',
  these: 'These',
  makeNoChecks: 'Skip the checks meanwhile',
  planIt: 'Plan it',
}

export const KEYS = {
  title: 'API keys',
  made: <T>(name: T): Parts<T> => ['The key ', name, ' is shown only now. Copy it:'],
  name: 'Name',
  beginsWith: 'Begins with',
  may: 'May',
  lastUsed: 'Last used',
  revoked: 'revoked',
  revoke: 'Revoke',
  revokeNamed: (name: string): string => `Revoke ${name}`,
  newKey: 'New key',
  whatItMay: 'What it may do',
  everything: 'everything',
  create: 'Create the key',
  notYours: 'You may not manage API keys.',
  needsName: (most: number): string => `A key needs a name of at most ${number(most)} characters.`,
  chooseScopes: 'Choose what the key may do.',
  tooMany: (most: number): string =>
    `There are ${number(most)} keys in use, the most there may be. Revoke one first.`,
  listFull: (most: number): string =>
    `The list has ${number(most)} keys, the most there may be. Revoked ones leave it after 30 days.`,
}

export const AUDIT = {
  title: 'Audit log',
  none: 'No changes have been recorded.',
  longActor: (most: number): string =>
    `The actor to filter by has more than ${number(most)} characters.`,
  who: 'Who',
  whoSuchAs: 'Who, such as key:1',
  of: 'Kind',
  what: 'What',
  changes: 'Changes',
  nobody: 'not recorded',
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
