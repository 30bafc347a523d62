import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { isWatchpostError } from '../../src/errors.ts'
import { openTestNet } from '../support/open-net.ts'

const query = { name: 'shop.example', type: 'A' } as const

/** A name server that takes every query and never answers. */
async function silentServer(): Promise<{ address: string; heard: Promise<unknown> }> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, heard: once(socket, 'message') }
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => 'it was answered',
    (reason: unknown) => reason,
  )
  return isWatchpostError(error) ? error.code : error
}

it('a name server is not asked once the check is over', async () => {
  const { address } = await silentServer()
  const net = openTestNet({ nameservers: [address] })
  await net.close()
  expect(await codeOf(net.dns(query))).toBe('unavailable')
})

it('a host is not pinged once the check is over', async () => {
  const net = openTestNet()
  await net.close()
  expect(await codeOf(net.ping({ host: '127.0.0.1', count: 1 }))).toBe('unavailable')
})

it('a query that is under way ends with the check', async () => {
  const { address, heard } = await silentServer()
  const net = openTestNet({ nameservers: [address] })
  const asked = codeOf(net.dns(query))
  await heard
  await net.close()
  expect(await asked).toBe('unavailable')
})
