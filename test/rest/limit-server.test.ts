import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unwritten } from '../../src/rest/limits/connection.ts'
import { limitServer } from '../../src/rest/node.ts'
import { ASK, HELD, LARGE_BYTES, limited } from './limited.ts'
import type { Client } from './limited.ts'

const answers = (count: number) => Array.from({ length: count }, () => 200)

describe('requests that come one behind the other', () => {
  it.each([15, 16])('%i are answered in their order, and the connection goes on', async (count) => {
    const { connect, begun, events } = await limited()
    const client = await connect()
    client.send(Array.from({ length: count }, (_, at) => ASK.replace('now', `${at}`)).join(''))
    await expect.poll(() => client.statuses()).toEqual(answers(count))
    expect(begun).toEqual(Array.from({ length: count }, (_, at) => `/${at}`))
    client.send(ASK)
    await expect.poll(() => client.statuses()).toEqual(answers(count + 1))
    expect([client.closed(), events]).toEqual([false, []])
  })

  it('of 17 the last is not carried out: the connection ends after the 16', async () => {
    const { connect, begun } = await limited()
    const client = await connect()
    client.send(ASK.repeat(17))
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), begun.length]).toEqual([answers(16), 16])
    expect(client.text().match(/^connection: close/gim)).toHaveLength(1)
  })

  it('are counted from the last answer on: 16 more may come behind 16 that were answered', async () => {
    const { connect, begun } = await limited()
    const client = await connect()
    for (let times = 1; times <= 4; times++) {
      client.send(ASK.repeat(16))
      await expect.poll(() => client.statuses()).toEqual(answers(16 * times))
    }
    expect(begun).toHaveLength(64)
  })

  it('that come in hundreds end the connection at once', async () => {
    const { connect, begun, held, events } = await limited()
    const patient = await connect()
    patient.send(HELD + ASK.repeat(15 + 256))
    await expect.poll(() => held.length).toBe(1)
    const client = await connect()
    client.send(HELD + ASK.repeat(15 + 257))
    await expect.poll(() => client.closed()).toBe(true)
    expect(events).toEqual([{ limit: 'maxPipelinedRequests', address: '127.0.0.1' }])
    expect([begun, patient.closed()]).toEqual([['/held', '/held'], false])
    held[0]?.end()
    await expect.poll(() => patient.statuses()).toEqual(answers(16))
  })

  it('are counted as well where Node refuses them for what they expect', async () => {
    const { connect, begun } = await limited()
    const client = await connect()
    client.send(ASK.replace('Host:', 'Expect: the-unknown\r\nHost:').repeat(17))
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), begun]).toEqual([answers(16).map(() => 417), []])
  })

  it('begin one by one, each when the answer before it has left', async () => {
    const { connect, begun, held } = await limited()
    const client = await connect()
    client.send(HELD.repeat(3))
    for (const count of [1, 2, 3]) {
      await expect.poll(() => held.length).toBe(count)
      expect(begun).toHaveLength(count)
      held.at(-1)?.end('x')
    }
    await expect.poll(() => client.statuses()).toEqual(answers(3))
  })

  it('leave others their turn: one follows on another in each turn of the event loop', async () => {
    const { connect, begun } = await limited({ maxPipelinedRequests: 100 })
    const client = await connect()
    let most = 0
    let before = 0
    const turn = (): void => {
      most = Math.max(most, begun.length - before)
      before = begun.length
      if (before < 100) setImmediate(turn)
    }
    setImmediate(turn)
    client.send(ASK.repeat(100))
    await expect.poll(() => before).toBe(100)
    expect(most).toBeLessThanOrEqual(2)
  })

  it('do not begin behind an answer that nobody reads', async () => {
    const { server, connect, begun } = await limited()
    const client = await connect({ deaf: true })
    client.send(ASK.replace('now', 'large') + ASK)
    await expect.poll(() => begun).toEqual(['/large'])
    const other = await connect()
    other.send(ASK)
    await expect.poll(() => other.statuses()).toEqual([200])
    expect(begun).toEqual(['/large', '/now'])
    let read = 0
    client.socket.on('data', (chunk: Buffer) => (read += chunk.length))
    client.socket.resume()
    await expect.poll(() => begun).toEqual(['/large', '/now', '/now'])
    await expect.poll(() => read).toBeGreaterThan(LARGE_BYTES)
    expect(server.listening).toBe(true)
  })

  it('are forgotten with their connection', async () => {
    const { connect, begun, held } = await limited()
    const client = await connect()
    client.send(HELD + ASK.repeat(3))
    await expect.poll(() => held.length).toBe(1)
    client.socket.destroy()
    await expect.poll(() => held[0]?.destroyed).toBe(true)
    expect(begun).toEqual(['/held'])
  })
})

describe('deadlines', () => {
  it('of headers: 10 s from the connection on, however the letters come', async () => {
    const { connect, clock, events } = await limited()
    const [silent, slow] = [await connect(), await connect()]
    slow.send('GET /now HTTP/1.1\r\n')
    for (let second = 0; second < 9; second++) {
      await clock.advance(1000)
      slow.send(`X-${second}: 1\r\n`)
    }
    expect([silent.closed(), slow.closed(), events]).toEqual([false, false, []])
    await clock.advance(2000)
    await expect.poll(() => [silent.closed(), slow.closed()]).toEqual([true, true])
    expect([silent.statuses(), slow.statuses()]).toEqual([[408], [408]])
    expect(events.map(({ limit }) => limit)).toEqual(['headersTimeoutMs', 'headersTimeoutMs'])
  })

  it('of headers: the same for a later request of a connection', async () => {
    const { connect, clock, sockets } = await limited()
    const client = await connect()
    client.send(ASK)
    await expect.poll(() => client.statuses()).toEqual([200])
    const before = sockets[0]?.bytesRead ?? 0
    client.send('GET /now HTTP/1.1\r\n')
    await expect.poll(() => sockets[0]?.bytesRead).toBeGreaterThan(before)
    await clock.advance(9000)
    client.send('Host: a\r\n\r\n')
    await expect.poll(() => client.statuses()).toEqual([200, 200])
    const again = sockets[0]?.bytesRead ?? 0
    client.send('GET /now HTTP/1.1\r\n')
    await expect.poll(() => sockets[0]?.bytesRead).toBeGreaterThan(again)
    await clock.advance(12_000)
    await expect.poll(() => client.closed()).toBe(true)
    expect(client.statuses()).toEqual([200, 200, 408])
  })

  it('of bodies: 40 s from the headers on', async () => {
    const { connect, clock, begun, events } = await limited()
    const client = await connect()
    client.send('POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n')
    await expect.poll(() => begun).toEqual(['/body'])
    for (let second = 0; second < 39; second++) {
      await clock.advance(1000)
      client.send('x')
    }
    expect(client.closed()).toBe(false)
    await clock.advance(2000)
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), events.map(({ limit }) => limit)]).toEqual([
      [408],
      ['bodyTimeoutMs'],
    ])
  })

  it('of a peer that does not read: 20 s without progress', async () => {
    const { server, connect, clock, events, sockets } = await limited()
    const client = await connect({ deaf: true })
    client.send(ASK.replace('now', 'large'))
    await untilFull(sockets[0])
    await clock.advance(19_000)
    expect(await count(server)).toBe(1)
    await clock.advance(3000)
    await expect.poll(() => count(server)).toBe(0)
    expect(events.map(({ limit }) => limit)).toEqual(['writeTimeoutMs'])
  })

  it('do not hold for an answer that goes on, however slowly', async () => {
    const { server, connect, clock, sockets } = await limited()
    const client = await connect({ deaf: true })
    client.send(ASK.replace('now', 'large'))
    const left = () => unwritten(sockets[0] as Socket)
    await untilFull(sockets[0])
    let read = 0
    let wanted = 0
    client.socket.on('data', (chunk: Buffer) => {
      read += chunk.length
      if (read >= wanted) client.socket.pause()
    })
    for (const part of [8, 4, 2]) {
      await clock.advance(19_000)
      const before = left()
      wanted = LARGE_BYTES / part
      client.socket.resume()
      await expect.poll(() => read).toBeGreaterThanOrEqual(wanted)
      // The server hears of it later than the client reads.
      await expect.poll(left).toBeLessThan(before)
    }
    expect(await count(server)).toBe(1)
  })

  it('do not hold while the client waits for the server', async () => {
    const { connect, clock, held } = await limited()
    const client = await connect()
    client.send(HELD)
    await expect.poll(() => held.length).toBe(1)
    await clock.advance(600_000)
    held[0]?.end('x')
    await expect.poll(() => client.statuses()).toEqual([200])
  })

  it('do not hold for a body behind an answer that takes long', async () => {
    const { connect, clock, held } = await limited()
    const client = await connect()
    client.send(`${HELD}POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n`)
    client.send('x'.repeat(200_000))
    await expect.poll(() => held.length).toBe(1)
    await clock.advance(60_000)
    held[0]?.end('x')
    await expect.poll(() => client.statuses()).toEqual([200, 200])
  })

  it('of an idle connection: 5 s', async () => {
    const { server, connect, clock, events } = await limited()
    const client = await connect()
    client.send(ASK)
    await expect.poll(() => client.statuses()).toEqual([200])
    await clock.advance(4000)
    expect(await count(server)).toBe(1)
    await clock.advance(2000)
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), events.map(({ limit }) => limit)]).toEqual([
      [200],
      ['idleTimeoutMs'],
    ])
    expect(client.text()).toContain('Keep-Alive: timeout=5')
  })

  it('leave no timer behind', async () => {
    const { connect, clock, server } = await limited()
    const client = await connect()
    expect(clock.pending).toBe(1)
    client.socket.destroy()
    await expect.poll(() => count(server)).toBe(0)
    await clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  it('do not hold for a connection that speaks another protocol by now', async () => {
    const { server, connect, clock } = await limited()
    server.on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
      socket.on('data', (chunk) => socket.write(chunk))
      socket.on('error', () => undefined)
    })
    const client = await connect()
    client.send('GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
    await expect.poll(() => client.statuses()).toEqual([101])
    await clock.advance(600_000)
    client.send('echo')
    await expect.poll(() => client.text()).toContain('echo')
    client.socket.destroy()
  })
})

describe('places for connections', () => {
  it('are given up by whoever has been waited for the longest', async () => {
    const { connect, clock, events } = await limited({ maxConnections: 3 })
    const [idle, half, fresh] = [await connect(), await connect(), await connect()]
    half.send('GET /')
    await clock.advance(1000)
    idle.send(ASK)
    await expect.poll(() => idle.statuses()).toEqual([200])
    const fourth = await connect()
    await expect.poll(() => half.closed()).toBe(true)
    fourth.send(ASK)
    await expect.poll(() => fourth.statuses()).toEqual([200])
    expect([idle.closed(), fresh.closed()]).toEqual([false, false])
    expect(events).toEqual([{ limit: 'maxConnections', address: '127.0.0.1' }])
  })

  it('are not given up by whoever waits for an answer', async () => {
    const { connect, held } = await limited({ maxConnections: 2 })
    const [first, second] = [await connect(), await connect()]
    for (const each of [first, second]) each.send(HELD)
    await expect.poll(() => held.length).toBe(2)
    const third = await connect()
    await expect.poll(() => third.closed()).toBe(true)
    for (const res of held) res.end('x')
    await expect.poll(() => [first.statuses(), second.statuses()]).toEqual([[200], [200]])
  })

  it.each([
    ['sends a body', 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n'],
    ['does not read', ASK.replace('now', 'large')],
  ])('are given up by one that %s', async (_name, request) => {
    const { server, connect, begun } = await limited({ maxConnections: 1 })
    const first = await connect({ deaf: true })
    first.send(request)
    await expect.poll(() => begun.length).toBe(1)
    const second = await connect()
    second.send(ASK)
    await expect.poll(() => second.statuses()).toEqual([200])
    expect(await count(server)).toBe(1)
  })

  it('are shared by address, and the largest share gives way first', async () => {
    const { connect, events } = await limited({
      maxConnections: 4,
      maxConnectionsPerAddress: 3,
      trustProxy: '127.0.0.9',
    })
    const quiet = await connect({ from: '127.0.0.2' })
    const crowd: Client[] = []
    for (let times = 0; times < 4; times++) crowd.push(await connect({ from: '127.0.0.3' }))
    await expect.poll(() => crowd.map((each) => each.closed())).toEqual([true, false, false, false])
    await connect({ from: '127.0.0.4' })
    await expect.poll(() => crowd.map((each) => each.closed())).toEqual([true, true, false, false])
    expect(quiet.closed()).toBe(false)
    expect(events.map(({ limit, address }) => `${limit} ${address ?? ''}`)).toEqual([
      'maxConnectionsPerAddress 127.0.0.3',
      'maxConnections 127.0.0.3',
    ])
  })

  it('are as many as there are for a trusted proxy', async () => {
    const { connect, events } = await limited({
      maxConnectionsPerAddress: 1,
      trustProxy: '127.0.0.9',
    })
    const proxied = await Promise.all([1, 2, 3].map(() => connect({ from: '127.0.0.9' })))
    for (const each of proxied) each.send(ASK)
    await expect.poll(() => proxied.map((each) => each.statuses())).toEqual([[200], [200], [200]])
    expect(events).toEqual([])
  })

  it('are refused to one address that waits for all of its answers', async () => {
    const { connect, held, events } = await limited({
      maxConnectionsPerAddress: 1,
      trustProxy: '127.0.0.9',
    })
    const first = await connect({ from: '127.0.0.2' })
    first.send(HELD)
    await expect.poll(() => held.length).toBe(1)
    const second = await connect({ from: '127.0.0.2' })
    await expect.poll(() => second.closed()).toBe(true)
    expect(events).toEqual([{ limit: 'maxConnectionsPerAddress', address: '127.0.0.2' }])
    held[0]?.end('x')
    await expect.poll(() => first.statuses()).toEqual([200])
  })
})

/** Until the kernel takes no more of a response that nobody reads: what it takes later would count as read. */
async function untilFull(socket: Socket | undefined): Promise<void> {
  let before = 0
  const rests = (): boolean => {
    const left = socket === undefined ? 0 : unwritten(socket)
    const same = left === before && left > 0
    before = left
    return same
  }
  await expect.poll(rests, { interval: 200 }).toBe(true)
}

function count(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, open) => (error === null ? resolve(open) : reject(error))),
  )
}

describe('requests that many connections send at once', () => {
  /** Each keeps the processor busy for longer than a turn should. */
  async function busy() {
    let turn = 0
    const count = () => {
      turn++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const begun: { readonly path: string; readonly turn: number }[] = []
    const server = createServer((req, res) => {
      begun.push({ path: req.url ?? '', turn })
      const until = performance.now() + 12
      while (performance.now() < until);
      res.end()
    })
    let opened = 0
    server.on('connection', () => opened++)
    limitServer(server, { trustProxy: '10.0.0.1' })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      clearImmediate(counting)
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const open = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }
    return { begun, open, opened: () => opened }
  }

  it('begin in several turns, and those of one client after the first of each other', async () => {
    const { begun, open, opened } = await busy()
    const many = await Promise.all(Array.from({ length: 20 }, () => open('127.0.0.1')))
    const one = await open('127.0.0.2')
    // Node accepts one connection a turn.
    await expect.poll(opened).toBe(21)
    for (const socket of many) socket.write('GET /many HTTP/1.1\r\nHost: a\r\n\r\n')
    one.write('GET /one HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => begun.length).toBe(21)
    const turns = new Map<number, number>()
    for (const { turn } of begun) turns.set(turn, (turns.get(turn) ?? 0) + 1)
    expect(Math.max(...turns.values())).toBeLessThanOrEqual(2)
    // Behind what had begun before it arrived.
    expect(begun.findIndex(({ path }) => path === '/one')).toBeLessThan(8)
  })
})
