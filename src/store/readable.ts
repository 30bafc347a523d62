/**
 * Rows that can be read, and those that are damaged: each of these is named, and left out of a list.
 *
 * @module
 */

import { systemClock, yielderOf } from '../clock.ts'
import { StorageError, UnreadableError } from '../errors.ts'
import { LAST_MS } from '../model/time.ts'

/**
 * Called for each row that a list leaves out because it cannot be parsed (damaged JSON, a number that no id or time
 * is). The others are returned, as many as were asked for. Reading such a row by its id rejects.
 */
export type OnUnreadable = (error: StorageError) => void

/** One row as the drivers return it. An integer that JavaScript has not exactly is a number beyond {@link LAST_MS}. */
export type Row = Readonly<Record<string, string | number | null>>

const NUMBERS: ReadonlySet<string> = new Set(
  `id account_id monitor_id location_id incident_id contact_id notification_id resource_id suppressed_by version
  revision at created_at updated_at started_at detected_at ended_at acknowledged_at last_used_at revoked_at sent_at
  finished_at due_at lease_until round lag_ms duration_ms consecutive_fails group_window_sec attempts claims claim
  interruptions repeat http_status hour ok fail unknown ok_ms`.split(/\s+/),
)

/** A column with a number that cannot be computed with, as no id or time is, or with something else in its place. */
export function unfitColumn(row: Readonly<Record<string, unknown>>): string | undefined {
  for (const column in row) {
    const value = row[column]
    if (typeof value === 'number') {
      if (!(Math.abs(value) <= LAST_MS)) return column
    } else if (value !== null && NUMBERS.has(column)) return column
  }
  return undefined
}

/** @throws UnreadableError */
export function requireNumbers(row: Row): void {
  const column = unfitColumn(row)
  if (column !== undefined) throw unreadable(row, column)
}

export function unreadable(row: Row, column: string, cause?: unknown): UnreadableError {
  const id = row['id'] ?? row['monitor_id']
  // JavaScript has another number beside it.
  const near = typeof id === 'number' && Math.abs(id) > LAST_MS ? 'near ' : ''
  return new UnreadableError(`Unreadable "${column}" in row ${near}${id}`, { cause })
}

/** The records of the rows that can be parsed; the others are passed to `onUnreadable` and left out. */
export function readable<T>(
  rows: readonly Row[],
  read: (row: Row) => T,
  onUnreadable: OnUnreadable = () => undefined,
): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      onUnreadable(error)
      return []
    }
  })
}

export interface ReadablePage<T> {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** The id behind which the page begins; default: with the first row. */
  readonly after: number | undefined
  /** The first `limit` rows behind `after`, with their ids. */
  rows(after: number | undefined, limit: number): Promise<readonly Row[]> | readonly Row[]
  readonly read: (row: Row) => T
  readonly onUnreadable: OnUnreadable | undefined
}

/**
 * As many records as requested, also where rows in between cannot be parsed: a page that is shorter is the last one.
 * Yields between rows: the details of a result are up to 64 KiB of JSON, and parsing a page of them takes 100 ms.
 */
export async function readablePage<T>({
  order,
  limit,
  after,
  rows,
  read,
  onUnreadable,
}: ReadablePage<T>): Promise<T[]> {
  const yieldIfLong = yielderOf(systemClock)
  const found: T[] = []
  for (let from = after; ;) {
    const wanted = limit - found.length
    const step = await rows(from, wanted)
    for (const row of step) {
      await yieldIfLong()
      found.push(...readable([row], read, onUnreadable))
    }
    if (step.length < wanted || found.length >= limit) return found
    from = idBehind(Number(step.at(-1)?.['id']), order)
    if (from === undefined) return found
  }
}

/** Where a list goes on; `undefined` where it has only ids that cannot be told from each other. */
function idBehind(last: number, order: 'asc' | 'desc'): number | undefined {
  if (Math.abs(last) <= LAST_MS) return last
  return order === 'desc' && last > 0 ? LAST_MS + 1 : undefined
}
