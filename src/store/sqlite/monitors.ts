import type { MonitorRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { fold } from '../../model/fold.ts'
import { accountAsked, metadataEntries } from '../rules.ts'
import { SHARDS } from '../store.ts'
import type { MonitorQuery, OnUnreadable, FullStore } from '../store.ts'
import { ofNoneRemoved, requireAccount } from './account-removal.ts'
import { requireRoomForMonitor } from './account-use.ts'
import { addAudit } from './audit.ts'
import type { Connection } from './connection.ts'
import { locationStates } from './location-states.ts'
import { insertMonitorState } from './monitor-state.ts'
import { MONITOR_COLUMNS, readable, toMonitor } from '../rows.ts'
import { anyOf, containing, insertInto, settingsColumns, where } from '../sql.ts'
import type { Condition } from '../sql.ts'

const SELECT = `SELECT ${MONITOR_COLUMNS} FROM monitors JOIN monitor_states ON monitor_id = id`

export function monitors(db: Connection): Sync<FullStore['monitors']> {
  const first = (condition: string, value: number | string): MonitorRecord | undefined => {
    const row = db.get(`${SELECT} WHERE ${condition}${ofNoneRemoved(db)}`, [value])
    return row && toMonitor(row)
  }
  return {
    create(monitor, within, audit) {
      const columns = {
        account_id: monitor.account_id,
        type: monitor.type,
        ...settingsColumns(monitor, JSON.stringify),
        token_hash: monitor.token_hash,
        token: monitor.token,
        created_at: monitor.created_at,
        updated_at: monitor.updated_at,
      }
      const sql = insertInto('monitors', Object.keys(columns))
      return db.transaction(() => {
        requireAccount(db, monitor)
        requireRoomForMonitor(db, monitor, within)
        const id = db.insert(sql, Object.values(columns))
        insertMonitorState(db, id, monitor.machine)
        addAudit(db, audit, { id, account_id: monitor.account_id })
        return first('id = ?', id) as MonitorRecord
      })
    },
    get: (id) => first('id = ?', id),
    byTokenHash: (hash) => first('token_hash = ?', hash),
    list: (query, onUnreadable) => list(db, query, onUnreadable),
    locations: (ids, onUnreadable) => locationStates(db, ids, onUnreadable),
  }
}

/** Returns as many rows as requested, also if rows in between cannot be parsed. */
function list(
  db: Connection,
  query: MonitorQuery,
  onUnreadable: OnUnreadable | undefined,
): MonitorRecord[] {
  const found: MonitorRecord[] = []
  for (let rest = query; ;) {
    const { text, params } = where(conditions(rest))
    const sql = `${SELECT}${text || ' WHERE 1 = 1'}${ofNoneRemoved(db)} ORDER BY id LIMIT ?`
    const rows = db.all(sql, [...params, rest.limit])
    found.push(...readable(rows, toMonitor, onUnreadable))
    if (rows.length < rest.limit || found.length >= query.limit) return found
    const after_id = Number(rows.at(-1)?.['id'])
    rest = { ...query, after_id, limit: query.limit - found.length }
  }
}

function conditions(query: MonitorQuery): Condition[] {
  return [
    ['account_id = ?', accountAsked(query)],
    ['id > ?', query.after_id],
    anyOf('state', query.states),
    anyOf('type', query.types),
    anyOf(`id % ${SHARDS}`, query.shards),
    ...(query.tags ?? []).map(taggedWithAny),
    ...metadataEntries(query.metadata ?? {}).map((entry): Condition => [
      'instr(metadata, ?) > 0',
      JSON.stringify(entry),
    ]),
    ["search LIKE ? ESCAPE '\\'", query.q === undefined ? undefined : containing(fold(query.q))],
  ]
}

/** A tag with its quotes, and likewise an entry of the metadata, matches only whole ones in the JSON list: quotes inside are escaped there. */
function taggedWithAny(tags: readonly string[]): Condition {
  if (tags.length === 0) return ['1 = 0', []]
  const text = tags.map(() => "tags LIKE ? ESCAPE '\\'").join(' OR ')
  return [`(${text})`, tags.map((tag) => containing(JSON.stringify(fold(tag))))]
}
