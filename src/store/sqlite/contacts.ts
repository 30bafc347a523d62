import { systemClock, yielderOf } from '../../clock.ts'
import type { ContactRecord, EpochMs } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { CONTACT_REMOVED, endOfWait, QUIET_HOURS } from '../rules.ts'
import type { FullStore } from '../store.ts'
import { requireAccount } from './account-removal.ts'
import { requireRoomForContact } from './account-use.ts'
import { addAudit } from './audit.ts'
import type { Connection } from './connection.ts'
import { readable } from '../readable.ts'
import { toContact } from '../rows.ts'
import { CHANGEABLE_CONTACT_COLUMNS, CONTACT_COLUMNS, assignments, insertInto } from '../sql.ts'

export function contacts(
  db: Connection,
  now: () => EpochMs,
): Sync<FullStore['contacts'], 'remove'> {
  const get = (id: number): ContactRecord | undefined => {
    const row = db.get('SELECT * FROM contacts WHERE id = ?', [id])
    return row && toContact(row)
  }
  return {
    create(contact, within, audit) {
      const columns = written({ ...contact, version: 1 })
      const values = CONTACT_COLUMNS.map((column) => columns[column])
      return db.transaction(() => {
        requireAccount(db, contact)
        requireRoomForContact(db, contact.account_id, within)
        const made = get(
          db.insert(insertInto('contacts', CONTACT_COLUMNS), values),
        ) as ContactRecord
        addAudit(db, audit, made)
        return made
      })
    },
    get,
    list(account_id, onUnreadable) {
      const sql = 'SELECT * FROM contacts WHERE account_id = ? ORDER BY id'
      return readable(db.all(sql, [account_id]), toContact, onUnreadable)
    },
    update(id, version, change, audit) {
      const columns = written({ ...change, version: version + 1 })
      const { text, params } = assignments(CHANGEABLE_CONTACT_COLUMNS, columns)
      const sql = `UPDATE contacts SET ${text} WHERE id = ? AND version = ?`
      return db.transaction(() => {
        if (db.run(sql, [...params, id, version]) === 0) return undefined
        const due_at = endOfWait(change)
        if (due_at !== undefined) db.run(END_WAIT, [due_at, id, QUIET_HOURS, due_at])
        const changed = get(id)
        if (changed !== undefined) addAudit(db, audit, changed)
        return changed
      })
    },
    async remove(id, version, audit) {
      const yieldIfLong = yielderOf(systemClock)
      const at = now()
      const cancelSome = (): boolean => db.run(CANCEL, [CONTACT_REMOVED, at, id]) === AT_ONCE
      const step = db.transaction(() => {
        const owner = db.get('SELECT account_id, version FROM contacts WHERE id = ?', [id])
        if (version !== undefined && owner?.['version'] !== version)
          return { removed: false, more: false }
        if (owner !== undefined)
          addAudit(db, audit, { id, account_id: Number(owner['account_id']) })
        const more = cancelSome()
        return { removed: db.run('DELETE FROM contacts WHERE id = ?', [id]) > 0, more }
      })
      for (let { more } = step; more;) {
        await yieldIfLong()
        more = db.transaction(cancelSome)
      }
      return step.removed
    },
  }
}

/** Notifications that a removal cancels in one step. One takes about 15 microseconds. */
const AT_ONCE = 500
/** Those of a contact that is gone are cancelled when they are claimed as well, so that the steps may be interrupted. */
const CANCEL = `UPDATE notifications SET status = 'cancelled', error = ?, finished_at = ?
  WHERE id IN (SELECT id FROM notifications WHERE contact_id = ? AND status = 'queued' LIMIT ${AT_ONCE})`

const END_WAIT = `UPDATE notifications SET due_at = ?
  WHERE contact_id = ? AND status = 'queued' AND error = ? AND due_at > ?`

/** The record's fields as column values. */
function written<C extends Partial<ContactRecord>>(contact: C) {
  const { settings, quiet, events } = contact
  return {
    ...contact,
    ...(events === undefined ? {} : { events: JSON.stringify(events) }),
    ...(settings === undefined ? {} : { settings: JSON.stringify(settings) }),
    ...(quiet === undefined ? {} : { quiet: quiet && JSON.stringify(quiet) }),
  }
}
