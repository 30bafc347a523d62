/** However many long lists one account asks for, the store works for the others. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import type { PostgresStoreOptions } from '../../src/store/postgres/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import {
  anotherAccount,
  firstAccount,
  monitor,
  refused,
} from '../../src/testing/store-suite/case.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'

const CONNECTIONS = 4

describeWithServer(postgresServer, 'the store in PostgreSQL, with lists that do not end', () => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => void (server = await startPostgres()))
  afterAll(() => server.stop())

  const url = () => `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`

  /** A store of two accounts, the first with a monitor. */
  async function opened(options: PostgresStoreOptions = {}) {
    const schema = `turns_${++schemas}`
    const own = { url: url(), schema, connections: CONNECTIONS, retryMs: 0 }
    const store = postgresStore({ ...own, ...options })
    onTestFinished(() => store.close())
    await store.open()
    await firstAccount(store)
    const other = await anotherAccount(store)
    await store.monitors.create(monitor({}))
    return { store, schema, other }
  }

  /** Until it is called, nobody can read the tables. */
  async function locked(schema: string, tables: readonly string[]): Promise<() => Promise<void>> {
    const admin = new pg.Client({ connectionString: url() })
    await admin.connect()
    await admin.query('BEGIN')
    for (const table of tables) await admin.query(`LOCK TABLE ${schema}.${table}`)
    return () => admin.end()
  }

  const limit = 10
  const lists: readonly [string, string, (store: FullStore) => Promise<unknown>][] = [
    [
      'results',
      'results',
      ({ results }) => results.list({ monitor_id: 1, verdict: 'fail', limit }),
    ],
    [
      'results of a location',
      'results',
      ({ results }) => results.list({ monitor_id: 1, location_id: 2, limit }),
    ],
    ['incidents', 'incidents', ({ incidents }) => incidents.list({ account_id: 1, limit })],
    [
      'notifications',
      'notifications',
      ({ notifications }) => notifications.list({ account_id: 1, limit }),
    ],
    ['changes', 'audit_log', ({ auditLog }) => auditLog.list({ account_id: 1, limit })],
  ]

  describe.each(lists)('of %s', (_, table, list) => {
    it('leave connections for what is written, and for the lists of another account', async () => {
      const { store, schema, other } = await opened()
      const unlock = await locked(schema, [table])
      const asked = Array.from({ length: CONNECTIONS }, () => list(store))
      const answers = Promise.allSettled(asked)

      await store.meta.set('written', 'now')
      expect(await store.meta.get('written')).toBe('now')
      const found = store.monitors.list({ account_id: other, q: 'a', limit })
      expect(await found).toEqual([])

      await unlock()
      expect((await answers).map(({ status }) => status)).toEqual(asked.map(() => 'fulfilled'))
    })
  })

  it('are refused to whoever waits for his own', async () => {
    const { store, schema } = await opened({ connectTimeoutMs: 2000 })
    const unlock = await locked(schema, ['audit_log'])
    const first = store.auditLog.list({ account_id: 1, limit })
    await refused(store.auditLog.list({ account_id: 1, limit }))
    await unlock()
    expect(await first).toEqual([])
    expect(await store.auditLog.list({ account_id: 1, limit })).toEqual([])
  })

  it('delay none that an engine asks for', async () => {
    const { store, schema } = await opened()
    const unlock = await locked(schema, ['audit_log'])
    const hanging = store.auditLog.list({ account_id: 1, limit })
    expect(await store.incidents.list({ account_id: 'all', limit })).toEqual([])
    const ofIncident = { account_id: 1, incident_id: 1, limit }
    expect(await store.notifications.list(ofIncident)).toEqual([])
    expect(await store.monitors.list({ account_id: 1, tags: [['a']], limit })).toEqual([])
    await unlock()
    expect(await hanging).toEqual([])
  })
})
