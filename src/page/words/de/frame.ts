/**
 * German: the frame of every page.
 *
 * @module
 */

import type { FRAME } from '../en/frame.ts'

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
