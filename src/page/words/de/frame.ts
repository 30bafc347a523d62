/**
 * German: the frame of every page, the page to sign in, errors.
 *
 * @module
 */

import type { ERRORS, FRAME, SIGN_IN } from '../en/frame.ts'
import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('de')

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
  density: 'Dichte',
  comfortable: 'Geräumig',
  compact: 'Kompakt',
  wall: 'Wandansicht',
  leaveWall: 'Wandansicht verlassen',
  language: 'Sprache',
  timesIn: 'Zeiten in # anzeigen',
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
  noDensity: 'Diese Dichte gibt es nicht.',
  noLanguage: 'Diese Sprache gibt es hier nicht.',
  noAction: 'Diese Aktion gibt es nicht.',
  noListPage: 'So viele Seiten hat die Liste nicht.',
}
