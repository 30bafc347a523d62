import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createNetwork } from '../../src/net/create-net.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { beginAttempt } from '../../src/webhook/attempt.ts'
import type { AttemptResult } from '../../src/webhook/contact-kind.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { withDeadline } from '../support/deadlines.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import type { Script } from '../support/scripted-server.ts'
import { answering, rig, status } from './rig.ts'

const timeout = { class: 'temporary', http_status: null, error: 'timeout' }

/** What the attempt ends with, as expected and soon: far below the 10 s that its deadline would be by default. */
async function ends(
  shortest_ms: number,
  attempt: (deadlineMs: number) => Promise<AttemptResult>,
  expected: object = timeout,
): Promise<AttemptResult> {
  return withDeadline(shortest_ms, async (deadlineMs) => {
    const end = await attempt(deadlineMs)
    expect(end).toMatchObject(expected)
    expect(end.duration_ms).toBeLessThan(deadlineMs + 3700)
    return end
  })
}

function every(ms: number, run: () => void): void {
  const timer = setInterval(run, ms)
  onTestFinished(() => clearInterval(timer))
}

describe('the deadline of an attempt', () => {
  const scripts: Readonly<Record<string, Script>> = {
    'never answers': () => undefined,
    'drips the headers': (socket) => {
      const bytes = [...`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(1000)}`]
      every(20, () => void socket.write(bytes.shift() ?? 'a'))
    },
    'drips one header after the other': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      every(20, () => void socket.write('X-A: b\r\n'))
    },
    'hints without end': (socket) =>
      every(5, () => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
    'says continue and nothing more': (socket) =>
      void socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  }

  it.each(Object.entries(scripts))('holds against a receiver that %s', async (_, script) => {
    const server = await scriptedServer(script)
    const url = `http://127.0.0.1:${server.port}/`
    const end = await ends(300, (deadlineMs) => rig({ deadlineMs }).attempt({ url }))
    expect(end.duration_ms).toBeGreaterThanOrEqual(290)
    await server.idle()
  })

  it('holds against a receiver that never reads the request', async () => {
    const sockets: Socket[] = []
    const server = await scriptedServer((socket) => void sockets.push(socket.pause()))
    const body = Buffer.alloc(16 * 2 ** 20, 'x')
    const url = `http://127.0.0.1:${server.port}/`
    await ends(300, (deadlineMs) => rig({ deadlineMs }).attempt({ url }, { body }))
    // Only a socket that is read notices its end.
    for (const socket of sockets) socket.resume()
    await server.idle()
  })

  it('holds in the TLS handshake', async () => {
    const server = await scriptedServer(() => undefined)
    const url = `https://127.0.0.1:${server.port}/`
    await ends(300, (deadlineMs) => rig({ deadlineMs }).attempt({ url }))
    await server.idle()
  })

  it('holds while the name is resolved', async () => {
    const dns = await scriptedDns(() => undefined)
    const nameservers = [dns.address]
    const url = 'http://hook.example/'
    // Name servers that are silent are found out in time to say so.
    const expected = { ...timeout, error: 'probe_resolver_broken' }
    await ends(800, (deadlineMs) => rig({ deadlineMs, nameservers }).attempt({ url }), expected)
  })

  it('holds while the connection is not accepted', async () => {
    const url = `http://127.0.0.1:${await fullPort()}/`
    await ends(300, (deadlineMs) => rig({ deadlineMs }).attempt({ url }))
  })

  it('does not wait for the end of a dripping answer', async () => {
    const server = await scriptedServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nstart ')
      every(20, () => void socket.write('.'))
    })
    const url = `http://127.0.0.1:${server.port}/`
    const answer = expect.stringMatching(/^start \.+$/) as string
    const expected = { class: 'delivered', http_status: 200, error: null, answer }
    await ends(200, (answerMs) => rig({ answerMs }).attempt({ url }), expected)
    await server.idle()
  })

  it('leaves the answer no more than the rest of the time', async () => {
    const server = await scriptedServer((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nx'))
    const url = `http://127.0.0.1:${server.port}/`
    const expected = { class: 'delivered', answer: 'x' }
    const answerMs = 60_000
    await ends(300, (deadlineMs) => rig({ deadlineMs, answerMs }).attempt({ url }), expected)
  })
})

describe('the time that a receiver has', () => {
  it('is 10 seconds unless the operator says otherwise', async () => {
    const clock = simulatedClock()
    const server = await scriptedServer(() => undefined)
    const pending = rig({ clock }).attempt({ url: `http://127.0.0.1:${server.port}/` })
    let end: AttemptResult | undefined
    void pending.then((ended) => (end = ended))
    await expect.poll(() => server.received).not.toBe('')
    await clock.advance(9_999)
    expect(end).toBeUndefined()
    await clock.advance(1)
    expect(await pending).toMatchObject({ ...timeout, duration_ms: 10_000 })
  })
})

describe('an engine that stops', () => {
  it('ends an attempt under way, which counts', async () => {
    const server = await scriptedServer((socket) => void socket.once('data', () => stop()))
    const { attempt, stop } = rig()
    const end = await attempt({ url: `http://127.0.0.1:${server.port}/` })
    expect(end).toMatchObject({ class: 'temporary', error: 'stopped' })
    expect(end.uncounted).toBeUndefined()
    await server.idle()
  })

  it('does not begin another, which does not count', async () => {
    const server = await scriptedServer(answering(status(200)))
    const { attempt, stop } = rig()
    stop()
    const end = await attempt({ url: `http://127.0.0.1:${server.port}/` })
    expect(end).toMatchObject({ class: 'temporary', error: 'stopped', uncounted: true })
    expect(server.connections).toBe(0)
  })
})

it('an attempt does its work in the turns of its network', async () => {
  const clock = simulatedClock()
  const network = createNetwork({ clock, policy: webhookContact({}).policy })
  const attempt = beginAttempt({ network, clock, signal: new AbortController().signal }, 300)
  function* work(): Generator<void, string> {
    yield
    return 'done'
  }
  expect(await attempt.inTurns(work())).toBe('done')
  await attempt.end()
})

describe('a pause within an attempt', () => {
  it('lets a turn of the event loop pass, and ends with the attempt', async () => {
    const clock = simulatedClock()
    const network = createNetwork({ clock, policy: webhookContact({}).policy })
    const engine = new AbortController()
    const attempt = beginAttempt({ network, clock, signal: engine.signal }, 300)
    let passed = false
    const pause = attempt.rest().then(() => (passed = true))
    await Promise.resolve()
    expect(passed).toBe(false)
    await clock.advance(0)
    expect(await pause).toBe(true)
    const stopped = new Error('the engine stops')
    const refused = expect(attempt.rest()).rejects.toBe(stopped)
    engine.abort(stopped)
    await refused
    await attempt.end()
    expect(clock.pending).toBe(0)
  })
})

/** A port whose queue is full: the listener is blocked, so that the kernel answers no further connection. */
async function fullPort(): Promise<number> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     const server = require('node:net').createServer()
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port)
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
     })`,
    { eval: true },
  )
  onTestFinished(() => void worker.terminate())
  const [port] = (await once(worker, 'message')) as [number]
  for (let n = 0; n < 4; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
  }
  return port
}
