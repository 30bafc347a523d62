import { systemClock, yieldingQueueOf } from '../../clock.ts'
import type { MonitorRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { LAST_MS } from '../../model/time.ts'
import { fold } from '../../model/fold.ts'
import { hasTagOfEach, isSearch } from '../filters.ts'
import { accountAsked, metadataEntries } from '../rules.ts'
import { SHARDS } from '../store.ts'
import type { MonitorQuery, OnUnreadable, FullStore } from '../store.ts'
import { ofNoneRemoved, requireAccount } from './account-removal.ts'
import { requireRoomForMonitor } from './account-use.ts'
import { addAudit } from './audit.ts'
import type { Connection, Row } from './connection.ts'
import { locationStates } from './location-states.ts'
import { insertMonitorState } from './monitor-state.ts'
import { readable } from '../readable.ts'
import { MONITOR_COLUMNS, toMonitor } from '../rows.ts'
import { anyOf, idChunks, insertInto, marks, settingsColumns, where } from '../sql.ts'
import type { Condition } from '../sql.ts'

/** A monitor whose state is missing is damaged: it does not disappear. */
const SELECT = `SELECT ${MONITOR_COLUMNS} FROM monitors LEFT JOIN monitor_states ON monitor_id = id`

export function monitors(db: Connection): Sync<FullStore['monitors'], 'list'> {
  const step = yieldingQueueOf(systemClock)
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
    list: (query, onUnreadable) => list({ db, step }, query, onUnreadable),
    locations: (ids, onUnreadable) => locationStates(db, ids, onUnreadable),
  }
}

/** Monitors whose texts are searched before other work may run: one takes up to 0.2 ms. */
const SEARCHED_AT_ONCE = 128

interface Searching {
  readonly db: Connection
  /** To await before each step: the steps of many searches at once would all run in one turn. */
  readonly step: () => Promise<void>
}

/**
 * Returns as many rows as requested, also if rows in between cannot be parsed. A search that few or none match reads
 * every monitor, in steps.
 */
async function list(
  { db, step }: Searching,
  query: MonitorQuery,
  onUnreadable: OnUnreadable | undefined,
): Promise<MonitorRecord[]> {
  const found: MonitorRecord[] = []
  for (let rest = query; ;) {
    if (isSearch(query)) await step()
    const last = isSearch(query) ? lastOfStep(db, rest) : undefined
    const rows = rowsUpTo(db, rest, last)
    found.push(...readable(rows, toMonitor, onUnreadable))
    const isOver = rows.length < rest.limit
    if (found.length >= query.limit || (isOver && last === undefined)) return found
    const after_id = isOver && last !== undefined ? last : Number(rows.at(-1)?.['id'])
    // From here on ids cannot be told from each other, and no row can be read.
    if (after_id > LAST_MS) return found
    rest = { ...query, after_id, limit: query.limit - found.length }
  }
}

function rowsUpTo(db: Connection, query: MonitorQuery, last: number | undefined): readonly Row[] {
  const { text, params } = where([...conditions(query), ['id <= ?', last]])
  const condition = `${text || ' WHERE 1 = 1'}${ofNoneRemoved(db)} ORDER BY id`
  const fits = longSearch(query)
  if (fits === undefined) return db.all(`${SELECT}${condition} LIMIT ?`, [...params, query.limit])
  const texts = `SELECT id, search, tags FROM monitors JOIN monitor_states ON monitor_id = id${condition}`
  const found = db.all(texts, params).filter(fits).slice(0, query.limit)
  return idChunks(found.map(({ id }) => Number(id))).flatMap((chunk) =>
    db.all(`${SELECT} WHERE id IN (${marks(chunk.length)}) ORDER BY id`, chunk),
  )
}

/** The parts of a search that SQL would compare anew at every place of a text: a millisecond for one monitor. */
const LONG = { characters: 32, tags: 4 }

/** What remains to be searched outside of SQL; `undefined` for nothing. */
function longSearch(query: MonitorQuery): ((row: Row) => boolean) | undefined {
  const q = isLongText(query) ? fold(query.q ?? '') : undefined
  const wanted = hasManyTags(query) ? query.tags?.map((any) => new Set(any.map(fold))) : undefined
  if (q === undefined && wanted === undefined) return undefined
  return ({ search, tags }) =>
    (q === undefined || String(search).includes(q)) &&
    (wanted === undefined || hasTagOfEach(JSON.parse(String(tags)) as string[], wanted))
}

function isLongText({ q = '' }: MonitorQuery): boolean {
  return q.length > LONG.characters
}

function hasManyTags({ tags = [] }: MonitorQuery): boolean {
  return tags.flat().length > LONG.tags
}

/** The id with which the step ends; `undefined` for the last one. */
function lastOfStep(db: Connection, query: MonitorQuery): number | undefined {
  const { text, params } = where(ofAccountBehind(query))
  const sql = `SELECT id FROM monitors${text} ORDER BY id LIMIT 1 OFFSET ${SEARCHED_AT_ONCE - 1}`
  const row = db.get(sql, params)
  return row === undefined ? undefined : Number(row['id'])
}

function ofAccountBehind(query: MonitorQuery): Condition[] {
  return [
    ['account_id = ?', accountAsked(query)],
    ['id > ?', query.after_id],
  ]
}

function conditions(query: MonitorQuery): Condition[] {
  return [
    ...ofAccountBehind(query),
    anyOf('state', query.states),
    anyOf('type', query.types),
    anyOf(`id % ${SHARDS}`, query.shards),
    ...(hasManyTags(query) ? [] : (query.tags ?? []).map(taggedWithAny)),
    ...metadataEntries(query.metadata ?? {}).map((entry): Condition => [
      'instr(metadata, ?) > 0',
      JSON.stringify(entry),
    ]),
    [
      'instr(search, ?) > 0',
      query.q === undefined || isLongText(query) ? undefined : fold(query.q),
    ],
  ]
}

/** A tag with its quotes, and likewise an entry of the metadata, matches only whole ones in the JSON list: quotes inside are escaped there. */
function taggedWithAny(tags: readonly string[]): Condition {
  if (tags.length === 0) return ['1 = 0', []]
  const text = tags.map(() => 'instr(tags, ?) > 0').join(' OR ')
  return [`(${text})`, tags.map((tag) => JSON.stringify(fold(tag)))]
}
