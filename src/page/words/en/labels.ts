/**
 * English: labels that several pages have.
 *
 * @module
 */

import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

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
