/**
 * English: the frame of every page.
 *
 * @module
 */

import type { Parts } from '../forms.ts'

export const FRAME = {
  monitors: 'Monitors',
  incidents: 'Incidents',
  contacts: 'Contacts',
  maintenance: 'Maintenance',
  keys: 'API keys',
  audit: 'Audit log',
  skip: 'Skip to the content',
  sections: 'Sections',
  signOut: 'Sign out',
  signIn: 'Sign in',
  lost: <T>(when: T): Parts<T> => [
    'No connection to the service since ',
    when,
    '. This page shows what was known then.',
  ],
  signedOut: 'You are signed out. This page shows what was known then.',
  listChanged: 'The list has changed: reload it',
  live: 'Live',
  reload: 'Reload',
  newlyDown: 'Newly down: ',
  /** With the number in place of `#`. */
  newlyMore: ' and # more',
  asOf: <T>(time: T, zone: T): Parts<T> => ['As of ', time, ' ', zone, '.'],
  theme: 'Theme',
  auto: 'Auto',
  light: 'Light',
  dark: 'Dark',
  density: 'Density',
  comfortable: 'Comfortable',
  compact: 'Compact',
  wall: 'Wall view',
  leaveWall: 'Leave the wall view',
  language: 'Language',
  /** With the name of the zone in place of `#`. */
  timesIn: 'Show times in #',
}
