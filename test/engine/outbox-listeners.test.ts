import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

const AT_ONCE = 20

it('many deliveries at once do not make Node warn the host of a leak', async () => {
  const warnings: string[] = []
  const hear = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))

  // Answers when all of them have come, so that they are under way together.
  const held: ServerResponse[] = []
  const server = createServer((_request, response) => {
    if (held.push(response) < AT_ONCE) return
    for (const each of held) each.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  const engine = createEngine({
    store: memoryStore(),
    checkers: [],
    contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
    limits: { deliveries: AT_ONCE, deliveriesPerContact: AT_ONCE, deliveriesPerHost: AT_ONCE },
  })
  await engine.start()
  onTestFinished(() => engine.stop())
  const settings = { kind: 'webhook', name: 'Duty', url: `http://127.0.0.1:${port}/` } as const
  const contact = await engine.contacts.create(settings)
  const tests = Array.from({ length: AT_ONCE }, () => engine.contacts.test(contact.id))
  const ends = await Promise.all(tests)

  expect(ends.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill('sent'))
  expect(warnings).toEqual([])
})
