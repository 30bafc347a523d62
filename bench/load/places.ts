/** Where the engines under load keep what they store: a schema of a PostgreSQL, or a file of SQLite. */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import pg from 'pg'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { startPostgres } from '../../test/support/servers/postgres.ts'
import { cpuMsOfAll } from './processes.ts'

/** What an engine is given to open its store. */
export type Place = { readonly url: string; readonly schema: string } | { readonly file: string }

/** Results that began between two moments, and how late their rounds did. */
export interface Made {
  readonly count: number
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface Premises {
  /** A new one for each run. */
  place(name: string): Place
  made(place: Place, from: number, to: number): Promise<Made>
  /** CPU of the database's own processes, in milliseconds; 0 where it works within the engine. */
  cpu(): number
  /** Bytes that the log of the database has grown by since it began; NaN where an engine writes it itself. */
  logged(): Promise<number>
  /** Bytes on disk, with indexes. */
  size(place: Place): Promise<number>
  end(): Promise<void>
}

export function storeAt(place: Place): FullStore {
  return 'file' in place ? sqliteStore({ file: place.file }) : postgresStore(place)
}

const QUANTILES = ['p50', 'p99'] as const

export async function postgresPremises(): Promise<Premises> {
  const server = await startPostgres({ settings: ['fsync=on'] })
  const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
  const ask = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(text, values)
    await client.end()
    return rows[0] ?? {}
  }
  const schemaOf = (place: Place): string => ('schema' in place ? place.schema : '')
  return {
    place: (name) => ({ url, schema: `load_${name}` }),
    async made(place, from, to) {
      const row = await ask(
        `SELECT count(*) AS count,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY lag_ms) AS p50,
           percentile_cont(0.99) WITHIN GROUP (ORDER BY lag_ms) AS p99
         FROM ${schemaOf(place)}.results WHERE started_at BETWEEN $1 AND $2`,
        [from, to],
      )
      const [p50_ms, p99_ms] = QUANTILES.map((name) => Number(row[name] ?? NaN))
      return { count: Number(row.count), p50_ms: p50_ms ?? NaN, p99_ms: p99_ms ?? NaN }
    },
    cpu: () => cpuMsOfAll('postgres'),
    logged: async () =>
      Number((await ask("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes")).bytes),
    size: async (place) =>
      Number(
        (
          await ask(
            `SELECT coalesce(sum(pg_total_relation_size(relid)), 0) AS bytes
             FROM pg_partition_tree('${schemaOf(place)}.results') WHERE isleaf`,
          )
        ).bytes,
      ),
    end: () => server.stop(),
  }
}

export function sqlitePremises(): Promise<Premises> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-load-'))
  const fileOf = (place: Place): string => ('file' in place ? place.file : '')
  return Promise.resolve({
    place: (name) => ({ file: join(folder, `${name}.db`) }),
    // Nobody else can read the file while the engine has it.
    made(place, from, to) {
      const db = new sqlite.Database(fileOf(place), { fileMustExist: true })
      // The driver has no memory to share with others, which a log of SQLite needs otherwise.
      db.exec('PRAGMA locking_mode = EXCLUSIVE')
      const rows = db.all(
        'SELECT lag_ms FROM results WHERE started_at BETWEEN ? AND ? ORDER BY lag_ms',
        [from, to],
      )
      db.close()
      const at = (share: number): number =>
        Number(rows[Math.floor(rows.length * share)]?.lag_ms ?? NaN)
      return Promise.resolve({ count: rows.length, p50_ms: at(0.5), p99_ms: at(0.99) })
    },
    cpu: () => 0,
    logged: () => Promise.resolve(NaN),
    size: (place) => Promise.resolve(statSync(fileOf(place)).size),
    end() {
      rmSync(folder, { recursive: true, force: true })
      return Promise.resolve()
    },
  })
}
