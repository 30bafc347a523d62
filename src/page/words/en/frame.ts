/**
 * English: the frame of every page, the page to sign in, errors.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

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

export const SIGN_IN = {
  title: 'Sign in',
  key: 'API key',
  hint: <T>(command: T): Parts<T> => [
    'The key was shown when it was made, at the first start or by ',
    command,
    '.',
  ],
  notReader: 'This key may not read everything that the page shows: it lacks the scope read.',
  notKnown: 'This key is not known, or was revoked.',
  tooMany: (sec: number): string =>
    `This key is not known, or was revoked. Too many attempts failed: wait ${number(sec)} seconds.`,
}

export const ERRORS = {
  toStart: 'To the start page',
  notFound: 'Not found',
  noPage: 'There is no such page. It may have been removed, or the address is mistyped.',
  noMonitor: 'There is no such monitor. It may have been removed, or the address is mistyped.',
  noFile: 'There is no such file. It may have been removed, or the address is mistyped.',
  noMonth: 'There is no such month here. The history goes back twelve months.',
  badRequest: 'That did not work',
  wrongMethod: 'Not possible here',
  wrongMethodText: 'This address does not take such a request.',
  tooMany: 'Too many requests',
  tooManyText: (sec: number): string =>
    `There were too many requests within a minute. Wait ${plural(sec, { one: '1 second', other: `${number(sec)} seconds` })}, then try again.`,
  forbidden: 'Not allowed',
  otherSite: 'This form was sent from another site. Open the page itself and try again.',
  unreadableForm: 'The form could not be read.',
  noNumber: (name: string): string => `The parameter "${name}" in the address is not a number.`,
  noneOf: (name: string, words: string): string =>
    `The parameter "${name}" in the address must be one of ${words}.`,
  notYours: 'You may not see this page.',
  signInFirst: 'Sign in first; then press the button again.',
  conflict: 'Not possible now',
  internal: 'Something went wrong',
  internalText: 'The mistake is on our side. The log of the service has the cause.',
  unavailable: 'Not available',
  unavailableText:
    'The service is starting or stopping, or its storage does not answer. Load the page again in a moment.',
  busyText: 'There are too many requests at the moment. Load the page again in a few seconds.',
  noTheme: 'There is no such theme.',
  noDensity: 'There is no such density.',
  noLanguage: 'There is no such language.',
  noAction: 'There is no such action.',
  noListPage: 'There is no such page of the list.',
}
