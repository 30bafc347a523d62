import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { createDatabase } from '../../src/store/postgres/database.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import type { PostgresStoreOptions } from '../../src/store/postgres/index.ts'
import { migrate, STEPS } from '../../src/store/postgres/migrations.ts'
import { settingsOf } from '../../src/store/postgres/options.ts'
import { openConnections } from '../../src/store/postgres/pool.ts'
import {
  commitOne,
  DAY,
  firstAccount,
  ids,
  monitor,
  notice,
  on,
  queue,
  result,
  T0,
} from '../../src/testing/store-suite/case.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'

const NOTHING_ELSE = {
  notifications_before: 0,
  history_before: 0,
  hours_before: 0,
  audit_before: 0,
  revoked_before: 0,
  idempotency_before: 0,
}

/** As a later release could have them. */
const LATER = [
  ...STEPS,
  "ALTER TABLE watchpost.monitors ADD COLUMN owner text NOT NULL DEFAULT 'nobody'",
  'CREATE TABLE watchpost.later (id bigint)',
  `ALTER TABLE watchpost.accounts ADD COLUMN later text;
   ALTER TABLE watchpost.notifications ADD COLUMN later text`,
]

describeWithServer(postgresServer, 'the tables of the store in PostgreSQL', () => {
  let server: PostgresServer
  let admin: pg.Client
  let schemas = 0
  const url = () => `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
  const freshSchema = () => `tables_${++schemas}`

  beforeAll(async () => {
    server = await startPostgres()
    admin = new pg.Client({ connectionString: url() })
    await admin.connect()
  })
  afterAll(async () => {
    await admin.end()
    await server.stop()
  })

  function storeIn(schema: string, options: PostgresStoreOptions = {}) {
    const store = postgresStore({ url: url(), schema, ...options })
    onTestFinished(() => store.close())
    return store
  }

  async function opened(schema = freshSchema(), options: PostgresStoreOptions = {}) {
    const store = storeIn(schema, options)
    await store.open()
    await firstAccount(store)
    return store
  }

  async function partitions(schema: string): Promise<string[]> {
    const { rows } = await admin.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename LIKE 'results_%' ORDER BY 1",
      [schema],
    )
    return rows.map(({ name }) => name)
  }

  test('engines that open a new schema at the same time make its tables once', async () => {
    const schema = freshSchema()
    const stores = Array.from({ length: 4 }, () => storeIn(schema))
    await Promise.all(stores.map((store) => store.open()))
    const { rows } = await admin.query(`SELECT version FROM ${schema}.migrations ORDER BY version`)
    expect(rows).toEqual(STEPS.map((_, at) => ({ version: at + 1 })))
  })

  test('a user that may only write is told so at once, not when the days that are there have passed', async () => {
    const schema = freshSchema()
    await opened(schema)
    await admin.query(
      `CREATE ROLE writer LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA ${schema} TO writer;
       GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO writer;
       GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO writer`,
    )
    const as = (user: string) =>
      storeIn(schema, { url: url().replace('postgres@', `${user}:secret@`) })
    await expect(as('writer').open()).rejects.toThrow(
      expect.objectContaining({ code: 'storage', message: expect.stringContaining('has to own') }),
    )
    await admin.query(
      `CREATE ROLE owners; CREATE ROLE member LOGIN PASSWORD 'secret' IN ROLE owners;
       GRANT USAGE, CREATE ON SCHEMA ${schema} TO owners; ALTER TABLE ${schema}.results OWNER TO owners;
       GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO owners`,
    )
    await as('member').open()
  })

  async function databaseOf(schema: string) {
    const settings = settingsOf({ url: url(), schema })
    const connections = await openConnections(settings)
    onTestFinished(() => connections.close())
    const { signal } = new AbortController()
    return createDatabase(
      settings,
      () => connections,
      () => signal,
    )
  }

  const versionsOf = async (schema: string): Promise<readonly unknown[]> => {
    const { rows } = await admin.query<{ version: number }>(
      `SELECT version FROM ${schema}.migrations ORDER BY version`,
    )
    return rows
  }

  test('tables of an older version get the steps that they lack, once, beside a store that works', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const made = await store.monitors.create(monitor())
    // On each connection, whose statements are older than the new columns then.
    const read = async () =>
      new Set(
        await Promise.all(
          Array.from({ length: 10 }, async () => (await store.accounts.list()).length),
        ),
      )
    const revised = async (revision: number) => {
      await commitOne(store, on({ ...made, revision }, { notify: [notice()] }))
      return store.notifications.depth()
    }
    expect(await read()).toEqual(new Set([1]))
    expect(await revised(1)).toBe(1)
    const engines = await Promise.all(Array.from({ length: 3 }, () => databaseOf(schema)))
    await Promise.all(engines.map((db) => migrate(db, LATER)))
    expect(await versionsOf(schema)).toEqual(LATER.map((_, at) => ({ version: at + 1 })))
    const { rows } = await admin.query(`SELECT id, owner FROM ${schema}.monitors`)
    expect(rows).toEqual([{ id: String(made.id), owner: 'nobody' }])
    expect(await read()).toEqual(new Set([1]))
    expect(await revised(2)).toBe(2)
    await expect(storeIn(schema).open()).rejects.toThrow(
      new RegExp(`newer version \\(tables ${LATER.length}, known up to ${STEPS.length}\\)`),
    )
  })

  test('a step that is interrupted leaves nothing, and is executed by the next start', async () => {
    const schema = freshSchema()
    await opened(schema)
    const db = await databaseOf(schema)
    const later = LATER.slice(STEPS.length).join(';')
    const interrupted = [...STEPS, `${later}; INSERT INTO watchpost.nowhere VALUES (1)`]
    await expect(migrate(db, interrupted)).rejects.toThrow(/nowhere/)
    expect(await versionsOf(schema)).toHaveLength(STEPS.length)
    const columns = await admin.query(`SELECT * FROM ${schema}.monitors`)
    expect(columns.fields.map(({ name }) => name)).not.toContain('owner')
    await migrate(db, LATER)
    expect(await versionsOf(schema)).toHaveLength(LATER.length)
  })

  test('a store opens again beside one that works, and takes nothing away from it', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const made = await store.monitors.create(monitor())
    const other = await opened(schema)
    expect(await other.monitors.get(made.id)).toEqual(made)
    await commitOne(store, on(made, { results: [result()] }))
  })

  test('tables of a newer version, and those of another program, are refused', async () => {
    const newer = freshSchema()
    await (await opened(newer)).close()
    await admin.query(`INSERT INTO ${newer}.migrations (version) VALUES (999)`)
    await expect(storeIn(newer).open()).rejects.toThrow(/newer version \(tables 999/)

    const foreign = freshSchema()
    await admin.query(`CREATE SCHEMA ${foreign}; CREATE TABLE ${foreign}.results (id int)`)
    await expect(storeIn(foreign).open()).rejects.toThrow(/"results" of another program/)
    await admin.query(`DROP TABLE ${foreign}.results; CREATE TABLE ${foreign}.migrations (id int)`)
    await expect(storeIn(foreign).open()).rejects.toMatchObject({ code: 'storage' })
  })

  test('days are made ahead of need, and for results of any other day when they come', async () => {
    const schema = freshSchema()
    const clock = simulatedClock({ now: T0 + 5 * DAY })
    const store = await opened(schema, { clock })
    expect(await partitions(schema)).toEqual([
      'results_20260306',
      'results_20260307',
      'results_20260308',
    ])
    const made = await store.monitors.create(monitor())
    const results = [T0, T0 - 1, T0 + 40 * DAY].map((started_at) => result({ started_at }))
    await commitOne(store, on(made, { results }))
    expect(await partitions(schema)).toEqual(
      expect.arrayContaining(['results_20260228', 'results_20260301', 'results_20260410']),
    )
    await clock.advance(2 * DAY)
    await store.prune({ ...NOTHING_ELSE, results_before: 0, limit: 10 })
    expect(await partitions(schema)).toContain('results_20260310')
  })

  test('a day goes as a whole once all of it is too old, however many results it has', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const made = await store.monitors.create(monitor())
    const at = (hour: number) => result({ started_at: T0 + hour * 3_600_000 })
    const hours = [0, 1, 2, 23, 24, 25]
    const done = await commitOne(store, on(made, { results: hours.map(at) }))
    const [, , , , d, e] = done.result_ids
    const list = async () => ids(await store.results.list({ monitor_id: made.id, limit: 99 }))
    const older = (results_before: number) => ({ ...NOTHING_ELSE, results_before, limit: 2 })
    expect(await store.prune(older(T0 + DAY - 1))).toBe(0)
    expect(await list()).toHaveLength(6)
    // More than asked for, so that whoever prunes in steps goes on.
    expect(await store.prune(older(T0 + DAY))).toBeGreaterThan(2)
    expect(await list()).toEqual([e, d])
    expect(await partitions(schema)).not.toContain('results_20260301')
  })

  test('a result of a day that another engine has dropped is stored all the same', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { results: [result()] }))
    const other = await opened(schema)
    expect(await other.prune({ ...NOTHING_ELSE, results_before: T0 + DAY, limit: 9 })).toBe(1)
    await commitOne(store, on(made, { results: [result()] }))
    expect(await store.results.list({ monitor_id: made.id, limit: 9 })).toHaveLength(1)
  })

  test('a day that somebody reads is not waited for, and goes the next time', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { results: [result()] }))
    const older = { ...NOTHING_ELSE, results_before: T0 + DAY, limit: 9 }
    await admin.query(`BEGIN; SELECT * FROM ${schema}.results`)
    expect(await store.prune(older)).toBe(0)
    await commitOne(store, on(made, { results: [result()] }))
    await admin.query('ROLLBACK')
    expect(await store.prune(older)).toBe(2)
  })

  test('results of a removed monitor go in steps, also those that are not old', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { results: Array.from({ length: 5 }, () => result()) }))
    await commitOne(store, on(made, { remove: true }))
    const none = { ...NOTHING_ELSE, results_before: 0, limit: 3 }
    expect(await store.prune(none)).toBe(3)
    expect(await store.prune(none)).toBe(2)
    expect(await store.prune(none)).toBe(0)
    const { rows } = await admin.query(
      `SELECT * FROM ${schema}.results, ${schema}.removed_monitors`,
    )
    expect(rows).toEqual([])
  })

  test('a pool of the host is used as it is, and left open', async () => {
    const pool = new pg.Pool({ connectionString: url(), max: 3 })
    onTestFinished(() => pool.end())
    const schema = freshSchema()
    const store = postgresStore({ pool, schema })
    await store.open()
    await firstAccount(store)
    const heard: unknown[] = []
    await store.changes?.listen((id) => heard.push(id))
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, { token: { token: 't', token_hash: 'h' } }))
    await expect.poll(() => heard).toEqual([made.id, made.id])
    await store.close()
    const { rows } = await pool.query('SHOW search_path')
    expect(rows).toEqual([{ search_path: '"$user", public' }])
    expect((await pool.query(`SELECT id FROM ${schema}.monitors`)).rowCount).toBe(1)
  })

  test('of messages of change only those are heard that a store sends: every role may send some', async () => {
    const schema = freshSchema()
    const store = await opened(schema)
    const heard: unknown[] = []
    const note = (what: unknown) => void heard.push(what)
    onTestFinished(await store.changes!.listen(note, note))
    const stranger = new pg.Client({
      connectionString: `postgres://u:secret@127.0.0.1:${server.ports.postgres}/app`,
    })
    await stranger.connect()
    onTestFinished(() => stranger.end())
    const foreign = ['9'.repeat(20), '9'.repeat(7000), '', 'contacts', '1e3', '-1', '5']
    for (const payload of [...foreign, 'maintenance', '7'])
      await stranger.query('SELECT pg_notify($1, $2)', [`${schema}_monitors`, payload])
    await expect.poll(() => heard.at(-1)).toBe(7)
    expect(heard).toEqual([5, 'maintenance', 7])
  })

  test('two schemas of one database know nothing of each other', async () => {
    const a = await opened()
    const b = await opened()
    const heard: unknown[] = []
    await b.changes?.listen((id) => heard.push(id))
    const made = await a.monitors.create(monitor())
    await queue(a)
    expect(await b.monitors.get(made.id)).toBeUndefined()
    expect(await b.notifications.depth()).toBe(0)
    expect(await b.shards?.hold({ owner: 'b', now: T0, until: T0 + 1 })).toHaveLength(256)
    expect(await a.shards?.hold({ owner: 'a', now: T0, until: T0 + 1 })).toHaveLength(256)
    expect(heard).toEqual([])
  })

  test('characters that PostgreSQL does not keep do not stop a commit', async () => {
    const store = await opened()
    const made = await store.monitors.create(monitor())
    const odd = 'a\0b \ud800 "quoted" \\back {brace}, NULL\n'
    const rows = [result({ cause_text: odd, details: { odd } }), result({ cause_text: 'NULL' })]
    const done = await commitOne(store, on(made, { results: rows }))
    const [second, first] = await store.results.list({ monitor_id: made.id, limit: 9 })
    expect(first).toMatchObject({
      id: done.result_ids[0],
      cause_text: 'a\ufffdb \ufffd "quoted" \\back {brace}, NULL\n',
      details: { odd },
    })
    expect(second?.cause_text).toBe('NULL')
  })

  test.each([
    [{ schema: 'Upper' }, /^schema: "Upper"/],
    [{ schema: 'a"; DROP' }, /^schema/],
    [{ schema: 'pg_own' }, /^schema/],
    [{ connections: 0 }, /^connections: a whole number from 1/],
    [{ connectTimeoutMs: 0 }, /^connectTimeoutMs/],
    [{ statementTimeoutMs: NaN }, /^statementTimeoutMs/],
    [{ retryMs: -1 }, /^retryMs/],
  ])('the options %j are refused', (options, text) => {
    expect(() => postgresStore(options)).toThrow(text)
  })
})
