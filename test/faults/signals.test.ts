/** F12: signals to the real command line, in each phase of its life. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { commandLine, folder } from '../support/command-line.ts'
import type { Server } from '../support/command-line.ts'
import { unhindered_ms } from '../support/deadlines.ts'

const watchpost = commandLine()

/** What runs may end: 11 s, and what a busy machine adds to it. */
const DRAIN_LIMIT_MS = 16_000

interface Silent {
  readonly port: number
  /** Resolves with the first connection. */
  readonly reached: Promise<Socket>
  connections(): number
}

/** Accepts and says nothing. */
async function silentServer(): Promise<Silent> {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  const reached = once(server, 'connection').then(([socket]) => socket as Socket)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    connections: () => sockets.length,
  }
}

async function create(server: Server, input: object): Promise<number> {
  const { status, body } = await server.call('/api/v1/monitors', { body: input })
  expect(status).toBe(201)
  return (body.monitor as { id: number }).id
}

/** Ends within the time for what runs; how it ended and what it logged. */
async function endsInOrder(server: Server): Promise<string[]> {
  const took_ms = await unhindered_ms(() => server.ended, server.pid)
  const { code, signal, stderr } = await server.ended
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  expect(took_ms).toBeLessThan(DRAIN_LIMIT_MS)
  return stderr
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
}

describe('SIGTERM', () => {
  it('while nothing happens ends in order, as SIGHUP does of a terminal that is gone', async () => {
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      const server = await watchpost.serve()
      server.child.kill(signal)
      expect(await endsInOrder(server)).toContain('stopped')
    }
  })

  it('while a check runs lets it end, and begins no other', async () => {
    const target = await silentServer()
    const server = await watchpost.serve()
    const url = `http://127.0.0.1:${target.port}/`
    await create(server, { type: 'http', name: 'slow', url, interval_sec: 10, timeout_ms: 9000 })
    await target.reached
    server.child.kill('SIGTERM')
    await endsInOrder(server)
    // The same check once more where the process stood still meanwhile; no round after it.
    expect(target.connections()).toBeLessThanOrEqual(2)
  })

  it('while a delivery hangs ends it at its deadline and keeps it for the next start', async () => {
    const [receiver, target] = [await silentServer(), await silentServer()]
    const cwd = folder()
    const contact = { kind: 'webhook', name: 'ops', url: `http://127.0.0.1:${receiver.port}/` }
    writeFileSync(join(cwd, 'contacts.json'), JSON.stringify([{ ...contact, all_monitors: true }]))
    const env = {
      WATCHPOST_API_KEY: 'the-key-of-this-test',
      WATCHPOST_CONTACTS: 'contacts.json',
      WATCHPOST_WEBHOOK_ALLOW: '127.0.0.1/32',
    }
    const key = env.WATCHPOST_API_KEY
    const server = await watchpost.serve({ cwd, env })
    const input = { type: 'http', url: `http://127.0.0.1:${target.port}/`, fail_threshold: 1 }
    await server.call('/api/v1/monitors', { key, body: { ...input, timeout_ms: 500 } })
    await receiver.reached
    server.child.kill('SIGTERM')
    await endsInOrder(server)
    expect(receiver.connections()).toBe(1)
    const again = await watchpost.serve({ cwd, env })
    const { body } = await again.call('/api/v1/notifications', { key })
    expect(body.notifications).toMatchObject([{ event: 'down', status: 'queued' }])
  })

  it('ends at once when it comes a second time', async () => {
    const target = await silentServer()
    const server = await watchpost.serve()
    const url = `http://127.0.0.1:${target.port}/`
    await create(server, { type: 'http', name: 'slow', url, interval_sec: 10, timeout_ms: 9000 })
    await target.reached
    server.child.kill('SIGTERM')
    await server.says(/stopping/)
    // Within a second it is the twin that npm passes on; what is tested is that time has passed.
    await systemClock.sleep(1100)
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 143, signal: null })
  })

  it('ends in order though nobody reads its output any more', async () => {
    const server = await watchpost.serve()
    server.child.stdout?.destroy()
    server.child.stderr?.destroy()
    // Something to be logged, into the closed pipe.
    await create(server, { type: 'tcp', host: '127.0.0.1', port: 9, fail_threshold: 1 })
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })
})
