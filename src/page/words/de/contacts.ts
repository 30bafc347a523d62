/**
 * German: contacts and what is sent to them.
 *
 * @module
 */

import type { CONTACTS } from '../en/contacts.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const CONTACTS_DE: typeof CONTACTS = {
  title: 'Kontakte',
  none: 'Noch keine Kontakte',
  noneText:
    'Fällt ein Monitor aus, wird niemand benachrichtigt. Ein Kontakt lässt sich über die API oder die Engine anlegen:',
  everyMonitor: 'jeder Monitor',
  namedMonitors: 'Monitore, die ihn nennen',
  nothingSent: 'Noch nichts gesendet',
  notDelivered: 'Nicht zugestellt',
  delivered: 'Zugestellt',
  nothingWaits: 'Nichts in der Warteschlange',
  nothingRecent: 'Nichts Neues in der Warteschlange',
  waits: (count) =>
    plural(count, {
      one: '1 Benachrichtigung wartet',
      other: `${number(count)} Benachrichtigungen warten`,
    }),
  atLeastWaits: (count) =>
    plural(count, {
      one: 'Mindestens 1 Benachrichtigung wartet',
      other: `Mindestens ${number(count)} Benachrichtigungen warten`,
    }),
  count: (count) => plural(count, { one: '1 Kontakt', other: `${number(count)} Kontakte` }),
  sendTest: 'Test senden',
  sendTestTo: (name) => `Test an ${name} senden`,
  notifications: 'Benachrichtigungen',
  nothingSentTo: 'An diesen Kontakt wurde noch nichts gesendet.',
  lastNot: 'Die letzte Benachrichtigung wurde nicht zugestellt',
  lastDelivered: 'Die letzte Benachrichtigung wurde zugestellt',
  saidFailing: (name) => `${name}: Die letzte Benachrichtigung wurde nicht zugestellt`,
  saidWell: (name) => `${name}: keine Zustellprobleme`,
  nextAttempt: (when) => [', nächster Versuch ', when],
  quietHours: 'Ruhezeiten',
  oneMessage: 'Zusammenfassen über',
  log: 'Protokoll der Benachrichtigungen',
  event: 'Ereignis',
  monitor: 'Monitor',
  contact: 'Kontakt',
  status: 'Status',
  attempts: 'Versuche',
  time: 'Zeit',
  statuses: {
    queued: 'Wartet',
    sending: 'Unterwegs',
    sent: 'Zugestellt',
    failed: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
  },
  noAttempts: 'noch keiner',
  attemptCount: (count) => plural(count, { one: '1 Versuch', other: `${number(count)} Versuche` }),
  attemptDelivered: 'zugestellt',
  next: (when) => ['nächster ', when],
  goneMonitor: (id) => `Monitor ${id}, gelöscht`,
  goneContact: (id) => `Kontakt ${id}, gelöscht`,
  sendAgain: 'Erneut senden',
}
