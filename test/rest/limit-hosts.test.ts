/** `limitServer` on the servers that hosts have. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import express from 'express'
import { fastify } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limitServer, toNodeHandler } from '../../src/rest/node.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { certificates } from '../support/certificates.ts'
import { client } from './client.ts'
import { limited } from './limited.ts'

const ME = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'

async function openedHere(server: Server): Promise<number> {
  if (!server.listening) server.listen(0, '127.0.0.1')
  if (!server.listening) await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const CLOSE = /^Connection: close/gim

/** In the end: the status codes, and how often it was said that the connection ends. */
async function statusesOf(socket: Socket): Promise<readonly string[]> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'close')
  return [...(text.match(/(?<=HTTP\/1\.1 )\d{3} /g) ?? []), ...(text.match(CLOSE) ?? [])]
}

const ENDED = [...Array.from({ length: 16 }, () => '200 '), 'Connection: close']

describe('a limited server answers 16 of 17 and ends', () => {
  it('with node:http', async () => {
    const handler = toNodeHandler(client().rest)
    const server = createServer((req, res) => handler(req, res))
    limitServer(server)
    const socket = connect(await openedHere(server), '127.0.0.1')
    socket.write(ME.repeat(17))
    expect(await statusesOf(socket)).toEqual(ENDED)
  })

  it('with Express', async () => {
    const app = express()
    app.use(toNodeHandler(client().rest))
    const server = createServer(app)
    limitServer(server)
    const socket = connect(await openedHere(server), '127.0.0.1')
    socket.write(ME.repeat(17))
    expect(await statusesOf(socket)).toEqual(ENDED)
  })

  it('with Fastify', async () => {
    const app = fastify()
    const handler = toNodeHandler(client().rest)
    app.all('/api/v1/*', (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw)
    })
    limitServer(app.server)
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => app.close())
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(ME.repeat(17))
    expect(await statusesOf(socket)).toEqual(ENDED)
  })

  it('with node:https', async () => {
    const { good, ca } = certificates()
    const handler = toNodeHandler(client().rest)
    const server = createSecureServer({ key: good.key, cert: good.chain }, (req, res) =>
      handler(req, res),
    )
    limitServer(server)
    const port = await openedHere(server)
    const socket = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    socket.write(ME.repeat(17))
    expect(await statusesOf(socket)).toEqual(ENDED)
  })
})

describe('a limited server of node:https', () => {
  it('ends a handshake that does not come, and headers that do not come behind one', async () => {
    const { good, ca } = certificates()
    const clock = simulatedClock()
    const server = createSecureServer({ key: good.key, cert: good.chain })
    limitServer(server, { clock })
    const port = await openedHere(server)
    const mute = connect(port, '127.0.0.1')
    const said: Buffer[] = []
    mute.on('data', (chunk: Buffer) => said.push(chunk))
    mute.on('error', () => undefined)
    const half = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    const statuses = statusesOf(half)
    const arrived = once(server, 'secureConnection')
    half.write('GET / HTTP/1.1\r\n')
    const [secured] = (await arrived) as [Socket]
    await expect.poll(() => secured.bytesRead).toBeGreaterThan(0)
    await expect.poll(() => connections(server)).toBe(2)
    await clock.advance(9000)
    expect(await connections(server)).toBe(2)
    await clock.advance(2000)
    expect(await statuses).toEqual(['408 ', 'Connection: close'])
    await expect.poll(() => mute.closed).toBe(true)
    expect(Buffer.concat(said).toString()).toBe('')
  })
})

describe('a request that asks whether to go on', () => {
  it('has its turn as any other', async () => {
    const { connect: open, held, server } = await limited()
    const asked: string[] = []
    server.on('checkContinue', (req, res) => {
      asked.push(req.url ?? '')
      res.writeContinue()
      req.resume().once('end', () => res.end('x'))
    })
    const one = await open()
    one.send('GET /held HTTP/1.1\r\nHost: a\r\n\r\n')
    one.send('POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n')
    await expect.poll(() => held.length).toBe(1)
    expect(asked).toEqual([])
    held[0]?.end()
    await expect.poll(() => one.statuses()).toEqual([200, 100])
    one.send('x')
    await expect.poll(() => one.statuses()).toEqual([200, 100, 200])
  })
})

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, open) => (error === null ? resolve(open) : reject(error))),
  )
}
