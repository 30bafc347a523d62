/**
 * Lists with a filter, read in steps: a search for one row among a million must not block the event loop.
 *
 * @module
 */

import { systemClock, yieldingQueueOf } from '../../clock.ts'
import type { Row } from '../rows.ts'
import { where } from '../sql.ts'
import type { Condition } from '../sql.ts'
import type { Connection } from './connection.ts'

/** Rows that are read before other work may run. A row of results takes about two microseconds. */
const STEP = 4096

export interface Scanned {
  readonly table: 'results' | 'incidents' | 'audit_log'
  readonly columns: string
  /** Whose rows; an index has them in the order of their ids. */
  readonly of: readonly Condition[]
  /** What else must hold of them. */
  readonly filters: readonly Condition[]
  /** The id behind which the list begins. */
  readonly after: number | undefined
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

/** Reads the first rows by id that fit, in steps of rows that may not. */
export type Scan = (query: Scanned) => Promise<readonly Row[]>

/** For one kind of list. Many at once share their steps, which would all run in each turn of the event loop. */
export function createScan(db: Connection): Scan {
  const ownTurn = yieldingQueueOf(systemClock)
  return (query) => scan({ db, ownTurn }, query)
}

interface Scanning {
  readonly db: Connection
  readonly ownTurn: () => Promise<void>
}

async function scan({ db, ownTurn }: Scanning, query: Scanned): Promise<readonly Row[]> {
  const { filters, limit } = query
  if (filters.every(([, value]) => value === undefined)) return read(db, query, undefined)
  const found: Row[] = []
  for (let step = query; ;) {
    await ownTurn()
    const last = lastOf(db, step)
    found.push(...read(db, { ...step, limit: limit - found.length }, last))
    if (last === undefined || found.length >= limit) return found
    step = { ...step, after: last }
  }
}

function read(
  db: Connection,
  { table, columns, of, filters, after, order, limit }: Scanned,
  last: number | undefined,
): readonly Row[] {
  const [ahead, upTo] = order === 'asc' ? ['id > ?', 'id <= ?'] : ['id < ?', 'id >= ?']
  const { text, params } = where([...of, ...filters, [ahead, after], [upTo, last]])
  const sql = `SELECT ${columns} FROM ${table}${text} ORDER BY id ${order} LIMIT ?`
  return db.all(sql, [...params, limit])
}

/** The id with which the step ends; `undefined` for the last one. */
function lastOf(db: Connection, { table, of, after, order }: Scanned): number | undefined {
  const { text, params } = where([...of, [order === 'asc' ? 'id > ?' : 'id < ?', after]])
  const sql = `SELECT id FROM ${table}${text} ORDER BY id ${order} LIMIT 1 OFFSET ${STEP - 1}`
  const row = db.get(sql, params)
  return row === undefined ? undefined : Number(row['id'])
}
