/**
 * Many rows in one statement: a parameter per column, each an array in the text form of PostgreSQL.
 *
 * @module
 */

import type { Param } from '../sql.ts'

type ColumnType = 'bigint' | 'double precision' | 'text'
export type Columns = Readonly<Record<string, ColumnType>>

/** `unnest($1::bigint[], …) WITH ORDINALITY AS given (monitor_id, …, place)` */
export function given(columns: Columns): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)
  const names = [...Object.keys(columns), 'place']
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${names.join(', ')})`
}

/** `INSERT` of all rows in their order. Their ids rise with it, in whatever order they are returned. */
export function insertAll(table: string, columns: Columns): string {
  const names = Object.keys(columns).join(', ')
  return `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${given(columns)} ORDER BY place`
}

/** The parameters of {@link given}. */
export function arraysOf<C extends Columns>(
  columns: C,
  rows: readonly { readonly [Name in keyof C]: Param }[],
): string[] {
  return Object.entries(columns).map(([name, type]) => {
    const values = rows.map((row) => row[name])
    return type === 'text' ? texts(values) : numbers(values)
  })
}

/** For `= ANY ($1::bigint[])`. */
export function numbers(values: readonly Param[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** For `= ANY ($1::text[])`. */
export function texts(values: readonly Param[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : quoted(String(value)))).join(',')}}`
}

/** What JSON would write as a letter after a backslash, which PostgreSQL takes for that letter. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const OTHER_IN_JSON = /[\0-\x1f\ud800-\udfff]/

/** A string of JSON where that is the same: natively, in a third of the time. */
function quoted(text: string): string {
  if (!OTHER_IN_JSON.test(text)) return JSON.stringify(text)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
