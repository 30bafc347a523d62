/** Rows of PostgreSQL that are damaged, or that somebody else wrote: each is named, and none stands in for the others. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import {
  anotherAccount,
  claim,
  contact,
  firstAccount,
  ids,
  monitor,
  queue,
  T0,
} from '../../src/testing/store-suite/case.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import type { PostgresServer } from '../support/servers/postgres.ts'

/** PostgreSQL has it exactly, JavaScript does not. */
const HUGE = '8999999999999999999'
const TEXTS = ["'{'", "''", "'null'", "'5'", "'[]'"]

describeWithServer(postgresServer, 'damaged rows in PostgreSQL', () => {
  let server: PostgresServer
  let admin: pg.Client
  let store: FullStore
  let schemas = 0
  const url = () => `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`

  beforeAll(async () => {
    server = await startPostgres()
    admin = new pg.Client({ connectionString: url() })
    await admin.connect()
  })
  afterAll(async () => {
    await admin.end()
    await server.stop()
  })
  beforeEach(async () => {
    const schema = `damage_${++schemas}`
    store = postgresStore({ url: url(), schema, connections: 2 })
    const opened = store
    onTestFinished(() => opened.close())
    await store.open()
    await firstAccount(store)
    await admin.query(`SET search_path TO ${schema}`)
  })

  /** Damages the row with this id, reads the list, and repairs nothing. */
  async function listed(
    list: (tell: (error: Error) => void) => Promise<readonly { readonly id: number }[]>,
    sql: string,
  ): Promise<{ ids: number[]; told: string[] }> {
    await admin.query(sql)
    const told: string[] = []
    const records = await list(({ message }) => told.push(message))
    return { ids: ids(records), told }
  }

  const whole = (columns: string[]) =>
    columns.flatMap((column) => TEXTS.map((value) => [column, value] as const))
  const times = [
    ['created_at', HUGE],
    ['updated_at', `-${HUGE}`],
  ] as const

  test.each([...whole(['common', 'settings', 'machine']), ...times, ['revision', HUGE] as const])(
    'a monitor: %s = %s',
    async (column, value) => {
      const made = [monitor(), monitor(), monitor()]
      for (const each of made) await store.monitors.create(each)
      const query = { account_id: 'all', limit: 10 } as const
      const found = await listed(
        (tell) => store.monitors.list(query, tell),
        `UPDATE monitors SET ${column} = ${value} WHERE id = 2`,
      )
      expect(found).toEqual({ ids: [1, 3], told: [`Unreadable "${column}" in row 2`] })
      await expect(store.monitors.get(2)).rejects.toThrow(`Unreadable "${column}" in row 2`)
    },
  )

  test.each([...whole(['settings']), ['quiet', "'{'"] as const, ...times])(
    'a contact: %s = %s',
    async (column, value) => {
      for (let n = 0; n < 3; n++) await store.contacts.create(contact())
      const found = await listed(
        (tell) => store.contacts.list(1, tell),
        `UPDATE contacts SET ${column} = ${value} WHERE id = 2`,
      )
      expect(found).toEqual({ ids: [1, 3], told: [`Unreadable "${column}" in row 2`] })
    },
  )

  test.each([...whole(['quotas', 'monitor_defaults']), ['created_at', HUGE] as const])(
    'an account: %s = %s',
    async (column, value) => {
      const other = await anotherAccount(store)
      const found = await listed(
        (tell) => store.accounts.list(tell),
        `UPDATE accounts SET ${column} = ${value} WHERE id = 1`,
      )
      expect(found).toEqual({ ids: [other], told: [`Unreadable "${column}" in row 1`] })
    },
  )

  test('the state of a location', async () => {
    const { id } = await store.monitors.create(monitor())
    await admin.query(
      `INSERT INTO location_states VALUES (${id}, 1, 0, NULL, NULL), (${id}, 2, 0, '{', NULL),
       (${id}, ${HUGE}, 0, NULL, NULL)`,
    )
    const told: string[] = []
    const states = await store.monitors.locations([id], ({ message }) => told.push(message))
    expect(states.map(({ location_id }) => location_id)).toEqual([1])
    expect(told).toEqual(['Unreadable "last" in row 1', 'Unreadable "location_id" in row 1'])
  })

  test.each([
    `due_at = -${HUGE}`,
    `created_at = -${HUGE}`,
    `incident_id = ${HUGE}`,
    'claims = 2147483647',
    "payload = '{'",
  ])('a notification is set aside: %s', async (damage) => {
    const bad = await queue(store, { contact_id: 1 })
    const good = await queue(store, { contact_id: 2 })
    await admin.query(`UPDATE notifications SET ${damage} WHERE id = ${bad.id}`)
    expect(ids(await claim(store))).toEqual([good.id])
    expect(await store.notifications.nextDue()).toBe(T0 + 30_000)
    const { rows } = await admin.query(`SELECT status, error FROM notifications WHERE id = $1`, [
      bad.id,
    ])
    expect(rows).toEqual([{ status: 'failed', error: 'unreadable' }])
  })

  test('an engine whose clock was far ahead when it ended keeps no shards', async () => {
    const beat = (now: number) => ({ now, until: now + 10_000 })
    const year = 31_536_000_000
    await store.shards?.hold({ owner: 'ahead', ...beat(T0 + year) })
    expect(await store.shards?.hold({ owner: 'a', ...beat(T0) })).toHaveLength(256)
    // Seconds are what clocks differ by.
    await store.shards?.hold({ owner: 'b', ...beat(T0 + 9000) })
    expect(await store.shards?.hold({ owner: 'a', ...beat(T0) })).toHaveLength(128)
  })
})
