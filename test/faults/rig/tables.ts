/**
 * The tables of a store, read beside it: of an SQLite file that no engine has open, or of PostgreSQL.
 *
 * @module
 */

import { rmSync } from 'node:fs'
import pg from 'pg'
import { connect } from '../../../src/store/sqlite/connection.ts'
import type { Row } from '../../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../../src/store/sqlite/drivers.ts'
import type { EnginePlan } from './plan.ts'

export type { Row }

export interface Tables {
  /** The answers to these queries, as they are at one moment where nobody writes. */
  read(queries: readonly string[]): Promise<readonly (readonly Row[])[]>
  /** SQL for the id of the incident that a monitor `m` knows of. */
  readonly incidentOfMonitor: string
  /** What is broken below the rows. */
  damage(): Promise<readonly string[]>
}

export function tablesOf({ file, database }: Pick<EnginePlan, 'file' | 'database'>): Tables {
  return database === undefined ? fileTables(file) : postgresTables(database)
}

/** Works on the file below the store, while no engine has it open. */
export async function queryFile<T>(
  file: string,
  use: (all: (sql: string) => readonly Row[], exec: (sql: string) => void) => T,
): Promise<T> {
  const driver = await loadDriver()
  // Of the wasm driver; it survives the process that made it.
  rmSync(`${file}.lock`, { recursive: true, force: true })
  const connection = connect(driver.open(file))
  try {
    for (const pragma of driver.pragmas) connection.exec(`PRAGMA ${pragma}`)
    return use(
      (sql) => connection.all(sql),
      (sql) => connection.exec(sql),
    )
  } finally {
    connection.close()
  }
}

function fileTables(file: string): Tables {
  return {
    read: (queries) => queryFile(file, (all) => queries.map((sql) => all(sql))),
    incidentOfMonitor: `(SELECT machine ->> '$.incident.id' FROM monitor_states WHERE monitor_id = m.id)`,
    async damage() {
      const [row] = await queryFile(file, (all) => all('PRAGMA integrity_check'))
      const integrity = row?.['integrity_check']
      return integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]
    },
  }
}

export interface Database {
  readonly url: string
  readonly schema: string
}

export function postgresTables({ url, schema }: Database): Tables {
  return {
    async read(queries) {
      const client = new pg.Client({ connectionString: url, application_name: 'ledger' })
      client.setTypeParser(pg.types.builtins.INT8, Number)
      await client.connect()
      try {
        await client.query(`SET search_path TO "${schema}"`)
        const answers: (readonly Row[])[] = []
        for (const sql of queries) answers.push((await client.query<Row>(sql)).rows)
        return answers
      } finally {
        await client.end()
      }
    },
    incidentOfMonitor: "(m.machine::json #>> '{incident,id}')::bigint",
    // The server has looked at its own log before it let anybody in.
    damage: () => Promise.resolve([]),
  }
}
