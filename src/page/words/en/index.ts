/**
 * English: all words of the page. Other languages have the same groups of words; a word that they leave out is English.
 *
 * @module
 */

import { CONTACTS } from './contacts.ts'
import { FORMS } from './forms.ts'
import { ERRORS, FRAME, SIGN_IN } from './frame.ts'
import { AUDIT, KEYS, MAINTENANCE } from './manage.ts'
import { CHART, INCIDENTS, MONITOR } from './monitor.ts'
import { OVERVIEW } from './overview.ts'
import { DAYS, PLANNED, PUBLIC } from './public.ts'
import { LABELS, STATES, TIMES } from './states.ts'

export const ENGLISH_WORDS = {
  common: { ...STATES, ...TIMES, ...LABELS },
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
  chart: CHART,
  forms: FORMS,
  maintenance: MAINTENANCE,
  keys: KEYS,
  audit: AUDIT,
}

export type Words = typeof ENGLISH_WORDS
