/**
 * English: the overview of all monitors.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

const total = (all: number, cut: boolean): string =>
  `${cut ? 'the first ' : ''}${plural(all, { one: '1 monitor', other: `${number(all)} monitors` })}`

export const OVERVIEW = {
  title: 'Monitors',
  newMonitor: 'New monitor',
  noMatch: 'No monitor matches this filter.',
  showAll: 'Show all',
  monitor: 'Monitor',
  days: '90 days',
  uptime: 'Uptime',
  response: 'Response',
  checked: 'Checked',
  planned: 'Planned work',
  /** `cut`: there are more than were read. */
  down: (down: number, all: number, cut: boolean): string =>
    `${number(down)} of ${total(all, cut)} ${plural(down, { one: 'is', other: 'are' })} down`,
  up: (up: number, all: number, cut: boolean): string =>
    `${number(up)} of ${total(all, cut)} ${plural(up, { one: 'is', other: 'are' })} up`,
  allUp: (all: number, cut: boolean): string =>
    all === 1 ? 'The monitor is up' : `All ${total(all, cut)} are up`,
  attention: (lead: string, count: number): string =>
    `${lead}, ${number(count)} ${plural(count, { one: 'needs', other: 'need' })} attention`,
  countUp: (count: number): string => `${number(count)} up`,
  nothingChecked: 'nothing checked yet',
  lastCheck: <T>(when: T): Parts<T> => ['last check ', when],
  notShown: (count: number): string =>
    `${plural(count, { one: '1 more monitor is', other: `${number(count)} more monitors are` })} not shown.`,
  more: (count: number): string => ` and ${number(count)} more`,
  notReached: <T>(contact: T): Parts<T> => [contact, ' was not reached'],
  severalNotReached: (count: number): string => `${number(count)} contacts`,
  wereNotReached: <T>(contacts: T): Parts<T> => [contacts, ' were not reached'],
  none: 'No monitors yet',
  orApi: 'Or create one with the REST API and an API key:',
  onlyApi: 'Create one with the REST API and an API key that may write:',
  appears: 'A monitor appears here after its first check.',
  mark: (name: string): string => `Mark ${name}`,
  neverChecked: 'Not checked yet',
  notCheckedSince: <T>(when: T): Parts<T> => ['Last checked ', when],
  before: (state: string): string => `; it was ${state}`,
  degraded: <T>(cause: T): Parts<T> => ['Degraded: ', cause],
  flapping: 'Flapping',
  responseIn: (name: string, days: number, median: string, p95: string): string =>
    `${name}, response in ${days} days: median ${median}, p95 ${p95}`,
  nameOrAddress: 'Name or address',
  state: 'State',
  type: 'Type',
  tag: 'Tag',
  marked: 'Marked monitors',
  allOf: (found: number): string =>
    `All ${plural(found, { one: '1 monitor', other: `${number(found)} monitors` })}`,
  orMarked: 'or the marked ones:',
  pause: 'Pause',
  resume: 'Resume',
  acknowledge: 'Acknowledge',
  notAll: 'Not all monitors were changed',
  stayed: (count: number): string =>
    `${plural(count, { one: '1 monitor', other: `${number(count)} monitors` })} could not be changed:`,
  failed: (id: number, why: string): string => `Monitor ${id}: ${why}`,
  backToList: 'Back to the list',
  noneMarked: 'No monitor is marked. Mark some in the list, or choose all of them.',
  noState: 'There is no such state to filter by.',
  noType: 'There is no such type of monitor to filter by.',
  longText: (most: number): string =>
    `The text to filter by has more than ${number(most)} characters.`,
}
