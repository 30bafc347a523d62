/**
 * English: errors.
 *
 * @module
 */

import { formsOf } from '../forms.ts'

const { plural, number } = formsOf('en-GB')

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
