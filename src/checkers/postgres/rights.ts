/**
 * The privileges of a role beyond reading: a read-only transaction limits the query itself, not the
 * server functions that it calls.
 *
 * Sources: https://www.postgresql.org/docs/current/predefined-roles.html,
 * https://www.postgresql.org/docs/current/functions-info.html
 *
 * @module
 */

import { isJsonObject } from '../../model/json.ts'

/** Predefined read-only roles. */
const READING_ROLES = [
  'pg_monitor',
  'pg_read_all_settings',
  'pg_read_all_stats',
  'pg_stat_scan_tables',
  'pg_read_all_data',
  'pg_database_owner',
]

const TABLES = `
  SELECT n.nspname, c.relname, c.oid, c.relkind FROM pg_catalog.pg_class AS c
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'`

const reasons = [
  `SELECT 'superuser' AS why FROM pg_catalog.pg_roles WHERE rolname = current_user AND rolsuper`,
  `SELECT pg_catalog.concat_ws(', ', CASE WHEN rolcreaterole THEN 'may create roles' END,
     CASE WHEN rolcreatedb THEN 'may create databases' END, CASE WHEN rolreplication THEN 'may replicate' END)
   FROM pg_catalog.pg_roles WHERE rolname = current_user AND (rolcreaterole OR rolcreatedb OR rolreplication)`,
  `SELECT 'member of ' || rolname FROM pg_catalog.pg_roles
   WHERE rolname LIKE 'pg\\_%' AND rolname NOT IN (${READING_ROLES.map((role) => `'${role}'`).join(', ')})
     AND pg_catalog.pg_has_role(current_user, oid, 'MEMBER')`,
  `SELECT 'CREATE on database ' || datname FROM pg_catalog.pg_database
   WHERE datname = pg_catalog.current_database() AND pg_catalog.has_database_privilege(oid, 'CREATE')`,
  `SELECT 'CREATE on schema ' || nspname FROM pg_catalog.pg_namespace
   WHERE nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%'
     AND pg_catalog.has_schema_privilege(oid, 'CREATE')`,
  `SELECT 'may write to ' || nspname || '.' || relname FROM (${TABLES}) AS t
   WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND (
     pg_catalog.has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
     OR pg_catalog.has_any_column_privilege(oid, 'INSERT, UPDATE'))`,
  `SELECT 'may move the sequence ' || nspname || '.' || relname FROM (${TABLES}) AS s
   WHERE CASE WHEN relkind = 'S' THEN pg_catalog.has_sequence_privilege(oid, 'USAGE, UPDATE') END`,
]

/** A superuser has all privileges, so the other reasons are skipped. */
const [superuser = '', ...others] = reasons.map((reason) => `(${reason} LIMIT 3)`)

/** Marks a valid result: an empty result would look like no privileges. */
const ASKED = 'asked'

/**
 * One message with two statements; the first limits the time of the second. Needs only catalogues
 * that are readable by all roles.
 */
export const RIGHTS = `SELECT pg_catalog.set_config('statement_timeout', '500', true);
WITH s AS (${superuser}) SELECT '${ASKED}' AS why UNION ALL SELECT why FROM s
UNION ALL SELECT why FROM (${others.join(' UNION ALL ')}) AS o (why) WHERE NOT EXISTS (SELECT 1 FROM s) LIMIT 6`

/** The reasons in the result of {@link RIGHTS}; `undefined` if the result is invalid. */
export function readRights(answer: unknown): readonly string[] | undefined {
  const result: unknown = Array.isArray(answer) ? answer.at(-1) : answer
  if (!isJsonObject(result) || !Array.isArray(result['rows'])) return undefined
  const why = result['rows'].map((row) => (isJsonObject(row) ? row['why'] : undefined))
  if (!why.includes(ASKED) || !why.every((each) => typeof each === 'string')) return undefined
  return why.filter((each) => each !== ASKED)
}
