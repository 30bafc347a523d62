import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

const PER_HOST = 2

/** A receiver that says nothing at `/silent` and 204 to all else. */
async function receiver(): Promise<{ readonly url: string; silent(): number }> {
  let silent = 0
  const server = createServer((request, response) => {
    if (request.url === '/silent') silent++
    else response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, silent: () => silent }
}

it('deliveries of one account that hang at a host do not keep another from that host', async () => {
  const { url, silent } = await receiver()
  const engine = createEngine({
    store: memoryStore(),
    checkers: [],
    contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
    limits: { deliveriesPerContact: PER_HOST, deliveriesPerHost: PER_HOST },
  })
  await engine.start()
  onTestFinished(() => engine.stop({ drainMs: 0 }))
  const { id } = await engine.accounts.create({ name: 'Other' })
  const other = engine.account(id)
  const webhook = { kind: 'webhook', name: 'Duty' } as const
  const slow = await other.contacts.create({ ...webhook, url: `${url}/silent` })
  const hanging = Array.from({ length: 3 * PER_HOST }, () => other.contacts.test(slow.id))
  void Promise.allSettled(hanging)
  await expect.poll(silent).toBe(PER_HOST)

  const own = await engine.contacts.create({ ...webhook, url: `${url}/own` })
  const told = await engine.contacts.test(own.id)
  expect(told.status).toBe('sent')
  // No attempt of the other account had to end for it.
  expect(silent()).toBe(PER_HOST)
})
