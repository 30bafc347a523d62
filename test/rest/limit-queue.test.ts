/** When the requests of `limitServer` begin, and what reaches the listeners, on sockets that are told what they have. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createConnection } from '../../src/rest/limits/connection.ts'
import { limitServer } from '../../src/rest/limits/limit-server.ts'
import type { LimitEvent, LimitServerOptions } from '../../src/rest/limits/options.ts'
import { createRequestQueue } from '../../src/rest/limits/request-queue.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { Peer, received } from './peer.ts'

const [IDLE, HEADERS, BODY] = [5000, 10_000, 40_000]

describe('the requests of connections', () => {
  function asked({ most = 2 } = {}) {
    const clock = simulatedClock()
    const ended: unknown[] = []
    const queue = createRequestQueue({
      ...{ limits: { maxPipelinedRequests: most }, clock },
      end: (connection, limit) => void ended.push([connection.client, limit]),
    })
    const begun: string[] = []
    /** A connection of this client that asks. */
    const client = (name: string) => {
      const peer = new Peer('192.0.2.1')
      const connection = createConnection(peer.socket, { client: name, now: 0 })
      const answers: EventEmitter[] = []
      const headers: unknown[] = []
      let count = 0
      const ask = (header_bytes = 0) => {
        const nth = ++count
        const res = Object.assign(new EventEmitter(), {
          setHeader: (...header: unknown[]) => void headers.push([nth, ...header]),
        })
        answers.push(res)
        const req = { nth } as unknown as IncomingMessage
        const run = () => void begun.push(`${name}${nth}`)
        const answer = res as unknown as ServerResponse
        queue.take(connection, { req, res: answer, has_body: false, header_bytes, run })
      }
      /** The oldest answer has left. */
      const answered = () => answers.shift()?.emit('close')
      return { peer, connection, ask, answered, headers }
    }
    return { clock, ended, begun, client }
  }

  it('begin at once, and behind another when its answer has left, a turn later', async () => {
    const { clock, begun, client } = asked()
    const { connection, ask, answered, peer } = client('a')
    peer.bytesRead = 7
    await clock.advance(50)
    ask()
    ask()
    expect([begun, connection.pending.length, connection.since]).toEqual([['a1'], 2, 50])
    expect(connection.latest).toEqual({ nth: 2 })
    answered()
    expect(begun).toEqual(['a1'])
    await clock.advance(30)
    expect(begun).toEqual(['a1', 'a2'])
    answered()
    expect(connection).toMatchObject({ pending: [], since: 80, beginning: false, readAtRest: 7 })
    expect([peer.done, clock.pending]).toEqual([[], 0])
  })

  it('beyond the limit are left out, and the connection ends behind the last answer', async () => {
    const { clock, begun, client, ended } = asked({ most: 3 })
    const { ask, answered, peer, headers } = client('a')
    for (let n = 0; n < 4; n++) ask()
    answered()
    // It takes no more, though there is room again.
    ask()
    await clock.advance(0)
    expect([begun, headers]).toEqual([['a1', 'a2'], []])
    answered()
    await clock.advance(0)
    expect([begun.at(-1), headers, peer.done]).toEqual(['a3', [[3, 'Connection', 'close']], []])
    answered()
    expect([peer.done, ended]).toEqual([['ended'], []])
  })

  it('of 257 beyond the limit the last ends the connection', () => {
    const { client, ended } = asked()
    const { ask } = client('a')
    for (let n = 0; n < 2 + 256; n++) ask(128)
    expect(ended).toEqual([])
    ask()
    expect(ended).toEqual([['a', 'maxPipelinedRequests']])
  })

  it('are accepted with headers of 32 KiB together, and dropped with as many more', () => {
    const { client, ended } = asked({ most: 9 })
    const { ask, connection } = client('a')
    ask(32_768)
    expect([connection.pending.length, connection.last]).toEqual([1, false])
    ask(1)
    expect([connection.pending.length, connection.last]).toEqual([1, true])
    ask(32_768 - 128)
    expect(ended).toEqual([])
    ask(1)
    expect(ended).toEqual([['a', 'maxPipelinedRequests']])
    const other = client('b')
    for (const bytes of [16_384, 16_384, 1]) other.ask(bytes)
    expect([other.connection.pending.length, other.connection.last]).toEqual([2, true])
  })

  it('with more headers than those are accepted alone', () => {
    const { client, ended } = asked({ most: 9 })
    const { ask, connection, answered } = client('a')
    for (let n = 0; n < 3; n++) {
      ask(100_000)
      answered()
    }
    expect([connection.last, ended]).toEqual([false, []])
  })

  it('do not begin on a connection that is gone', async () => {
    const { clock, begun, client } = asked()
    const { ask, answered, peer, connection } = client('a')
    ask()
    ask()
    peer.destroyed = true
    answered()
    await clock.advance(0)
    expect([begun, connection.since]).toEqual([['a1'], 0])
  })

  /** Turns that the test begins, and requests that take so many ms. */
  function turned() {
    const clock = simulatedClock()
    let now = 0
    const turns: (() => void)[] = []
    const begun: string[] = []
    const queue = createRequestQueue({
      limits: { maxPipelinedRequests: 1 },
      clock: {
        monotonic: () => now,
        timer(_ms, run) {
          turns.push(run)
          return clock.timer(0, () => undefined)
        },
      },
      end: () => undefined,
    })
    const ask = (client: string, ms: number, has_body = false) => {
      const connection = createConnection(new Peer().socket, { client, now })
      const res = Object.assign(new EventEmitter(), { setHeader: () => undefined })
      const run = () => {
        begun.push(client)
        now += ms
      }
      const answer = res as unknown as ServerResponse
      queue.take(connection, {
        req: {} as IncomingMessage,
        res: answer,
        has_body,
        header_bytes: 0,
        run,
      })
    }
    const turn = () => {
      for (const run of turns.splice(0)) run()
    }
    return { queue, begun, ask, turn }
  }

  it('begin for ten milliseconds in one turn, and one a turn after that', () => {
    const { begun, ask, turn } = turned()
    ask('a', 9)
    ask('b', 1)
    ask('c', 1)
    ask('c', 1)
    ask('c', 1)
    ask('d', 1)
    expect(begun).toEqual(['a', 'b'])
    // Clients in turn: of three of one, two come after that of the other.
    turn()
    expect(begun).toEqual(['a', 'b', 'c'])
    // Who comes now waits behind them.
    ask('e', 1)
    expect(begun).toHaveLength(3)
    for (let n = 0; n < 4; n++) turn()
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'c', 'e', 'c'])
    turn()
    ask('f', 1)
    expect([begun.at(-1), begun.length]).toEqual(['f', 8])
  })

  it('with a body and without one alternate', () => {
    const { begun, ask, turn } = turned()
    ask('a', 10)
    for (let n = 0; n < 3; n++) ask('slow', 1, true)
    for (let n = 0; n < 3; n++) ask('short', 1)
    for (let n = 0; n < 6; n++) turn()
    expect(begun).toEqual(['a', 'slow', 'short', 'slow', 'short', 'slow', 'short'])
  })

  it('without a body come next after one with a body, though connections were accepted between them', () => {
    const { queue, begun, ask, turn } = turned()
    ask('a', 10)
    for (let n = 0; n < 2; n++) ask('slow', 1, true)
    turn()
    queue.accepted()
    turn()
    ask('short', 1)
    for (let n = 0; n < 2; n++) turn()
    expect(begun).toEqual(['a', 'slow', 'short', 'slow'])
  })

  it('with a body wait while connections are accepted, for sixteen turns at most', () => {
    const { queue, begun, ask, turn } = turned()
    queue.accepted()
    ask('slow', 1, true)
    ask('slow', 1, true)
    for (let n = 0; n < 16; n++) {
      expect(begun).toEqual([])
      turn()
      queue.accepted()
    }
    turn()
    expect(begun).toEqual(['slow'])
    // One without a body waits for none of them, and those with one begin when nobody comes any more.
    queue.accepted()
    ask('short', 1)
    turn()
    expect(begun).toEqual(['slow', 'short'])
    turn()
    expect(begun).toEqual(['slow', 'short', 'slow'])
    ask('slow', 1, true)
    expect(begun).toHaveLength(4)
  })

  it.each([
    [{ 'Content-Length': '1' }, false],
    [{ accept: '*', 'transfer-encoding': 'chunked' }, false],
    [{ 'content-length': '0' }, true],
    [{ 'x-content-length': '1', 'transfer-encoding-x': '1' }, true],
    [{ accept: 'transfer-encoding' }, true],
    [{ 'content-length-x': '1', 'x-transfer-encoding': '1' }, true],
    [{}, true],
  ])(
    'have a body by their headers: %j begins at once behind a new connection: %s',
    (headers, at_once) => {
      const clock = simulatedClock()
      const server = new EventEmitter()
      limitServer(server as unknown as Server, { clock })
      let begun = 0
      server.on('request', () => begun++)
      const peer = new Peer('192.0.2.1')
      server.emit('connection', peer)
      server.emit('request', received(peer, headers), new EventEmitter())
      expect(begun).toBe(at_once ? 1 : 0)
    },
  )
})

describe('a limited server', () => {
  function server(options: LimitServerOptions = {}, own: object = {}) {
    const clock = simulatedClock()
    const events: LimitEvent[] = []
    const all = Object.assign(new EventEmitter(), own)
    limitServer(all as Server, { clock, onLimit: (event) => events.push(event), ...options })
    const come = (address = '192.0.2.1') => {
      const peer = new Peer(address)
      return { peer, told: all.emit('connection', peer) }
    }
    return { clock, events, all, come }
  }
  const SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
  const LATE = { limit: 'headersTimeoutMs', address: '192.0.2.1' }

  it('has the time between requests as its own', () => {
    expect(server().all).toMatchObject({ keepAliveTimeout: 5000 })
    expect(server({ idleTimeoutMs: 7000 }).all).toMatchObject({ keepAliveTimeout: 7000 })
  })

  it('looks each second, as long as there is a connection, and says that it was too slow', async () => {
    const { clock, events, come } = server()
    expect(clock.pending).toBe(0)
    const one = come()
    const other = come()
    expect(clock.pending).toBe(1)
    other.peer.emit('close')
    await clock.advance(HEADERS - 1)
    expect([one.peer.done, clock.pending]).toEqual([[], 1])
    await clock.advance(1)
    expect([one.peer.done, other.peer.done]).toEqual([[SLOW, 'destroyed'], []])
    expect([events, clock.pending]).toEqual([[LATE], 0])
    // And again for the next.
    const next = come()
    await clock.advance(HEADERS)
    expect([next.peer.done, events]).toEqual([
      [SLOW, 'destroyed'],
      [LATE, LATE],
    ])
  })

  it('looks in the background, which keeps no process alive, and need not tell anybody', async () => {
    const clock = simulatedClock()
    const asked: unknown[] = []
    const { come } = server({
      clock: {
        ...clock,
        timer(ms, run, options) {
          asked.push([ms, options])
          return clock.timer(ms, run, options)
        },
      },
      onLimit: undefined,
    })
    const { peer } = come()
    await clock.advance(HEADERS)
    expect(asked).toEqual(Array(10).fill([1000, { background: true }]))
    expect(peer.destroyed).toBe(true)
  })

  it('says nothing to a connection that was answered', async () => {
    const { clock, come, all, events } = server()
    const { peer } = come()
    const res = Object.assign(new EventEmitter(), { headersSent: false })
    all.emit('request', received(peer), res)
    res.emit('close')
    await clock.advance(IDLE)
    expect([peer.done, events]).toEqual([
      ['destroyed'],
      [{ limit: 'idleTimeoutMs', address: '192.0.2.1' }],
    ])
  })

  it('of TLS says nothing before the handshake, and 408 behind it', async () => {
    const { clock, come, all } = server({}, { setSecureContext: () => undefined })
    const [mute, half] = [come(), come()]
    half.peer.remotePort = 2
    const secure = Object.assign(new Peer('192.0.2.1'), { remotePort: 2, encrypted: true })
    all.emit('secureConnection', secure)
    await clock.advance(HEADERS)
    expect([mute.peer.done, secure.done]).toEqual([['destroyed'], [SLOW, 'destroyed']])
  })

  it('tells its listeners of those connections alone that have a place', () => {
    const { all, come } = server({ maxConnectionsPerAddress: 1 })
    const told: unknown[] = []
    all.on('connection', (peer) => told.push(peer))
    const [one] = [come()]
    const res = new EventEmitter()
    all.emit('request', received(one.peer), res)
    const other = come()
    expect([one.told, other.told, told]).toEqual([true, true, [one.peer]])
    expect(other.peer.done).toEqual(['destroyed'])
  })

  it.each(['upgrade', 'connect'])('leaves a connection alone behind %s', async (event) => {
    const { all, come, clock } = server()
    const { peer } = come()
    const heard: unknown[] = []
    all.on(event, (...args: unknown[]) => heard.push(args))
    all.emit(event, {}, peer, 'head')
    // Of a socket that is not one of its own it knows nothing.
    all.emit(event, {}, new Peer(), 'head')
    await clock.advance(BODY)
    expect([peer.done, heard.length]).toEqual([[], 2])
    expect(heard[0]).toEqual([{}, peer, 'head'])
  })

  it('passes each kind of request in its turn, and everything else as it is', async () => {
    const { all, come, clock } = server()
    const { peer } = come()
    const heard: string[] = []
    const events = ['request', 'checkContinue', 'checkExpectation']
    for (const event of [...events, 'clientError', 'secureConnection'])
      all.on(event, (first: { readonly n?: number }) => heard.push(`${event} ${first.n ?? ''}`))
    const answers = events.map((event, n) => {
      const res = new EventEmitter()
      expect(all.emit(event, Object.assign(received(peer), { n }), res)).toBe(true)
      return res
    })
    expect(all.emit('clientError', {}, peer)).toBe(true)
    expect(all.emit('secureConnection', new Peer())).toBe(true)
    expect(all.emit('dropRequest', {}, peer)).toBe(false)
    expect(heard).toEqual(['request 0', 'clientError ', 'secureConnection '])
    for (const res of answers) {
      res.emit('close')
      await clock.advance(0)
    }
    expect(heard.slice(3)).toEqual(['checkContinue 1', 'checkExpectation 2'])
    // An error of a client is no other protocol.
    await clock.advance(IDLE)
    expect(peer.done).toEqual(['destroyed'])
  })

  it('passes a request of a connection that it does not know, and none of one that is gone', () => {
    const { all, come } = server()
    const heard: unknown[] = []
    all.on('request', (req) => heard.push(req))
    const stranger = { socket: new Peer() }
    all.emit('request', stranger, new EventEmitter())
    const { peer } = come()
    peer.destroyed = true
    all.emit('request', { socket: peer }, new EventEmitter())
    peer.emit('close')
    all.emit('request', { socket: peer }, new EventEmitter())
    expect(heard).toEqual([stranger])
  })
})
