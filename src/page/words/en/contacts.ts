/**
 * English: contacts and what is sent to them.
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
  nothingWaits: 'Nothing waiting',
  nothingRecent: 'Nothing recent waiting',
  waits: (count: number): string =>
    plural(count, {
      one: '1 notification waiting',
      other: `${number(count)} notifications waiting`,
    }),
  atLeastWaits: (count: number): string =>
    `At least ${plural(count, { one: '1 notification', other: `${number(count)} notifications` })} waiting`,
  count: (count: number): string =>
    plural(count, { one: '1 contact', other: `${number(count)} contacts` }),
  sendTest: 'Send a test',
  sendTestTo: (name: string): string => `Send a test to ${name}`,
  notifications: 'Notifications',
  nothingSentTo: 'Nothing has been sent to this contact yet.',
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
