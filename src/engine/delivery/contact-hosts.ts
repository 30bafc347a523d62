/**
 * The host of each contact, for the limit of deliveries per host: a provider that hangs must not use the whole
 * capacity because fifty contacts use it. The limit applies per account, so that a slow address of one account does
 * not delay another. Also which contacts group their notifications, since both are known before a row is claimed.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { ContactRecord, JsonObject } from '../../model.ts'
import { readableAccounts } from '../core/stored-accounts.ts'
import { openContact, readableContacts } from '../core/stored-contacts.ts'
import type { Core } from '../core/core.ts'
import { hostOf } from '../../net/connection/endpoint.ts'

/** An attempt that began before its contact was removed has ended by then, and counts for its host until then. */
const FORGET_AFTER_MS = 60_000
/** Beyond it the contact with the oldest change or delivery is forgotten: it may be one that another process removed. */
const MOST_CONTACTS = 100_000

export interface ContactHosts {
  /** Account and host, by contact id. Contacts of kinds without a target are absent. */
  readonly byContact: ReadonlyMap<number, string>
  /** Contacts whose notifications go out in groups. */
  readonly grouped: ReadonlySet<number>
  /** Reads all contacts. */
  load(): Promise<void>
  /** Adds or updates a contact, with its decrypted settings if known. */
  update(contact: ContactRecord, settings?: JsonObject): void
  /** A contact was removed; it is forgotten a minute later, with the next removal. */
  remove(id: number): void
  /** The same for all contacts of an account. */
  removeAccount(account_id: number): void
}

/** `most`: how many contacts are known at most. */
export function createContactHosts(core: Core, most = MOST_CONTACTS): ContactHosts {
  const byContact = new Map<number, string>()
  const grouped = new Set<number>()
  /** The account of each contact that is known, the one with the oldest change or delivery first. */
  const known = new Map<number, number>()
  /** Those that were removed, by when, the oldest first. */
  const removed = new Map<number, number>()

  function forget(id: number): void {
    for (const each of [byContact, grouped, known, removed]) each.delete(id)
  }

  function remove(id: number): void {
    const now = core.clock.monotonic()
    for (const [gone, at] of removed) {
      if (now - at < FORGET_AFTER_MS) break
      forget(gone)
    }
    if (known.has(id) && !removed.has(id)) removed.set(id, now)
  }

  function update(
    contact: ContactRecord,
    settings: JsonObject | undefined = openOrUndefined(core, contact),
  ): void {
    const { id, kind, account_id } = contact
    known.delete(id)
    known.set(id, account_id)
    if (contact.group_window_sec > 0) grouped.add(id)
    else grouped.delete(id)
    const target = settings === undefined ? undefined : targetOf(core, kind, settings)
    if (target === undefined) byContact.delete(id)
    else byContact.set(id, `${account_id} ${hostOf(target)}`)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) forget(oldest)
  }

  return {
    byContact,
    grouped,
    update,
    remove,
    removeAccount(account_id) {
      for (const [id, owner] of known) if (owner === account_id) remove(id)
    },
    async load() {
      const yieldIfLong = yielderOf(core.clock)
      for (const { id } of await readableAccounts(core)) {
        await yieldIfLong()
        // One that cannot be read is logged when it is to be notified.
        for (const contact of await readableContacts(core, id)) {
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
