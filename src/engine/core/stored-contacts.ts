/**
 * Contacts in the store: reading those of an account, and their settings with secrets encrypted for the store or
 * decrypted for a delivery.
 *
 * @module
 */

import { mapSecrets } from '../../fields/secrets.ts'
import type { ContactRecord, JsonObject } from '../../model.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import type { Core } from './core.ts'
import { setAside } from './damaged-rows.ts'

const place = (path: string): string => `contact.${path}`

export function sealContact(core: Core, kind: AnyContactKind, settings: JsonObject): JsonObject {
  return mapSecrets(kind.fields, settings, (secret, path) => core.seal.encrypt(secret, place(path)))
}

export function openContact(core: Core, kind: AnyContactKind, contact: ContactRecord): JsonObject {
  return mapSecrets(kind.fields, contact.settings, (secret, path) =>
    core.seal.decrypt(secret, place(path)),
  )
}

/** The contacts that can be read. */
export function readableContacts(
  core: Core,
  account_id: number,
): Promise<readonly ContactRecord[]> {
  return core.store.contacts.list(account_id, setAside(core, 'contact'))
}
