import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

  test('requests that an engine counted by a clock a year ahead lock no key out', async () => {
    const made = await empty()
    await made.open()
    try {
      const now = Date.parse('2026-01-01')
      const admit = (at: number) =>
        made.requests?.admit({ key_id: 1, now: at, window_ms: 60_000, limit: 3 })
      for (let n = 0; n < 3; n++) await admit(now + 365 * 86_400_000)
      expect(await admit(now)).toEqual({ admitted: true, remaining: 2, retry_at: null })
      // Clocks that differ by less than a window count together.
      for (let n = 0; n < 2; n++) await admit(now + 30_000)
      expect((await admit(now))?.admitted).toBe(false)
    } finally {
      await made.close()
    }
  })
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
