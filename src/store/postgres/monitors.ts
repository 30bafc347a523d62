import type { MonitorRecord } from '../../model.ts'
import { fold } from '../../model/fold.ts'
import { accountAsked, metadataEntries } from '../rules.ts'
import { readable, readablePage } from '../readable.ts'
import { MONITOR_COLUMNS, toLocationState, toMonitor } from '../rows.ts'
import { anyOf, insertInto, settingsColumns, where } from '../sql.ts'
import type { Condition } from '../sql.ts'
import { SHARDS } from '../store.ts'
import type { MonitorQuery, FullStore } from '../store.ts'
import { ofNoneRemoved } from './account-removal.ts'
import { requireRoomForMonitor } from './account-use.ts'
import { insertedId } from './accounts.ts'
import { addAudit } from './audit.ts'
import { numbers, texts } from './bulk.ts'
import { announce } from './changes.ts'
import type { Database, Session } from './database.ts'

const SELECT = `SELECT ${MONITOR_COLUMNS} FROM watchpost.monitors`

export function monitors(db: Database): FullStore['monitors'] {
  return {
    create(monitor, within, audit) {
      const columns = {
        account_id: monitor.account_id,
        type: monitor.type,
        version: 1,
        revision: 1,
        state: monitor.machine.state,
        machine: JSON.stringify(monitor.machine),
        ...settingsColumns(monitor, texts),
        token_hash: monitor.token_hash,
        token: monitor.token,
        created_at: monitor.created_at,
        updated_at: monitor.updated_at,
      }
      const sql = insertInto('watchpost.monitors', Object.keys(columns))
      return db.transaction(async (session) => {
        await requireRoomForMonitor(session, monitor, within)
        const id = await insertedId(session, sql, Object.values(columns))
        await addAudit(session, audit, { id, account_id: monitor.account_id })
        await announce(session, db.schema, [id])
        return (await first(session, 'id = ?', id)) as MonitorRecord
      })
    },
    get: (id) => first(db, 'id = ?', id),
    byTokenHash: (hash) => first(db, 'token_hash = ?', hash),
    list(query, onUnreadable) {
      const { limit, after_id: after } = query
      const rows = (after_id: number | undefined, limit: number) => {
        const asked = after_id === undefined ? query : { ...query, after_id }
        const { text, params } = where(conditions(asked))
        const there = `${text === '' ? ' WHERE ' : `${text} AND `}${ofNoneRemoved()}`
        return db.search(`${SELECT}${there} ORDER BY id LIMIT ?`, [...params, limit])
      }
      return readablePage({ order: 'asc', limit, after, rows, read: toMonitor, onUnreadable })
    },
    async locations(ids, onUnreadable) {
      const sql = `SELECT * FROM watchpost.location_states WHERE monitor_id = ANY (?::bigint[])
        ORDER BY monitor_id, location_id`
      return readable(await db.rows(sql, [numbers(ids)]), toLocationState, onUnreadable)
    },
  }
}

async function first(
  session: Session,
  condition: string,
  value: number | string,
): Promise<MonitorRecord | undefined> {
  const [row] = await session.rows(`${SELECT} WHERE ${condition} AND ${ofNoneRemoved()}`, [value])
  return row && toMonitor(row)
}

function conditions(query: MonitorQuery): Condition[] {
  return [
    ['account_id = ?', accountAsked(query)],
    ['id > ?', query.after_id],
    anyOf('state', query.states),
    anyOf('type', query.types),
    [
      `id % ${SHARDS} = ANY (?::bigint[])`,
      query.shards === undefined ? undefined : numbers(query.shards),
    ],
    ...(query.tags ?? []).map((tags): Condition => ['tags && ?::text[]', texts(tags.map(fold))]),
    [
      'metadata @> ?::text[]',
      query.metadata === undefined ? undefined : texts(metadataEntries(query.metadata)),
    ],
    ['strpos(search, ?) > 0', query.q === undefined ? undefined : fold(query.q)],
  ]
}
