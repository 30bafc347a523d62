import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { certificates } from '../support/certificates.ts'
import { scriptedServer } from '../support/scripted-server.ts'

it.each([
  ['is trusted by deliveries where the engine is given its root', true, 'sent', null],
  ['is not trusted otherwise', false, 'failed', 'tls_self_signed'],
])('an authority of our own %s', async (_, isGiven, status, error) => {
  const { selfSigned } = certificates()
  const server = await scriptedServer(
    (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')),
    { tls: selfSigned },
  )
  const engine = createEngine({
    store: memoryStore(),
    checkers: [],
    contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
    ...(isGiven ? { ca: selfSigned.cert } : {}),
  })
  await engine.start()
  onTestFinished(() => engine.stop())
  const url = `https://127.0.0.1:${server.port}/`
  const { id } = await engine.contacts.create({ kind: 'webhook', name: 'Duty', url })
  expect(await engine.contacts.test(id)).toMatchObject({ status, error })
})
