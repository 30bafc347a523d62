/** Thousands of notifications that wait behind others keep nobody from having a turn, and no other account waiting. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/store/sqlite/connection.ts'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { anotherAccount, firstAccount, monitor } from '../../src/testing/store-suite/case.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const CONTACTS = 50
const LANES = 1000
const OTHER = CONTACTS + 1
const [PAUSED, DUE, NOW] = [1_000_000, 10, 1000]

const folder = mkdtempSync(join(tmpdir(), 'watchpost-lanes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Of every monitor and contact one row with these values. */
const rows = (of: string, columns: string) => `
  INSERT INTO notifications (account_id, monitor_id, contact_id, event, status, due_at, attempts, claims,
    interruptions, payload, repeat, created_at) ${of} SELECT ${columns} FROM n`
const counting = (count: number) =>
  `WITH RECURSIVE n (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < ${count - 1})`

describe('fifty contacts with a thousand lanes each, in which an earlier notification pauses', () => {
  const file = join(folder, 'data.db')
  const store = sqliteStore({ file })

  beforeAll(async () => {
    await store.open()
    await firstAccount(store)
    await anotherAccount(store)
    await store.monitors.create(monitor())
    await store.close()
    const driver = await loadDriver()
    const db = connect(driver.open(file))
    for (const pragma of driver.pragmas) db.exec(`PRAGMA ${pragma}`)
    const lane = `1, 1 + x / ${CONTACTS}, 1 + x % ${CONTACTS}`
    const all = counting(CONTACTS * LANES)
    db.exec(rows(all, `${lane}, 'down', 'queued', ${PAUSED}, 1, 1, 0, '{}', 0, 1`))
    db.exec(rows(all, `${lane}, 'up', 'queued', ${DUE}, 0, 0, 0, '{}', 0, 1`))
    // Of another account: nine lanes that are blocked as well, and behind them one that is free.
    const other = `2, 1 + x, ${OTHER}`
    db.exec(rows(counting(9), `${other}, 'down', 'queued', ${PAUSED}, 1, 1, 0, '{}', 0, 1`))
    db.exec(rows(counting(10), `${other}, 'up', 'queued', ${DUE} + x, 0, 0, 0, '{}', 0, 1`))
    db.close()
    await store.open()
    return () => store.close()
  })

  const claim = (now: number, contact_id?: number) => {
    const wanted = { now, lease_until: now + 1, limit: 50, per_contact: 5 }
    return store.notifications.claim(contact_id === undefined ? wanted : { ...wanted, contact_id })
  }

  it('a claim finds what is free of another account, in a short turn', async () => {
    const claiming = await leastOf(3, () => measureTurns(() => claim(NOW)), TURN_MS / 2)
    expect(claiming.longest_ms).toBeLessThan(TURN_MS)
    const [free] = await store.notifications.list({ account_id: 2, limit: 1 })
    expect(free).toMatchObject({ monitor_id: 10, status: 'sending', claims: 1 })
  })

  it('what becomes free is found by one of the next claims, wherever it is', async () => {
    const contact_id = 7
    const [first] = await claim(PAUSED + 1, contact_id)
    expect(first?.event).toBe('down')
    const end = { status: 'sent', attempts: 2, interruptions: 0, error: null } as const
    const done = { ...end, id: first?.id ?? 0, claim: first?.claims ?? 0, at: NOW }
    expect(await store.notifications.finish(done)).toBe(true)
    const found: string[] = []
    for (let n = 0; n < 2 * CONTACTS && found.length === 0; n++) {
      const next = await claim(NOW + 1, contact_id)
      for (const { event, monitor_id } of next)
        if (monitor_id === first?.monitor_id) found.push(event)
    }
    expect(found).toEqual(['up'])
  })
})
