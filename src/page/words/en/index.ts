/**
 * English: all words of the page. Other languages have the same rooms; what they leave out stays English.
 *
 * @module
 */

import { COMMON, ERRORS, FRAME, SIGN_IN } from './common.ts'
import { CONTACTS } from './contacts.ts'
import { INCIDENTS, MONITOR } from './monitor.ts'
import { OVERVIEW } from './overview.ts'
import { DAYS, PLANNED, PUBLIC } from './public.ts'

export const ENGLISH_WORDS = {
  common: COMMON,
  frame: FRAME,
  errors: ERRORS,
  signIn: SIGN_IN,
  days: DAYS,
  planned: PLANNED,
  public: PUBLIC,
  overview: OVERVIEW,
  monitor: MONITOR,
  incidents: INCIDENTS,
  contacts: CONTACTS,
}

export type Words = typeof ENGLISH_WORDS
