/**
 * Creates and upgrades the tables by a list of steps that only grows. Each step is a transaction under one lock, so
 * that engines that start together migrate one after another and running engines continue. Released steps are never edited.
 *
 * @module
 */

import { StorageError } from '../../errors.ts'
import type { Database, Session } from './database.ts'
import {
  contactVersionSchema,
  firstSchema,
  hourlySchema,
  waitingOfIncidentSchema,
} from './schema.ts'

export const STEPS: readonly string[] = [
  firstSchema,
  hourlySchema,
  contactVersionSchema,
  waitingOfIncidentSchema,
]

/** A step may rewrite a table, or wait for another engine that runs it. */
const STEP_LIMIT_MS = 600_000

/** Brings the schema to the latest version; creates it if missing. */
export async function migrate(db: Database, steps: readonly string[] = STEPS): Promise<void> {
  let version = await versionOf(db, db.schema)
  while (version < steps.length) {
    const before = version
    version = await db.transaction((session) => nextStep(session, { schema: db.schema, steps }), {
      repeatable: true,
      deadlineMs: STEP_LIMIT_MS,
    })
    if (version <= before)
      throw new StorageError(`The database does not keep the tables of version ${before}`)
  }
  if (version > steps.length) {
    throw new StorageError(
      `The schema "${db.schema}" was written by a newer version (tables ${version}, known up to ${steps.length}). Update this one`,
    )
  }
}

async function nextStep(
  session: Session,
  { schema, steps }: { readonly schema: string; readonly steps: readonly string[] },
): Promise<number> {
  await session.script('SET LOCAL statement_timeout = 0')
  await session.search("SELECT pg_advisory_xact_lock(hashtextextended('watchpost.migrations', 0))")
  // Read again under the lock: another engine may have run the step.
  const version = await versionOf(session, schema)
  const step = steps[version]
  if (step === undefined) return version
  if (version === 0) await makeSchema(session, schema)
  await session.script(step)
  await session.search('INSERT INTO watchpost.migrations (version) VALUES (?)', [version + 1])
  return version + 1
}

/** 0 if the schema has no tables of watchpost. */
async function versionOf(session: Session, schema: string): Promise<number> {
  const found = await session.search(
    "SELECT 1 AS found FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = 'migrations'",
    [schema],
  )
  if (found.length === 0) return 0
  const [row] = await session.search('SELECT max(version) AS version FROM watchpost.migrations')
  return Number(row?.['version'] ?? 0)
}

/** Only if missing: CREATE SCHEMA IF NOT EXISTS requires the privilege even if the schema exists. */
async function makeSchema(session: Session, schema: string): Promise<void> {
  const known = await session.search(
    'SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = ?',
    [schema],
  )
  if (known.length === 0) await session.search(`CREATE SCHEMA "${schema}"`)
  const foreign = await session.search(
    `SELECT tablename FROM pg_catalog.pg_tables
     WHERE schemaname = ? AND tablename IN ('monitors', 'results', 'notifications', 'migrations') LIMIT 1`,
    [schema],
  )
  const [other] = foreign
  if (other !== undefined) {
    throw new StorageError(
      `The schema "${schema}" has a table "${String(other['tablename'])}" of another program; choose another schema`,
    )
  }
  await session.search(
    `CREATE TABLE watchpost.migrations (
       version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
  )
}
