/**
 * The host of each contact, for the limit of deliveries per host: a provider that hangs must not use the whole
 * capacity because fifty contacts use it. The limit applies per account, so that a slow address of one account does
 * not delay another. Also which contacts group their notifications, since both are known before a row is claimed.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { ContactRecord, JsonObject } from '../../model.ts'
import { openContact } from '../core/stored-contacts.ts'
import type { Core } from '../core/core.ts'
import { hostOf } from '../../net/connection/endpoint.ts'

export interface ContactHosts {
  /** Account and host, by contact id. Contacts of kinds without a target are absent. */
  readonly byContact: ReadonlyMap<number, string>
  /** Contacts whose notifications go out in groups. */
  readonly grouped: ReadonlySet<number>
  /** Reads all contacts. */
  load(): Promise<void>
  /** Adds or updates a contact, with its decrypted settings if known. */
  update(contact: ContactRecord, settings?: JsonObject): void
}

export function createContactHosts(core: Core): ContactHosts {
  const byContact = new Map<number, string>()
  const grouped = new Set<number>()

  function update(
    contact: ContactRecord,
    settings: JsonObject | undefined = openOrUndefined(core, contact),
  ): void {
    const { id, kind, account_id } = contact
    if (contact.group_window_sec > 0) grouped.add(id)
    else grouped.delete(id)
    const target = settings === undefined ? undefined : targetOf(core, kind, settings)
    if (target === undefined) byContact.delete(id)
    else byContact.set(id, `${account_id} ${hostOf(target)}`)
  }

  return {
    byContact,
    grouped,
    update,
    async load() {
      const yieldIfLong = yielderOf(core.clock)
      for (const { id } of await core.store.accounts.list()) {
        await yieldIfLong()
        // One that cannot be read is logged when it is to be notified.
        for (const contact of await core.store.contacts.list(id)) {
          await yieldIfLong()
          update(contact)
        }
      }
    },
  }
}

/** Settings that cannot be decrypted fail the contact's own deliveries, which log it. */
function openOrUndefined(core: Core, contact: ContactRecord): JsonObject | undefined {
  const kind = core.contactKinds.get(contact.kind)
  try {
    return kind === undefined ? undefined : openContact(core, kind, contact)
  } catch {
    return undefined
  }
}

/** A kind without a target has no limit per host. */
function targetOf(core: Core, name: string, settings: JsonObject): string | undefined {
  try {
    return core.contactKinds.get(name)?.target?.(settings as never)
  } catch (err) {
    core.log.warn({ err, kind: name }, 'a contact kind did not say its target')
    return undefined
  }
}
