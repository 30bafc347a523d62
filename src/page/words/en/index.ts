/**
 * English: all words of the page. Other languages have the same rooms; what they leave out stays English.
 *
 * @module
 */

import { CHART } from './chart.ts'
import { COMMON, ERRORS, FRAME, SIGN_IN } from './common.ts'
import { CONTACTS } from './contacts.ts'
import { FORMS } from './forms.ts'
import { AUDIT, KEYS, MAINTENANCE } from './manage.ts'
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
  chart: CHART,
  forms: FORMS,
  maintenance: MAINTENANCE,
  keys: KEYS,
  audit: AUDIT,
}

export type Words = typeof ENGLISH_WORDS
