/** However PostgreSQL plans a statement, what is bounded takes no more rows than its bound. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { firstAccount, T0 } from '../../src/testing/store-suite/case.ts'
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

  it.each([
    ['are over', '5', 200],
    ['are not told of', 'NULL', 0],
  ])(
    'a hundred thousand old notifications of incidents that %s do not outlast a statement',
    async (_, finished_at, removed) => {
      const schema = `plans_${++schemas}`
      const store = postgresStore({ url: url(), schema, connections: 4 })
      await store.open()
      await firstAccount(store)
      const admin = new pg.Client({ connectionString: url() })
      await admin.connect()
      await admin.query(oldNotificationsIn(schema, finished_at))
      const none = { results_before: 0, hours_before: 0, audit_before: 0, revoked_before: 0 }
      const old = { notifications_before: T0, history_before: 0, idempotency_before: 0 }
      expect(await store.prune({ ...none, ...old, limit: 200 })).toBe(removed)
      await admin.end()
      await store.close()
    },
  )
})

/** Before the server has any statistics of them; of two incidents that ended, with one notification more of each. */
const oldNotificationsIn = (schema: string, finished_at: string): string => `
  ALTER TABLE ${schema}.notifications SET (autovacuum_enabled = off);
  INSERT INTO ${schema}.incidents (account_id, monitor_id, started_at, detected_at, ended_at,
      cause_code, cause_text, causes, locations_failed)
    SELECT 1, 1, 1, 1, 2, 'timeout', '', '[]', '[]' FROM generate_series(1, 2);
  INSERT INTO ${schema}.notifications (account_id, monitor_id, incident_id, contact_id, event, status,
      due_at, attempts, claims, interruptions, payload, repeat, created_at, finished_at)
    SELECT 1, 1, 1 + x % 2, 1 + x % 16, 'down', 'sent', 1, 1, 1, 0, '{}', 0, 1, 3
      FROM generate_series(1, 100000) AS x
    UNION ALL SELECT 1, 1, 1 + x, 1, 'up', ${finished_at === 'NULL' ? "'queued'" : "'sent'"}, 1, 0, 0, 0, '{}', 0, 1, ${finished_at}
      FROM generate_series(0, 1) AS x`

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
