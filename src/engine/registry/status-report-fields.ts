/**
 * The settings of a status report, and of one update of it.
 *
 * @module
 */

import type { FieldTable } from '../../fields/field.ts'
import { idField } from '../../fields/references.ts'
import { field } from '../../fields/vocabulary.ts'
import { REPORT_STATUSES } from '../../model/public-page.ts'

const MAX_PAGES = 50
const MAX_MONITORS = 100
const MAX_TEXT = 5000

function ids(description: string, bounds: { readonly min?: number; readonly max: number }) {
  return field.list(idField(), { description, ...bounds })
}

/** What an update of a report changes. */
export const STATUS_REPORT_FIELDS = {
  title: field.text({ description: 'What is disrupted', max: 200, trim: true }).required(),
  page_ids: ids('Public pages that show it', { min: 1, max: MAX_PAGES }).required(),
  monitor_ids: ids('Monitors that are affected, as far as they are on the page', {
    max: MAX_MONITORS,
  }).default([]),
} satisfies FieldTable

/** Of an export: the pages of a report may be gone since. */
export const EXPORTED_REPORT_FIELDS = {
  ...STATUS_REPORT_FIELDS,
  page_ids: ids('Public pages that show it', { max: MAX_PAGES }).required(),
} satisfies FieldTable

const status = field.oneOf(REPORT_STATUSES, { description: 'How far the work on it is' })
const text = field
  .text({
    description: 'Plain text; line breaks are kept',
    max: MAX_TEXT,
    multiline: true,
    trim: true,
  })
  .required()

export const REPORT_UPDATE_FIELDS = { status: status.required(), text } satisfies FieldTable

/** A report begins with its first update. */
export const NEW_REPORT_FIELDS = {
  ...STATUS_REPORT_FIELDS,
  status: status.default('investigating'),
  text,
} satisfies FieldTable
