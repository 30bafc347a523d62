/** Which connections of `limitServer` are late, and which give way, on sockets that are told what they have. */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { parseIp } from '../../src/net/guard/ip.ts'
import {
  createConnection,
  isUnanswered,
  overdue,
  rest,
  waitingSince,
} from '../../src/rest/limits/connection.ts'
import type { Connection } from '../../src/rest/limits/connection.ts'
import { createConnections } from '../../src/rest/limits/connections.ts'
import { limitServer } from '../../src/rest/limits/limit-server.ts'
import { readLimits } from '../../src/rest/limits/options.ts'
import type { LimitServerOptions } from '../../src/rest/limits/options.ts'
import { Peer } from './peer.ts'

const LIMITS = readLimits({})
const [IDLE, HEADERS, BODY, WRITE] = [5000, 10_000, 40_000, 20_000]

type Body = Pick<IncomingMessage, 'complete' | 'destroyed'>
const ARRIVING: Body = { complete: false, destroyed: false }

/** A response that its request leaves open. */
const responding = ({ headersSent = false } = {}) => ({
  req: {} as IncomingMessage,
  res: { headersSent } as ServerResponse,
  has_body: false,
  header_bytes: 0,
  run: () => undefined,
})

interface State {
  readonly pending?: number
  readonly latest?: Body
  readonly unwritten?: number
  readonly upgraded?: boolean
}

/** A connection since 1000 ms. */
function connected({ pending = 0, latest, unwritten = 0, upgraded = false }: State = {}) {
  const peer = new Peer('192.0.2.1')
  peer.writableLength = unwritten
  const connection = createConnection(peer.socket, { client: 'c', now: 1000 })
  for (let n = 0; n < pending; n++) connection.pending.push(responding())
  connection.latest = latest as IncomingMessage | undefined
  connection.upgraded = upgraded
  return { peer, connection }
}

describe('a connection', () => {
  it('waits for its first request when it is made, and for the next one after that', () => {
    const { peer, connection } = connected()
    expect(connection).toMatchObject({
      ...{
        address: '192.0.2.1',
        client: 'c',
        pending: [],
        last: false,
        beyond_bytes: 0,
        since: 1000,
      },
      ...{ upgraded: false, beginning: true, readAtRest: 0, latest: undefined },
    })
    peer.bytesRead = 50
    rest(connection, 2000)
    expect(connection).toMatchObject({ since: 2000, readAtRest: 50, beginning: false })
  })

  /** Just before and just at the end of the time, from 1000 on. */
  const late = (state: State, ms: number) => {
    const { connection } = connected(state)
    overdue(connection, LIMITS, 1000)
    return [999 + ms, 1000 + ms].map((now) => overdue(connection, LIMITS, now))
  }

  it.each<[string, State, number, string | undefined]>([
    ['of which no headers came', {}, HEADERS, 'headersTimeoutMs'],
    ['whose body comes', { latest: ARRIVING }, BODY, 'bodyTimeoutMs'],
    ['whose body comes to one request', { latest: ARRIVING, pending: 1 }, BODY, 'bodyTimeoutMs'],
    ['whose body waits behind another', { latest: ARRIVING, pending: 2 }, BODY, undefined],
    [
      'whose body has come',
      { latest: { ...ARRIVING, complete: true } },
      HEADERS,
      'headersTimeoutMs',
    ],
    [
      'whose body was left',
      { latest: { ...ARRIVING, destroyed: true } },
      HEADERS,
      'headersTimeoutMs',
    ],
    ['that waits for an answer', { pending: 1 }, BODY, undefined],
    ['that does not read', { unwritten: 5 }, WRITE, 'writeTimeoutMs'],
    ['that neither reads nor sends', { unwritten: 5, latest: ARRIVING }, WRITE, 'writeTimeoutMs'],
    ['that speaks another protocol', { upgraded: true }, BODY, undefined],
  ])('%s is late at its time, and not before', (_, state, ms, limit) => {
    expect(late(state, ms)).toEqual([undefined, limit])
  })

  it('that does not read is late by that alone', () => {
    expect(late({ unwritten: 5 }, HEADERS)).toEqual([undefined, undefined])
  })

  it('is idle between two requests, until the first byte of the next', () => {
    const { peer, connection } = connected()
    rest(connection, 1000)
    expect(overdue(connection, LIMITS, 999 + IDLE)).toBeUndefined()
    expect(overdue(connection, LIMITS, 1000 + IDLE)).toBe('idleTimeoutMs')
    peer.bytesRead = 1
    expect(overdue(connection, LIMITS, 4000)).toBeUndefined()
    expect([connection.beginning, connection.since]).toEqual([true, 4000])
    peer.bytesRead = 2
    expect(overdue(connection, LIMITS, 3999 + HEADERS)).toBeUndefined()
    expect(overdue(connection, LIMITS, 4000 + HEADERS)).toBe('headersTimeoutMs')
  })

  it('that reads a part has its time again, also of a large buffer of which the kernel took some', () => {
    const { peer, connection } = connected({ unwritten: 5 })
    const at = (now: number) => overdue(connection, LIMITS, now)
    peer._handle = { writeQueueSize: 9 }
    expect(at(1000)).toBeUndefined()
    peer._handle.writeQueueSize = 8
    expect([at(2000), at(1999 + WRITE)]).toEqual([undefined, undefined])
    peer.writableLength = 4
    expect([at(2000 + WRITE), at(1999 + 2 * WRITE)]).toEqual([undefined, undefined])
    // What has only gone from one to the other was not read.
    peer.writableLength = 3
    peer._handle.writeQueueSize = 9
    expect(at(2000 + 2 * WRITE)).toBe('writeTimeoutMs')
    peer.writableLength = 0
    expect(at(2000 + 2 * WRITE)).toBe('headersTimeoutMs')
    expect(connection.backlog).toBeUndefined()
  })

  it.each<[string, State, number | undefined]>([
    ['asks nothing', {}, 1000],
    ['waits for an answer', { pending: 1 }, undefined],
    ['sends a body', { pending: 1, latest: ARRIVING }, 1000],
    ['does not read', { pending: 1, unwritten: 5 }, 3000],
    ['speaks another protocol', { upgraded: true }, undefined],
  ])('that %s is waited for since then', (_, state, since) => {
    const { connection } = connected(state)
    if (state.unwritten !== undefined) {
      expect(waitingSince(connection)).toBe(1000)
      overdue(connection, LIMITS, 3000)
    }
    expect(waitingSince(connection)).toBe(since)
  })

  it('may be answered 408 as long as nothing of an answer has left', () => {
    const { peer, connection } = connected()
    expect(isUnanswered(connection, 'headersTimeoutMs')).toBe(true)
    expect(isUnanswered(connection, 'bodyTimeoutMs')).toBe(false)
    connection.pending.push(responding())
    expect(isUnanswered(connection, 'headersTimeoutMs')).toBe(true)
    expect(isUnanswered(connection, 'bodyTimeoutMs')).toBe(true)
    expect(isUnanswered(connection, 'idleTimeoutMs')).toBe(false)
    expect(isUnanswered(connection, 'writeTimeoutMs')).toBe(false)
    peer.writable = false
    expect(isUnanswered(connection, 'bodyTimeoutMs')).toBe(false)
    peer.writable = true
    connection.pending[0] = responding({ headersSent: true })
    expect(isUnanswered(connection, 'bodyTimeoutMs')).toBe(false)
    connection.pending.push(responding())
    expect(isUnanswered(connection, 'headersTimeoutMs')).toBe(false)
  })
})

describe('the connections of a server', () => {
  function serving(options: LimitServerOptions) {
    let now = 0
    const ended: string[] = []
    const all = createConnections({
      limits: readLimits({ trustProxy: '10.0.0.1', ...options }),
      now: () => now,
      ended: ({ address }, limit) => void ended.push(`${limit} ${address}`),
    })
    /** Comes a second after the one before. */
    const come = (address?: string, after_ms = 1000) => {
      now += after_ms
      const peer = new Peer(address)
      return { peer, connection: all.admit(peer.socket) }
    }
    return { all, ended, come }
  }
  const busy = (connection: Connection | undefined) => connection?.pending.push(responding())

  it('are found by their sockets until they close', () => {
    const { all, come } = serving({})
    const [one, other] = [come('192.0.2.1'), come('192.0.2.1')]
    expect([...all.all]).toEqual([one.connection, other.connection])
    expect([all.size, all.of(one.peer.socket)]).toEqual([2, one.connection])
    expect(one.connection).toMatchObject({ since: 1000, address: '192.0.2.1' })
    one.peer.emit('close')
    expect([all.size, all.of(one.peer.socket), one.peer.done]).toEqual([1, undefined, []])
  })

  it('that have closed have given up their place', () => {
    const { come, ended } = serving({ maxConnectionsPerAddress: 1 })
    for (let n = 0; n < 3; n++) come('192.0.2.1').peer.emit('close')
    expect(ended).toEqual([])
  })

  it('of one client are so many at most: the one that has been waited for the longest ends', () => {
    const { all, come, ended } = serving({ maxConnectionsPerAddress: 2 })
    const [first, second] = [come('192.0.2.1'), come('192.0.2.1')]
    expect(come('192.0.2.2').connection).toBeDefined()
    busy(first.connection)
    expect(come('192.0.2.1').connection).toBeDefined()
    expect([first.peer.done, second.peer.done]).toEqual([[], ['destroyed']])
    expect([all.size, ended]).toEqual([3, ['maxConnectionsPerAddress 192.0.2.1']])
    expect(all.of(second.peer.socket)).toBeUndefined()
    // It closes after that, which ends nothing more.
    second.peer.emit('close')
    expect(all.size).toBe(3)
  })

  it('that came at the same time end in the order in which they came', () => {
    const { come } = serving({ maxConnectionsPerAddress: 2 })
    const both = [come('192.0.2.1', 0), come('192.0.2.1', 0)]
    come('192.0.2.1')
    expect(both.map(({ peer }) => peer.done)).toEqual([['destroyed'], []])
  })

  it('that all wait for an answer stay, and the new one ends', () => {
    const { all, come, ended } = serving({ maxConnectionsPerAddress: 1, maxConnections: 2 })
    for (const address of ['192.0.2.1', '192.0.2.2']) busy(come(address).connection)
    const [same, other] = [come('192.0.2.1'), come('192.0.2.3')]
    expect([same.connection, same.peer.done]).toEqual([undefined, ['destroyed']])
    expect([other.connection, other.peer.done]).toEqual([undefined, ['destroyed']])
    expect(ended).toEqual(['maxConnectionsPerAddress 192.0.2.1', 'maxConnections 192.0.2.3'])
    expect(all.size).toBe(2)
  })

  it('are taken from the client that has most', () => {
    const { come, ended } = serving({ maxConnections: 3 })
    const few = come('192.0.2.1')
    const many = [come('192.0.2.2'), come('192.0.2.2')]
    come('192.0.2.3')
    expect([few.peer.done, many[0]?.peer.done]).toEqual([[], ['destroyed']])
    // Where those of the largest wait for answers, from the next.
    const { come: comes } = serving({ maxConnections: 3 })
    const one = comes('192.0.2.1')
    for (let n = 0; n < 2; n++) busy(comes('192.0.2.2').connection)
    expect(comes('192.0.2.3').connection).toBeDefined()
    expect(one.peer.done).toEqual(['destroyed'])
    // It closes after that.
    expect(one.peer.emit('close')).toBe(true)
    expect(ended).toEqual(['maxConnections 192.0.2.2'])
  })

  it('of a proxy, and of a peer without an address, are counted together with all alone', () => {
    const { come, ended } = serving({ maxConnectionsPerAddress: 1 })
    for (const address of ['10.0.0.1', '10.0.0.1', undefined, undefined]) come(address)
    expect(ended).toEqual([])
    // A network of IPv6 is one client, also where its addresses have a scope.
    for (const address of ['fe80::1%eth0', 'fe80::2%eth0', '2001:db8::1', '2001:db8::2'])
      come(address)
    expect(ended).toEqual([
      ...['maxConnectionsPerAddress fe80::1%eth0', 'maxConnectionsPerAddress 2001:db8::1'],
    ])
  })

  it('with bytes that nobody reads are reset, unless they are those of TLS', () => {
    const { come } = serving({ maxConnectionsPerAddress: 1 })
    const [plain] = [come('192.0.2.1')]
    plain.peer.writableLength = 5
    const secured = come('192.0.2.1')
    expect(plain.peer.done).toEqual(['reset'])
    Object.assign(secured.peer, { writableLength: 5, encrypted: true })
    come('192.0.2.1')
    expect(secured.peer.done).toEqual(['destroyed'])
  })

  it('go on as those of TLS', () => {
    const { all, come } = serving({})
    const peers = [
      ['192.0.2.1', 1],
      ['192.0.2.2', 2],
      ['192.0.2.1', 2],
    ] as const
    const plain = peers.map(([address, port]) => {
      const one = come(address)
      one.peer.remotePort = port
      return one
    })
    const secure = new Peer('192.0.2.1')
    secure.remotePort = 2
    all.secured(secure.socket)
    expect(all.of(secure.socket)).toBe(plain[2]?.connection)
    expect(plain[2]?.connection?.socket).toBe(secure)
    expect(plain.map(({ peer }) => all.of(peer.socket) !== undefined)).toEqual([true, true, false])
    plain[2]?.peer.emit('close')
    expect(all.size).toBe(2)
    // One that is gone has none.
    all.secured(secure.socket)
    expect(all.size).toBe(2)
  })
})

describe('options', () => {
  it.each<[object, RegExp]>([
    [{ maxConnections: 0 }, /^limitServer: maxConnections: a whole number from 1 to 1000000/],
    [{ maxConnectionsPerAddress: 1.5 }, /^limitServer: maxConnectionsPerAddress: /],
    [{ maxPipelinedRequests: 1001 }, /^limitServer: maxPipelinedRequests: .* 1 to 1000 /],
    [{ headersTimeoutMs: 999 }, /^limitServer: headersTimeoutMs: .* 1000 to 3600000 /],
    [{ bodyTimeoutMs: NaN }, /^limitServer: bodyTimeoutMs: /],
    [{ writeTimeoutMs: '5' }, /^limitServer: writeTimeoutMs: /],
    [{ trustProxy: 'everybody' }, /"everybody"/],
    [{ maxSockets: 5 }, /^limitServer: unknown option "maxSockets"/],
  ])('%j are refused by name', (options, said) => {
    const limit = () => limitServer(createServer(), options)
    expect(limit).toThrow(ConfigurationError)
    expect(limit).toThrow(said)
  })

  it('have defaults, and are taken as they are', () => {
    const { isProxy, ...defaults } = readLimits({})
    expect(defaults).toEqual({
      ...{ maxConnections: 1000, maxConnectionsPerAddress: 100, maxPipelinedRequests: 16 },
      ...{ headersTimeoutMs: 10_000, bodyTimeoutMs: 40_000, writeTimeoutMs: 20_000 },
      ...{ idleTimeoutMs: 5000, maxHeaderFields: 100, maxBodyChunks: 256 },
      maxUnreadBytes: 48 * 2 ** 20,
    })
    const proxies = (trusts: typeof isProxy) =>
      ['127.0.0.1', '10.0.0.1'].map((address) => trusts(parseIp(address), 0))
    expect(proxies(isProxy)).toEqual([true, false])
    expect(proxies(readLimits({ trustProxy: '10.0.0.1' }).isProxy)).toEqual([false, true])
    const times = Object.keys(defaults).filter((name) => name.endsWith('Ms'))
    for (const [names, lowest, highest] of [
      [['maxConnections', 'maxConnectionsPerAddress'], 1, 1_000_000],
      [['maxPipelinedRequests'], 1, 1000],
      [['maxHeaderFields'], 10, 1000],
      [['maxBodyChunks'], 16, 1_000_000],
      [['maxUnreadBytes'], 2 ** 20, 2 ** 40],
      [times, 1000, 3_600_000],
    ] as const) {
      for (const value of [lowest, highest]) {
        const own = Object.fromEntries(names.map((name) => [name, value]))
        expect(readLimits(own)).toMatchObject(own)
        for (const name of Object.keys(own))
          expect(() => readLimits({ [name]: value + (value === lowest ? -1 : 1) })).toThrow(name)
      }
    }
    for (const clock of [{ monotonic: () => 0 }, { timer: () => 0 }])
      expect(() => readLimits({ clock: clock as never })).toThrow('clock')
    expect(() => readLimits({ onLimit: 'x' as never })).toThrow('onLimit')
  })

  it('take their smallest and largest values', () => {
    const told = vi.fn()
    for (const maxPipelinedRequests of [1, 1000])
      limitServer(createServer(), { maxPipelinedRequests, onLimit: told })
    expect(told).not.toHaveBeenCalled()
  })
})

it('what Node does not know to expect is refused, unless the host has a listener for it', () => {
  const server = createServer()
  limitServer(server)
  const expecting = () => {
    const res = { writeHead: vi.fn().mockReturnThis(), end: vi.fn() }
    server.emit('checkExpectation', { socket: new Peer('192.0.2.1').socket }, res)
    return [res.writeHead.mock.calls, res.end.mock.calls]
  }
  expect(expecting()).toEqual([[[417]], [[]]])
  server.on('checkExpectation', () => undefined)
  expect(expecting()).toEqual([[], []])
})
