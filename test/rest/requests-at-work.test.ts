/** Many requests of one account at once: few are worked on, and those of others do not wait for them. */

import { describe, expect, it } from 'vitest'
import { AT_WORK } from '../../src/access/turns.ts'
import type { IncidentQuery } from '../../src/store/store.ts'
import { client } from './client.ts'
import { OTHER_KEY } from './service.ts'

/** Lists of incidents of the first account do not end before `release`. */
function slow() {
  const asked: unknown[] = []
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const made = client({}, ({ incidents, ...store }) => {
    async function list(query: IncidentQuery) {
      asked.push(query.account_id)
      if (query.account_id === 1) await released
      return incidents.list(query)
    }
    return { ...store, incidents: { ...incidents, list } }
  })
  return { ...made, asked, release, incidents: () => made.ask('GET', '/api/v1/incidents') }
}

describe('of many requests of one account at once', () => {
  it('some are worked on, and the others follow', async () => {
    const { ask, asked, incidents, release } = slow()
    const answers = Array.from({ length: AT_WORK + 4 }, incidents)
    await expect.poll(() => asked.length).toBeGreaterThanOrEqual(AT_WORK)

    expect((await ask('GET', '/api/v1/incidents', { key: OTHER_KEY })).status).toBe(200)
    expect(asked.filter((account_id) => account_id === 1)).toHaveLength(AT_WORK)
    release()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(asked).toHaveLength(AT_WORK + 4 + 1)
  })

  it('a check, a test of a contact, an action on many monitors and the balance wait for no other', async () => {
    const { ask, asked, incidents, create, engine, release, webhooks } = slow()
    await engine.start()
    const id = await create()
    const url = 'http://127.0.0.1/hook'
    const contact = await engine.contacts.create({ kind: 'webhook', name: 'ops', url })
    const answers = Array.from({ length: AT_WORK }, incidents)
    await expect.poll(() => asked.length).toBe(AT_WORK)

    const check = await ask('POST', `/api/v1/monitors/${id}/check?wait=1`)
    const test = await ask('POST', `/api/v1/contacts/${contact.id}/test`)
    const body = { action: 'pause', filter: { all: true } }
    const bulk = await ask('POST', '/api/v1/monitors/bulk', { body })
    const balance = await ask('GET', '/api/v1/balance')
    const all = [check, test, bulk, balance].map(({ status }) => status)
    expect(all).toEqual([200, 200, 200, 200])
    expect(webhooks.requests).toHaveLength(1)
    release()
    await Promise.all(answers)
    await engine.stop()
  })

  it('one whose key is revoked while it waits is refused', async () => {
    const { ask, asked, incidents, clock, engine, release } = slow()
    const answers = Array.from({ length: AT_WORK }, incidents)
    await expect.poll(() => asked.length).toBe(AT_WORK)
    const { key } = await engine.keys.create({ name: 'short' })
    const late = ask('GET', '/api/v1/monitors', { key })
    expect((await ask('GET', '/api/v1/incidents', { key: OTHER_KEY })).status).toBe(200)
    const keys = await engine.keys.list()
    await engine.keys.revoke(keys.find(({ name }) => name === 'short')?.id ?? 0)
    await clock.advance(2000)
    release()
    expect((await late).status).toBe(401)
    await Promise.all(answers)
  })
})
