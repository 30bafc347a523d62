/** Whoever waits for the end of a test delivery is answered, also where nobody sends it any more. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

/** A contact whose receiver says nothing, with one test under way and one that waits behind it. */
async function twoTests() {
  let asked = 0
  const server = createServer(() => (asked += 1)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const store = memoryStore()
  const engine = createEngine({
    store,
    checkers: [],
    contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
    limits: { deliveriesPerContact: 1 },
    logger: false,
  })
  onTestFinished(() => engine.stop({ drainMs: 0 }))
  await engine.start()
  const account = await engine.accounts.create({ name: 'Tenant' })
  const { contacts } = engine.account(account.id)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { id } = await contacts.create({ kind: 'webhook', name: 'Duty', url })
  const first = contacts.test(id)
  first.catch(() => undefined)
  await expect.poll(() => asked).toBe(1)
  const second = contacts.test(id)
  second.catch(() => undefined)
  await expect.poll(() => store.notifications.depth()).toBe(2)
  return { engine, contacts, account_id: account.id, contact_id: id, second }
}

it('is told that it was cancelled where the contact is removed', async () => {
  const { contacts, contact_id, second } = await twoTests()
  await contacts.remove(contact_id)
  expect(await second).toMatchObject({ status: 'cancelled', error: 'contact_removed' })
})

it('is told that it is gone where the account is removed', async () => {
  const { engine, account_id, second } = await twoTests()
  await engine.accounts.remove(account_id)
  await expect(second).rejects.toMatchObject({ code: 'not_found' })
})

it('is told that the engine stops', async () => {
  const { engine, second } = await twoTests()
  await engine.stop({ drainMs: 0 })
  await expect(second).rejects.toMatchObject({ code: 'stopped' })
})
