/**
 * English: pages for customers, and the bars of days that other pages have as well.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

export const DAYS = {
  maintenance: 'maintenance',
  paused: 'paused',
  noData: 'no data',
  noDowntime: 'no downtime',
  downtime: (time: string, up: string): string => `${time} of downtime, ${up} up`,
  /** The text alternative: name, days, and what follows. */
  lead: (name: string, days: number): string => `${name}, last ${days} days`,
  noDataYet: (lead: string): string => `${lead}: no data yet`,
  up: (lead: string, percent: string, days: number): string =>
    `${lead}: ${percent} up over ${plural(days, { one: '1 day', other: `${number(days)} days` })} with data`,
  without: (text: string): string => `${text}, no downtime`,
  with: (text: string, days: string): string => `${text}. Downtime: ${days}`,
  more: (days: number): string => `, and ${number(days)} before`,
  daysAgo: (days: number): string => `${days} days ago`,
  today: 'Today',
}

export const PLANNED = {
  work: 'Planned work',
  ends: <T>(when: T): Parts<T> => ['is under way and ends ', when],
  begins: <T>(when: T): Parts<T> => ['begins ', when],
  more: (count: number): string => `and ${number(count)} more`,
  atLeast: (count: number): string => `and at least ${number(count)} more`,
}

export const PUBLIC = {
  operational: 'Operational',
  disrupted: 'Disrupted',
  affected: 'Affected',
  unknown: 'Unknown',
  maintenance: 'Maintenance',
  pending: 'No data yet',
  paused: 'Not monitored',
  inMaintenance: (count: number): string => `${number(count)} in maintenance`,
  notMonitored: (count: number): string => `${number(count)} not monitored`,
  withoutData: (count: number): string => `${number(count)} without data yet`,
  allInMaintenance: 'Planned work is under way',
  noneMonitored: 'Nothing is monitored at present',
  noDataYet: 'There is no data yet',
  noneKnown: 'No service is known to be operational',
  oneDisrupted: 'The service is disrupted',
  allDisrupted: 'Services are disrupted',
  someDisrupted: 'Some services are disrupted',
  oneUnseen: 'The service could not be checked recently',
  allUnseen: 'Services could not be checked recently',
  someUnseen: 'Some services could not be checked recently',
  oneOperational: 'The service is operational',
  allOperational: 'All services are operational',
  someOperational: (good: number, all: number): string =>
    `${number(good)} of ${number(all)} services ${plural(good, { one: 'is', other: 'are' })} operational`,
  incidentsOpen: (count: number): string =>
    plural(count, { one: 'An incident is open', other: `${number(count)} incidents are open` }),
  noDisruptionFound: 'our checks find no disruption',
  unnamed: 'Unnamed service',
  services: 'Services',
  past: 'Past 14 days',
  current: 'Current incidents',
  planned: 'Planned maintenance',
  uptime: (percent: string): string => `${percent} uptime`,
  uptimeShort: 'uptime',
  responseShort: 'response',
  noData: 'no data yet',
  noDisruption: 'No disruptions in this period.',
  isDisrupted: <T>(service: T, time: string): Parts<T> => [
    service,
    ` has been disrupted for ${time}`,
  ],
  wasDisrupted: <T>(service: T, time: string): Parts<T> => [service, ` was disrupted for ${time}`],
  ongoing: 'ongoing',
  affectedBy: <T>(services: T): Parts<T> => ['Affected: ', services],
  statuses: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  allServices: 'All services',
  earlier: 'Earlier incidents',
  months: 'Months',
  incidents: 'Incidents',
  foundByChecks: 'Found by checks',
  uptimeTitle: 'Uptime',
  needsPassword: 'This page needs a password',
  password: 'Password',
  wrongPassword: 'The password is wrong.',
  show: 'Show the page',
  feedPlanned: (name: string): string => `Planned maintenance: ${name}`,
  feedFromTo: (from: string, to: string): string => `From ${from} to ${to}`,
}
