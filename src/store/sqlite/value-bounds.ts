/**
 * How large the values of a data file can be, however much was stored: for a file that comes from elsewhere. SQLite
 * itself takes any value in any column.
 *
 * @module
 */

import type { Connection } from './connection.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Most bytes of a text: several times of what its field, or the bound of an answer or a body, lets through. */
const TEXT_BYTES: Readonly<Record<string, number>> = {
  ...each(KIB, 'action actor availability cause_code closed_reason day event external_id hash'),
  ...each(KIB, 'idempotency_key kind name phase prefix request_hash resource resource_name'),
  ...each(KIB, 'slug state status token_hash type verdict'),
  ...each(64 * KIB, 'cause_text error metadata phases remote_ip search tags target token value'),
  answer: 8 * MIB,
  body: 16 * MIB,
}

/** The same of JSON. */
const JSON_BYTES: Readonly<Record<string, number>> = {
  ...each(64 * KIB, 'events latency locations_failed monitor_defaults quiet quotas scopes'),
  ...each(128 * KIB, 'changes common totals'),
  ...each(512 * KIB, 'details last machine memo payload'),
  settings: MIB,
  causes: 4 * MIB,
}

/** JSON up to this length is parsed in a few milliseconds, however many values it has; longer JSON has so many at most. */
const SHORT_BYTES = 64 * KIB
const MOST_VALUES = 100_000

/** Where a value is that watchpost cannot have written, and what is wrong with it; `undefined` without one. */
export function outOfBounds(db: Connection): string | undefined {
  for (const [table, columns] of columnsByTable(db)) {
    const cases = columns.flatMap(({ name, type }) =>
      rulesOf(`"${name}"`, name, type).map(
        ([wrong, words]) => `WHEN ${wrong} THEN '"${name}" of a row in "${table}" ${words}'`,
      ),
    )
    const found = db.get(
      `SELECT CASE ${cases.join('\n')} END AS problem FROM "${table}" WHERE problem IS NOT NULL LIMIT 1`,
    )
    if (found !== undefined) return String(found['problem'])
  }
  return undefined
}

interface Column {
  readonly name: string
  /** As declared; empty in the tables that SQLite makes. */
  readonly type: string
}

function columnsByTable(db: Connection): Map<string, Column[]> {
  const tables = new Map<string, Column[]>()
  const rows = db.all(
    `SELECT made.name AS made, info.name, info.type
     FROM sqlite_master AS made JOIN pragma_table_info(made.name) AS info WHERE made.type = 'table'`,
  )
  for (const { made, name, type } of rows) {
    const columns = tables.get(String(made)) ?? []
    tables.set(String(made), [...columns, { name: String(name), type: String(type) }])
  }
  return tables
}

/** A driver refuses to read an integer beyond it. */
const SAFE = Number.MAX_SAFE_INTEGER

type Rule = readonly [wrong: string, words: string]

function rulesOf(value: string, name: string, type: string): readonly Rule[] {
  if (type === 'INTEGER' || type === 'REAL')
    return [
      [`typeof(${value}) NOT IN ('integer', 'real', 'null')`, 'is no number'],
      [
        `typeof(${value}) = 'integer' AND ${value} NOT BETWEEN -${SAFE} AND ${SAFE}`,
        'is no integer of JavaScript',
      ],
    ]
  const most = TEXT_BYTES[name] ?? JSON_BYTES[name] ?? MIB
  const size: Rule = [`octet_length(${value}) > ${most}`, `is longer than ${most} bytes`]
  if (type !== 'TEXT') return [size]
  return [
    [`typeof(${value}) NOT IN ('text', 'null')`, 'is no text'],
    size,
    ...(Object.hasOwn(JSON_BYTES, name) ? [depthRule(value)] : []),
    ...(most > SHORT_BYTES && Object.hasOwn(JSON_BYTES, name) ? [valuesRule(value)] : []),
  ]
}

/** SQLite takes JSON of at most a thousand levels, which everything that walks through a value survives. */
function depthRule(value: string): Rule {
  return [`NOT json_valid(${value})`, 'is no JSON of at most 1000 levels']
}

function valuesRule(value: string): Rule {
  const values = `SELECT COUNT(*) FROM (SELECT 1 FROM json_tree(${value}) LIMIT ${MOST_VALUES + 1})`
  return [
    `octet_length(${value}) > ${SHORT_BYTES} AND (${values}) > ${MOST_VALUES}`,
    `is no JSON of at most ${MOST_VALUES} values`,
  ]
}

function each(bytes: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, bytes]))
}
