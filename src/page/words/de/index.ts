/**
 * German: all words of the page. A word that is missing here does not compile.
 *
 * @module
 */

import type { Words } from '../en/index.ts'
import { CONTACTS_DE } from './contacts.ts'
import { FORMS_DE } from './forms.ts'
import { ERRORS_DE, FRAME_DE, SIGN_IN_DE } from './frame.ts'
import { AUDIT_DE, KEYS_DE, MAINTENANCE_DE } from './manage.ts'
import { CHART_DE, INCIDENTS_DE, MONITOR_DE } from './monitor.ts'
import { OVERVIEW_DE } from './overview.ts'
import { DAYS_DE, PLANNED_DE, PUBLIC_DE } from './public.ts'
import { LABELS_DE, STATES_DE, TIMES_DE } from './states.ts'

export const GERMAN_WORDS: Words = {
  common: { ...STATES_DE, ...TIMES_DE, ...LABELS_DE },
  frame: FRAME_DE,
  errors: ERRORS_DE,
  signIn: SIGN_IN_DE,
  days: DAYS_DE,
  planned: PLANNED_DE,
  public: PUBLIC_DE,
  overview: OVERVIEW_DE,
  monitor: MONITOR_DE,
  incidents: INCIDENTS_DE,
  contacts: CONTACTS_DE,
  chart: CHART_DE,
  forms: FORMS_DE,
  maintenance: MAINTENANCE_DE,
  keys: KEYS_DE,
  audit: AUDIT_DE,
}
