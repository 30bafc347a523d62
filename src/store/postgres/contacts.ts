import type { ContactRecord, EpochMs } from '../../model.ts'
import { CONTACT_REMOVED, endOfWait, QUIET_HOURS } from '../rules.ts'
import { readable } from '../readable.ts'
import { toContact } from '../rows.ts'
import {
  CHANGEABLE_CONTACT_COLUMNS,
  CONTACT_COLUMNS,
  assignments,
  insertInto,
  where,
} from '../sql.ts'
import type { FullStore } from '../store.ts'
import { requireRoomForContact } from './account-use.ts'
import { insertedId } from './accounts.ts'
import { addAudit } from './audit.ts'
import type { Database, Session } from './database.ts'

export function contacts(db: Database, now: () => EpochMs): FullStore['contacts'] {
  return {
    create(contact, within, audit) {
      const columns = written({ ...contact, version: 1 })
      const values = CONTACT_COLUMNS.map((column) => columns[column])
      return db.transaction(async (session) => {
        await requireRoomForContact(session, contact.account_id, within)
        const id = await insertedId(
          session,
          insertInto('watchpost.contacts', CONTACT_COLUMNS),
          values,
        )
        await addAudit(session, audit, { id, account_id: contact.account_id })
        return (await read(session, id)) as ContactRecord
      })
    },
    get: (id) => read(db, id),
    async list(account_id, onUnreadable) {
      const sql = 'SELECT * FROM watchpost.contacts WHERE account_id = ? ORDER BY id'
      return readable(await db.rows(sql, [account_id]), toContact, onUnreadable)
    },
    async update(id, version, change, audit) {
      const columns = written({ ...change, version: version + 1 })
      const { text, params } = assignments(CHANGEABLE_CONTACT_COLUMNS, columns)
      const sql = `UPDATE watchpost.contacts SET ${text} WHERE id = ? AND version = ? RETURNING *`
      const due_at = endOfWait(change)
      const updating = db.transaction(async (session) => {
        // Before the contact, as a removal does, so that there is no deadlock.
        if (due_at !== undefined) await session.run(END_WAIT, [id, QUIET_HOURS, due_at])
        const [row] = await session.rows(sql, [...params, id, version])
        if (row === undefined) throw new NotThisVersion()
        const changed = toContact(row)
        await addAudit(session, audit, changed)
        return changed
      })
      return updating.catch(unlessNotThisVersion(undefined))
    },
    remove(id, version, audit) {
      const { text, params } = where([
        ['id = ?', id],
        ['version = ?', version],
      ])
      const removal = `DELETE FROM watchpost.contacts${text} RETURNING account_id`
      const removing = db.transaction(async (session) => {
        await session.run(CANCEL, [id, CONTACT_REMOVED, now()])
        const [gone] = await session.rows(removal, params)
        if (gone === undefined && version !== undefined) throw new NotThisVersion()
        if (gone === undefined) return false
        await addAudit(session, audit, { id, account_id: Number(gone['account_id']) })
        return true
      })
      return removing.catch(unlessNotThisVersion(false))
    },
  }
}

// Rows are locked in the order of ids, as in every statement that waits for row locks, so that there is no deadlock.
const CANCEL = `WITH queued AS (
    SELECT id FROM watchpost.notifications WHERE contact_id = $1 AND status = 'queued'
    ORDER BY id FOR UPDATE)
  UPDATE watchpost.notifications AS n SET status = 'cancelled', error = $2, finished_at = $3
  FROM queued WHERE n.id = queued.id`
const END_WAIT = `WITH waiting AS (
    SELECT id FROM watchpost.notifications
    WHERE contact_id = $1 AND status = 'queued' AND error = $2 AND due_at > $3
    ORDER BY id FOR UPDATE)
  UPDATE watchpost.notifications AS n SET due_at = $3 FROM waiting WHERE n.id = waiting.id`

/** Takes back what the transaction has done to the notifications. */
class NotThisVersion extends Error {}

function unlessNotThisVersion<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NotThisVersion) return otherwise
    throw error
  }
}

async function read(session: Session, id: number): Promise<ContactRecord | undefined> {
  const [row] = await session.rows('SELECT * FROM watchpost.contacts WHERE id = ?', [id])
  return row && toContact(row)
}

/** The record's fields as column values. */
function written<C extends Partial<ContactRecord>>(contact: C) {
  const { settings, all_monitors, quiet, events } = contact
  return {
    ...contact,
    all_monitors: all_monitors === undefined ? undefined : Number(all_monitors),
    events: events && JSON.stringify(events),
    settings: settings && JSON.stringify(settings),
    quiet: quiet && JSON.stringify(quiet),
  }
}
