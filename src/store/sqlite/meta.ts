import type { Sync } from '../promised.ts'
import type { FullStore } from '../store.ts'
import type { Connection } from './connection.ts'

export function meta(db: Connection): Sync<FullStore['meta']> {
  return {
    get(name) {
      const value = db.get('SELECT value FROM meta WHERE name = ?', [name])?.['value']
      return value === undefined ? undefined : String(value)
    },
    set(name, value) {
      db.run(
        `INSERT INTO meta (name, value) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [name, value],
      )
    },
  }
}
