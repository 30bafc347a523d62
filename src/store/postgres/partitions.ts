/**
 * The results of one UTC day are one partition: created before it is needed, dropped as a whole when it is too old,
 * whatever its size.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import type { EpochMs } from '../../model.ts'
import type { Row } from '../rows.ts'
import type { Database, Session } from './database.ts'
import { codeOf } from './explain.ts'
import { DAY_MS, dayOf } from '../../model/time.ts'

const AHEAD_DAYS = 2

export interface Partitions {
  /** Creates the missing partitions of the days of these times. */
  ensure(times: Iterable<EpochMs>): Promise<void>
  /** Creates those of today and the next days. */
  ensureAhead(now: EpochMs): Promise<void>
  /** Clears the list of known partitions: another engine may have dropped some. */
  forget(): void
}

export function createPartitions(db: Database): Partitions {
  const known = new Set<number>()
  const ensure = async (times: Iterable<EpochMs>): Promise<void> => {
    const missing = new Set<number>()
    for (const at of times) {
      const start = startOf(at)
      if (!known.has(start)) missing.add(start)
    }
    for (const start of missing) {
      await db.transaction((session) => make(session, db.schema, start), { repeatable: true })
      known.add(start)
    }
  }
  return {
    ensure,
    ensureAhead: (now) =>
      ensure(Array.from({ length: AHEAD_DAYS + 1 }, (_, day) => now + day * DAY_MS)),
    forget: () => known.clear(),
  }
}

/**
 * A user that may only write works until the days that are there have passed.
 *
 * @throws StorageError unless the user may make the partitions of later days
 */
export async function requirePartitionRights(db: Database): Promise<void> {
  const [row] = await db.rows(
    `SELECT (pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE'))::int AS may
     FROM pg_catalog.pg_class WHERE oid = 'watchpost.results'::regclass`,
  )
  if (row?.['may'] === 1) return
  throw new StorageError(
    'The user of the store has to own its tables and needs CREATE on their schema: each day of results is a table of its own',
  )
}

/** No partition for an inserted row: another engine dropped the day meanwhile. */
export function isMissingPartition(error: unknown): boolean {
  return codeOf(error) === '23514' && error instanceof Error && /no partition/.test(error.message)
}

function startOf(at: EpochMs): EpochMs {
  return Math.floor(at / DAY_MS) * DAY_MS
}

function nameOf(start: EpochMs): string {
  const day = dayOf(start)
  return `results_${day.replaceAll(/[^0-9]/g, '')}${day.startsWith('-') ? '_bc' : ''}`
}

/** Created beside the table and then attached: concurrent writes and reads of results do not wait. */
async function make(session: Session, schema: string, start: EpochMs): Promise<void> {
  const name = nameOf(start)
  await lockPartitions(session)
  const found = await session.rows(
    'SELECT 1 AS found FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = ?',
    [schema, name],
  )
  if (found.length > 0) return
  await session.script(
    `CREATE TABLE watchpost.${name} (LIKE watchpost.results INCLUDING DEFAULTS);
     ALTER TABLE watchpost.results ATTACH PARTITION watchpost.${name}
     FOR VALUES FROM (${start}) TO (${start + DAY_MS})`,
  )
}

/** Limit for the lock of a drop: statements that come later wait behind it. */
const DROP_WAIT_MS = 50
const DROP_TRIES = 3

/**
 * Drops whole days that are older than `before`, oldest first, until `limit` rows are removed; the last day may have
 * more. Returns the number of removed rows, counted up to one above the limit.
 */
export async function dropOld(
  db: Database,
  { before, limit }: { readonly before: EpochMs; readonly limit: number },
): Promise<number> {
  let gone = 0
  for (const name of await namesBefore(db, before)) {
    const rows = await countRows(db, name, limit + 1)
    if (gone > 0 && gone + rows > limit) break
    if (!(await drop(db, name))) break
    gone += rows
    if (gone >= limit) break
  }
  return gone
}

async function namesBefore(db: Database, before: EpochMs): Promise<string[]> {
  const rows = await db.rows(
    `SELECT part.relname AS name, pg_get_expr(part.relpartbound, part.oid) AS bound
     FROM pg_catalog.pg_inherits AS link
     JOIN pg_catalog.pg_class AS part ON part.oid = link.inhrelid
     WHERE link.inhparent = 'watchpost.results'::regclass`,
  )
  return rows
    .map(({ name, bound }) => ({ name: String(name), end: endOf(String(bound)) }))
    .filter(({ end }) => end <= before)
    .toSorted((a, b) => a.end - b.end)
    .map(({ name }) => name)
}

/**
 * Parses `FOR VALUES FROM ('1772323200000') TO ('1772409600000')`. Partitions that were attached by hand in another
 * form are ignored.
 */
function endOf(bound: string): EpochMs {
  return Number(/ TO \('(-?\d+)'\)$/.exec(bound)?.[1] ?? Infinity)
}

async function countRows(db: Database, name: string, most: number): Promise<number> {
  const sql = `SELECT count(*) AS found FROM (SELECT 1 FROM watchpost."${name}" LIMIT ?) AS rows`
  try {
    const [row] = await db.search(sql, [most])
    return Number(row?.['found'])
  } catch (error) {
    // Another engine has dropped it.
    if (codeOf(error) === '42P01') return 0
    throw error
  }
}

async function drop(db: Database, name: string): Promise<boolean> {
  const work = async (session: Session): Promise<void> => {
    await session.script(`SET LOCAL lock_timeout = ${DROP_WAIT_MS}`)
    await lockPartitions(session)
    await session.script(`DROP TABLE IF EXISTS watchpost."${name}"`)
  }
  for (let tries = 0; tries < DROP_TRIES; tries++) {
    try {
      await db.transaction(work, { repeatable: true })
      return true
    } catch (error) {
      if (codeOf(error) !== '55P03') throw error
      await systemClock.sleep(DROP_WAIT_MS)
    }
  }
  return false
}

/** Serializes the changes of partitions among all engines. */
function lockPartitions(session: Session): Promise<readonly Row[]> {
  return session.rows("SELECT pg_advisory_xact_lock(hashtextextended('watchpost.partitions', 0))")
}
