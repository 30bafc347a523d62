import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { scriptedServer } from './scripted-server.ts'
import { tcpProxy } from './proxy.ts'

/** `once` would reject at the error before it. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

async function echoing() {
  const server = await scriptedServer((socket) => socket.pipe(socket))
  const proxy = await tcpProxy(server.port)
  const socket = connect({ port: proxy.port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let heard = ''
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString()))
  return { server, proxy, socket, heard: () => heard }
}

it('passes bytes both ways', async () => {
  const { socket, heard } = await echoing()
  socket.write('hello')
  await expect.poll(heard).toBe('hello')
})

it('holds what is sent while it is a black hole, and lets it through afterwards', async () => {
  const { server, proxy, socket, heard } = await echoing()
  proxy.set('blackhole')
  socket.write('held')
  // That nothing comes can only be seen by waiting.
  await systemClock.sleep(100)
  expect({ received: server.received, heard: heard(), open: proxy.open }).toEqual({
    received: '',
    heard: '',
    open: 1,
  })
  proxy.set('pass')
  await expect.poll(heard).toBe('held')
})

it('cuts connections with a reset, and new ones as well', async () => {
  const { proxy, socket } = await echoing()
  const errors: unknown[] = []
  socket.on('error', (error) => errors.push(error))
  proxy.set('reset')
  await closed(socket)
  const late = connect({ port: proxy.port, host: '127.0.0.1' })
  late.on('error', (error) => errors.push(error))
  await closed(late)
  expect(errors).toMatchObject([{ code: 'ECONNRESET' }, { code: 'ECONNRESET' }])
})
