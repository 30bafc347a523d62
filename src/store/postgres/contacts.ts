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
    async remove(id, version, audit) {
      const { text, params } = where([
        ['id = ?', id],
        ['version = ?', version],
      ])
      const removal = `DELETE FROM watchpost.contacts${text} RETURNING account_id`
      const at = now()
      const removing = db.transaction(async (session) => {
        const last = await cancelSome(session, { id, at, after: FIRST })
        const [gone] = await session.rows(removal, params)
        if (gone === undefined && version !== undefined) throw new NotThisVersion()
        if (gone === undefined) return { removed: false, last }
        await addAudit(session, audit, { id, account_id: Number(gone['account_id']) })
        return { removed: true, last }
      })
      const first = await removing.catch(unlessNotThisVersion({ removed: false, last: undefined }))
      for (let after = first.last; after !== undefined;) {
        const step = { id, at, after }
        after = await db.transaction((session) => cancelSome(session, step), { repeatable: true })
      }
      return first.removed
    },
  }
}

interface Place {
  readonly due_at: EpochMs
  readonly id: number
}

const FIRST: Place = { due_at: -1, id: 0 }

/** Notifications that a removal cancels in one step. */
const AT_ONCE = 1000

/**
 * Rows are locked in the order of ids, as in every statement that waits for row locks, so that there is no deadlock. Those
 * of a contact that is gone are cancelled when they are claimed as well, so that the steps may be interrupted.
 */
const CANCEL = `WITH read AS MATERIALIZED (
    SELECT id, due_at FROM watchpost.notifications
    WHERE contact_id = $1 AND status IN ('queued', 'sending') AND status = 'queued'
      AND (due_at, id) > ($4::bigint, $5::bigint)
    ORDER BY due_at, id LIMIT ${AT_ONCE}),
  queued AS MATERIALIZED (
    SELECT id FROM watchpost.notifications
    WHERE id = ANY (ARRAY (SELECT id FROM read)) AND status = 'queued'
    ORDER BY id FOR UPDATE),
  cancelled AS (
    UPDATE watchpost.notifications SET status = 'cancelled', error = $2, finished_at = $3
    WHERE id = ANY (ARRAY (SELECT id FROM queued)))
  SELECT id, due_at, (SELECT count(*) FROM read) AS read FROM read ORDER BY due_at DESC, id DESC LIMIT 1`

/** Cancels what is due next behind `after`; resolves with the last of it, if there may be more. */
async function cancelSome(
  session: Session,
  { id, at, after }: { readonly id: number; readonly at: EpochMs; readonly after: Place },
): Promise<Place | undefined> {
  const params = [id, CONTACT_REMOVED, at, after.due_at, after.id]
  // Without statistics of a new backlog the planner would read and sort all of it in each step.
  await session.script('SET LOCAL enable_bitmapscan = off')
  const [last] = await session.rows(CANCEL, params)
  if (last === undefined || Number(last['read']) < AT_ONCE) return undefined
  return { due_at: Number(last['due_at']), id: Number(last['id']) }
}

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
