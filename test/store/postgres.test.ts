import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'

describeWithServer(postgresServer, 'the store in PostgreSQL', () => {
  let server: PostgresServer
  let admin: pg.Client
  const url = () => `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`

  beforeAll(async () => {
    server = await startPostgres()
    admin = new pg.Client({ connectionString: url() })
    admin.on('error', () => {})
    await admin.connect()
    const store = postgresStore({ url: url() })
    await store.open()
    await store.close()
  })
  afterAll(async () => {
    await admin.end()
    await server.stop()
  })

  const store = async () => postgresStore({ url: url(), connections: 4 })
  const empty = async () => {
    await admin.query(EMPTY)
    return store()
  }
  const suite = storeSuite(empty, { reopen: store, beside: store, without: ['clockSet'] })
  for (const { name, run } of suite) test(name, run)
})

/** Quicker than tables of their own for every test; what stays are ids that are used up, and partitions. */
const EMPTY = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'watchpost'
      AND tablename NOT IN ('migrations', 'shards', 'accounts') AND tablename NOT LIKE 'results_%'
    LOOP EXECUTE format('DELETE FROM watchpost.%I', name); END LOOP;
    DELETE FROM watchpost.results;
    DELETE FROM watchpost.accounts;
    UPDATE watchpost.shards SET owner = NULL;
  END $$`
