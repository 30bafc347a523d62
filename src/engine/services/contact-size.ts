/**
 * The size limit of the contacts of an account: lists, incidents and new monitors read all of them in one turn.
 *
 * @module
 */

import { ConflictError } from '../../errors.ts'
import type { JsonObject } from '../../model.ts'
import type { Core } from '../core/core.ts'
import { readableContacts } from '../core/stored-contacts.ts'

/** Settings of this length are bounded by the number of contacts alone (quota `contacts`). */
const SHORT_CHARS = 4096
/** Of all longer settings together: those of templates. Requests at the same moment may each take the last of it. */
const MAX_LONG_CHARS = 4 * 1024 * 1024

interface Wanted {
  readonly account_id: number
  /** As they are stored. */
  readonly settings: JsonObject
  /** The contact that gets them; none for a new one. */
  readonly id?: number
}

/** @throws ConflictError `quota` */
export async function requireContactSize(core: Core, wanted: Wanted): Promise<void> {
  let chars = longChars(wanted.settings)
  if (chars === 0) return
  for (const { id, settings } of await readableContacts(core, wanted.account_id))
    if (id !== wanted.id) chars += longChars(settings)
  if (chars <= MAX_LONG_CHARS) return
  throw new ConflictError(
    'quota',
    `Contacts with more than ${SHORT_CHARS} characters of settings may have ${MAX_LONG_CHARS} in all; shorten templates`,
  )
}

function longChars(settings: JsonObject): number {
  const { length } = JSON.stringify(settings)
  return length > SHORT_CHARS ? length : 0
}
