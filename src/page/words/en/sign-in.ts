/**
 * English: the page to sign in.
 *
 * @module
 */

import { formsOf } from '../forms.ts'
import type { Parts } from '../forms.ts'

const { number } = formsOf('en-GB')

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
