/** However many notifications wait for a contact that is removed, a transaction cancels some of them. */
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import {
  commitOne,
  contact,
  firstAccount,
  monitor,
  notice,
  on,
  T0,
} from '../../src/testing/store-suite/case.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'

/** Of one contact, some of them due at the same time. */
const ROWS = 2100

describeWithServer(
  postgresServer,
  'the store in PostgreSQL, with a contact for which much waits',
  () => {
    it('removes it before all of that is cancelled', async () => {
      const server = await startPostgres()
      onTestFinished(() => server.stop())
      const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
      const store = postgresStore({ url })
      onTestFinished(() => store.close())
      await store.open()
      await firstAccount(store)
      const { id: contact_id } = await store.contacts.create(contact())
      const made = await store.monitors.create(monitor())
      const due = (row: number): number => T0 + Math.floor(row / 3)
      const notify = Array.from({ length: ROWS }, (_, row) =>
        notice({ contact_id, due_at: due(row) }),
      )
      await commitOne(store, on(made, { notify }))
      const admin = new pg.Client({ connectionString: url })
      onTestFinished(() => admin.end())
      await admin.connect()
      await admin.query('BEGIN')
      const last = 'SELECT id FROM watchpost.notifications ORDER BY due_at DESC, id DESC LIMIT 1'
      await admin.query(`${last} FOR UPDATE`)

      const removal = store.contacts.remove(contact_id)
      // The last step waits for the row.
      await expect.poll(() => store.notifications.depth()).toBe(ROWS - 2000)
      expect(await store.contacts.get(contact_id)).toBeUndefined()
      await admin.query('COMMIT')
      expect(await removal).toBe(true)
      expect(await store.notifications.depth()).toBe(0)
      const query = { account_id: 1, contact_id, statuses: ['cancelled'], limit: ROWS } as const
      const cancelled = await store.notifications.list(query)
      expect(new Set(cancelled.map(({ error }) => error))).toEqual(new Set(['contact_removed']))
      expect(cancelled).toHaveLength(ROWS)
    })
  },
)
