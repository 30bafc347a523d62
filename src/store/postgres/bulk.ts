/**
 * Many rows in one statement: one parameter per column, each an array in PostgreSQL's text format.
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

/** `INSERT` of all rows in their order. Ids rise in that order; the order of the returned rows is not specified. */
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

/** What JSON would escape as a letter after a backslash, which PostgreSQL's array format reads as that letter. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const OTHER_IN_JSON = /[\0-\x1f\ud800-\udfff]/

/** The string as an element of an array: through JSON, which takes a third of the time, if both formats agree. */
function quoted(text: string): string {
  if (!OTHER_IN_JSON.test(text)) return JSON.stringify(text)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
