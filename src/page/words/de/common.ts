/**
 * German: states, units, the frame of every page, errors.
 *
 * @module
 */

import type { COMMON, ERRORS, FRAME, SIGN_IN } from '../en/common.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

export const COMMON_DE: typeof COMMON = {
  states: {
    up: {
      label: 'Erreichbar',
      meaning: 'Die letzte Prüfung war erfolgreich',
      short: 'erreichbar',
    },
    down: { label: 'Ausgefallen', meaning: 'Eine Störung ist offen', short: 'ausgefallen' },
    confirming: {
      label: 'In Klärung',
      meaning: 'Eine Prüfung ist fehlgeschlagen; die nächsten entscheiden, ob es ein Ausfall ist',
      short: 'in Klärung',
    },
    recovering: {
      label: 'Erholt sich',
      meaning: 'Eine Prüfung war erfolgreich; die nächsten entscheiden, ob der Ausfall vorbei ist',
      short: 'in Erholung',
    },
    late: {
      label: 'Verspätet',
      meaning: 'Ein Signal ist überfällig, aber noch innerhalb der Nachfrist',
      short: 'verspätet',
    },
    pending: { label: 'Ausstehend', meaning: 'Noch ist nichts bekannt', short: 'ausstehend' },
    maintenance: { label: 'Wartung', meaning: 'Geplante Arbeiten', short: 'in Wartung' },
    paused: { label: 'Pausiert', meaning: 'Die Prüfungen sind angehalten', short: 'pausiert' },
    stale: {
      label: 'Unbekannt',
      meaning: 'Seit einer Weile wurde keine Prüfung abgeschlossen',
      short: 'unbekannt',
    },
  },
  verdicts: { ok: 'OK', fail: 'Fehlgeschlagen', unknown: 'Unbekannt' },
  phases: {
    resolve: 'DNS',
    connect: 'Verbindung',
    tls: 'TLS',
    starttls: 'STARTTLS',
    greeting: 'Begrüßung',
    send: 'Senden',
    auth: 'Anmeldung',
    query: 'Abfrage',
    first_byte: 'Erstes Byte',
    transfer: 'Übertragung',
  },
  units: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'Tg.' },
  relative: {
    ago: { s: 'vor # s', min: 'vor # min', h: 'vor # h', d: 'vor # Tg.' },
    in: { s: 'in # s', min: 'in # min', h: 'in # h', d: 'in # Tg.' },
  },
  monitors: (count) => plural(count, { one: '1 Monitor', other: `${number(count)} Monitore` }),
  removedMonitor: 'Ein gelöschter Monitor',
  endsIn: (title, time) => `${title} ${time}`,
  hasEnded: 'abgelaufen',
  ended: (title) => `${title}: abgelaufen`,
  inDays: (days) => plural(days, { one: 'in 1 Tag', other: `in ${number(days)} Tagen` }),
  inTime: (time) => `in ${time}`,
  yes: 'ja',
  no: 'nein',
  none: 'keine',
  never: 'nie',
  andMore: (count) => ` und ${number(count)} weitere`,
  all: 'Alle',
  filter: 'Filtern',
  pages: 'Seiten',
  previous: 'Zurück',
  next: 'Weiter',
  newest: 'Neueste',
  older: 'Ältere',
  back: 'Zurück',
  action: 'Aktion',
  created: 'Angelegt',
  details: 'Details',
  page: (page, last, found) => `Seite ${page} von ${last}, ${found}`,
}

export const FRAME_DE: typeof FRAME = {
  monitors: 'Monitore',
  incidents: 'Störungen',
  contacts: 'Kontakte',
  maintenance: 'Wartung',
  keys: 'API-Schlüssel',
  audit: 'Protokoll',
  skip: 'Zum Inhalt springen',
  sections: 'Bereiche',
  signOut: 'Abmelden',
  signIn: 'Anmelden',
  lost: (when) => [
    'Keine Verbindung zum Dienst seit ',
    when,
    '. Die Seite zeigt den Stand von diesem Zeitpunkt.',
  ],
  signedOut: 'Die Sitzung ist beendet. Die Seite zeigt den letzten bekannten Stand.',
  listChanged: 'Die Liste hat sich geändert: neu laden',
  live: 'Live',
  reload: 'Neu laden',
  newlyDown: 'Neu ausgefallen: ',
  newlyMore: ' und # weitere',
  asOf: (time, zone) => ['Stand: ', time, ' ', zone, '.'],
  theme: 'Farbschema',
  auto: 'Automatisch',
  light: 'Hell',
  dark: 'Dunkel',
  language: 'Sprache',
  timesIn: 'Zeiten in # anzeigen',
}

export const ERRORS_DE: typeof ERRORS = {
  toStart: 'Zur Startseite',
  notFound: 'Nicht gefunden',
  noPage: 'Diese Seite gibt es nicht. Vielleicht wurde sie entfernt, oder die Adresse ist falsch.',
  noMonitor:
    'Diesen Monitor gibt es nicht. Vielleicht wurde er gelöscht, oder die Adresse ist falsch.',
  noFile: 'Diese Datei gibt es nicht. Vielleicht wurde sie entfernt, oder die Adresse ist falsch.',
  noMonth: 'Diesen Monat gibt es hier nicht. Der Verlauf reicht zwölf Monate zurück.',
  badRequest: 'Das hat nicht geklappt',
  wrongMethod: 'Hier nicht möglich',
  wrongMethodText: 'Diese Adresse nimmt solche Anfragen nicht an.',
  tooMany: 'Zu viele Anfragen',
  tooManyText: (sec) =>
    `Innerhalb einer Minute kamen zu viele Anfragen. In ${plural(sec, { one: '1 Sekunde', other: `${number(sec)} Sekunden` })} geht es weiter.`,
  forbidden: 'Nicht erlaubt',
  otherSite:
    'Dieses Formular wurde von einer fremden Seite gesendet. Bitte die Seite selbst öffnen und es erneut versuchen.',
  unreadableForm: 'Das Formular konnte nicht gelesen werden.',
  noNumber: (name) => `Der Parameter „${name}“ der Adresse ist keine Zahl.`,
  noneOf: (name, words) => `Für den Parameter „${name}“ der Adresse sind möglich: ${words}.`,
  notYours: 'Für diese Seite fehlt die Berechtigung.',
  signInFirst: 'Bitte zuerst anmelden und es dann erneut versuchen.',
  conflict: 'Zurzeit nicht möglich',
  internal: 'Etwas ist schiefgegangen',
  internalText: 'Der Fehler liegt bei uns. Die Ursache steht im Log des Dienstes.',
  unavailable: 'Nicht verfügbar',
  unavailableText:
    'Der Dienst startet oder beendet sich gerade, oder sein Speicher antwortet nicht. Bitte in Kürze neu laden.',
  busyText: 'Zurzeit gehen zu viele Anfragen ein. Bitte in einigen Sekunden neu laden.',
  noTheme: 'Dieses Farbschema gibt es nicht.',
  noLanguage: 'Diese Sprache gibt es hier nicht.',
  noAction: 'Diese Aktion gibt es nicht.',
  noListPage: 'So viele Seiten hat die Liste nicht.',
}

export const SIGN_IN_DE: typeof SIGN_IN = {
  title: 'Anmelden',
  key: 'API-Schlüssel',
  hint: (command) => [
    'Der Schlüssel wurde bei seiner Erstellung angezeigt, beim ersten Start oder durch ',
    command,
    '.',
  ],
  notReader: 'Mit diesem Schlüssel lässt sich die Seite nicht anzeigen: Ihm fehlt der Scope read.',
  notKnown: 'Dieser Schlüssel ist unbekannt oder wurde widerrufen.',
  tooMany: (sec) =>
    `Dieser Schlüssel ist unbekannt oder wurde widerrufen. Zu viele Fehlversuche: weiter in ${number(sec)} Sekunden.`,
}
