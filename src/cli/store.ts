/**
 * Opens the store: one SQLite file, or PostgreSQL if `DATABASE_URL` is set.
 *
 * @module
 */

import { postgresStore } from '../store/postgres/index.ts'
import { sqliteStore } from '../store/sqlite/index.ts'
import type { Store } from '../store/store.ts'
import type { SettingValues } from './environment.ts'

export interface Kept {
  readonly store: Store
  /** For people; without user and password. */
  readonly place: string
}

/** `guest`: for a short command while an engine may be running on the same file. */
export function storeOf(
  { data, database_url }: SettingValues<'data' | 'database_url'>,
  { guest = false }: { readonly guest?: boolean } = {},
): Kept {
  if (database_url === null) return { store: sqliteStore({ file: data, guest }), place: data }
  const { host, pathname } = new URL(database_url)
  return {
    store: postgresStore({ url: database_url, ...(guest ? { connections: 2 } : {}) }),
    place: `PostgreSQL at ${host}${pathname}`,
  }
}
