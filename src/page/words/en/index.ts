/**
 * English: all words of the page. Other languages have the same groups of words; a word that they leave out is English.
 *
 * @module
 */

import { CHART } from './chart.ts'
import { CONTACTS } from './contacts.ts'
import { ERRORS } from './errors.ts'
import { FORMS } from './forms.ts'
import { FRAME } from './frame.ts'
import { LABELS } from './labels.ts'
import { AUDIT, KEYS, MAINTENANCE } from './manage.ts'
import { INCIDENTS, MONITOR } from './monitor.ts'
import { OVERVIEW } from './overview.ts'
import { DAYS, PLANNED, PUBLIC } from './public.ts'
import { SIGN_IN } from './sign-in.ts'
import { STATES } from './states.ts'
import { TIMES } from './times.ts'

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
