/** However PostgreSQL plans a statement, what is bounded takes no more rows than its bound. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'

/** Cases that remove rows in steps. */
const REMOVING = /\bgo\b|\bgoes\b|no step/

describeWithServer(postgresServer, 'the store in PostgreSQL, with plans for one row', () => {
  let server: PostgresServer
  let schemas = 0
  const url = () => `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`

  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server.stop())

  /** Statistics that say one row for each table: a nested loop may begin with either side. */
  async function empty() {
    const schema = `plans_${++schemas}`
    const store = postgresStore({ url: url(), schema, connections: 4 })
    await store.open()
    await store.close()
    const admin = new pg.Client({ connectionString: url() })
    await admin.connect()
    await admin.query(oneRowIn(schema))
    await admin.end()
    return postgresStore({ url: url(), schema, connections: 4 })
  }

  const suite = storeSuite(empty, { without: ['clockSet'] }).filter(({ name }) =>
    REMOVING.test(name),
  )
  it('has cases that remove rows', () => expect(suite.length).toBeGreaterThan(9))
  for (const { name, run } of suite) test(name, run)
})

const oneRowIn = (schema: string): string => `
  DO $$ DECLARE it record; BEGIN
    FOR it IN SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = '${schema}' AND c.relkind = 'r' AND NOT c.relispartition
        AND c.relname NOT IN ('migrations', 'shards', 'accounts')
    LOOP
      EXECUTE format('ALTER TABLE ${schema}.%I SET (autovacuum_enabled = off)', it.relname);
      UPDATE pg_class SET relpages = 1, reltuples = 1, relallvisible = 0 WHERE oid = it.oid;
    END LOOP;
  END $$`
