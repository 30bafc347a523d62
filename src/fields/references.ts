/**
 * The fields by which settings name monitors, contacts and locations: ids and tags.
 *
 * @module
 */

import type { FieldBuilder } from './field.ts'
import { field } from './vocabulary.ts'

export const MAX_TAG_CHARS = 64

export function idField(): FieldBuilder<number> {
  return field.integer({ description: 'Id', min: 1, max: Number.MAX_SAFE_INTEGER })
}

export function tagField(): FieldBuilder<string> {
  return field.text({ description: 'Tag', max: MAX_TAG_CHARS, trim: true })
}
