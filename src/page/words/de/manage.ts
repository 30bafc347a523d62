/**
 * German: maintenance, API keys, the audit log.
 *
 * @module
 */

import type { AUDIT, KEYS, MAINTENANCE } from '../en/manage.ts'
import { formsOf } from '../forms.ts'

const { number } = formsOf('de')

export const MAINTENANCE_DE: typeof MAINTENANCE = {
  title: 'Wartung',
  none: 'Es ist keine Wartung geplant. Während eines Wartungsfensters wird weiter geprüft, aber niemand benachrichtigt.',
  plan: 'Wartung planen',
  over: 'vorbei',
  ends: (when) => ['läuft, endet ', when],
  begins: (when) => ['beginnt ', when],
  noChecks: ' · währenddessen keine Prüfungen',
  end: 'Jetzt beenden',
  endNamed: (name) => `${name} beenden`,
  remove: 'Entfernen',
  removeNamed: (name) => `${name} entfernen`,
  allMonitors: 'Alle Monitore',
  tagged: (tags) => `mit Schlagwort ${tags}`,
  and: ' und ',
  cron: (cron, zone, time) => `${cron} ${zone}, Dauer ${time}`,
  everyDay: 'täglich',
  weekly: (days, at, time) => `${days} um ${at}, Dauer ${time}`,
  weekdays: { mon: 'Mo', tue: 'Di', wed: 'Mi', thu: 'Do', fri: 'Fr', sat: 'Sa', sun: 'So' },
  whatIsDone: 'Bezeichnung',
  when: 'Wann',
  nowFor: 'Jetzt, für',
  minutes: 'Minuten',
  minutesLabel: 'Minuten',
  onceFrom: 'Einmalig, von',
  to: 'bis',
  startUtc: 'Beginn, UTC',
  endUtc: 'Ende, UTC',
  everyWeek: 'Jede Woche, ebenso lange, um',
  timeOfDay: 'Uhrzeit',
  timeZone: 'Zeitzone',
  whichMonitors: 'Für welche Monitore',
  withTag: 'Mit Schlagwort',
  these: 'Diese',
  makeNoChecks: 'Währenddessen nicht prüfen',
  planIt: 'Planen',
}

export const KEYS_DE: typeof KEYS = {
  title: 'API-Schlüssel',
  made: (name) => ['Der Schlüssel ', name, ' wird nur jetzt angezeigt. Bitte kopieren:'],
  name: 'Name',
  beginsWith: 'Beginnt mit',
  may: 'Darf',
  lastUsed: 'Zuletzt benutzt',
  revoked: 'widerrufen',
  revoke: 'Widerrufen',
  revokeNamed: (name) => `${name} widerrufen`,
  newKey: 'Neuer Schlüssel',
  whatItMay: 'Was er darf',
  everything: 'alles',
  create: 'Schlüssel erstellen',
  notYours: 'Für die Verwaltung von API-Schlüsseln fehlt die Berechtigung.',
  needsName: (most) => `Ein Schlüssel braucht einen Namen mit höchstens ${number(most)} Zeichen.`,
  chooseScopes: 'Bitte wählen, was der Schlüssel darf.',
  tooMany: (most) =>
    `Es sind ${number(most)} Schlüssel in Gebrauch, mehr sind nicht möglich. Bitte zuerst einen widerrufen.`,
  listFull: (most) =>
    `In der Liste stehen ${number(most)} Schlüssel, mehr sind nicht möglich. Widerrufene stehen dort nur 30 Tage.`,
}

export const AUDIT_DE: typeof AUDIT = {
  title: 'Protokoll',
  none: 'Es sind keine Änderungen verzeichnet.',
  longActor: (most) => `Der Filtertext hat mehr als ${number(most)} Zeichen.`,
  who: 'Wer',
  whoSuchAs: 'Wer, etwa key:1',
  of: 'Art',
  what: 'Was',
  changes: 'Änderungen',
  nobody: 'nicht erfasst',
  noValue: 'nichts',
  actions: {
    created: 'angelegt',
    updated: 'geändert',
    paused: 'pausiert',
    resumed: 'fortgesetzt',
    deleted: 'gelöscht',
    revoked: 'widerrufen',
  },
  resources: {
    monitor: 'Monitor',
    contact: 'Kontakt',
    maintenance: 'Geplante Wartung',
    public_page: 'Öffentliche Seite',
    status_report: 'Statusmeldung',
    key: 'Schlüssel',
    account: 'Konto',
  },
}
