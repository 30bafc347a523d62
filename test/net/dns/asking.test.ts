/** Which name servers are asked, how often, how long, and what is told of it: real sockets, simulated time. */
import { once } from 'node:events'
import type { EventEmitter } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Server, Socket } from 'node:net'
import { createSocket, Socket as DatagramSocket } from 'node:dgram'
import { createServer as createHttpsServer } from 'node:https'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { decode } from 'dns-packet'
import type { DecodedPacket } from 'dns-packet'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { targetPolicy } from '../../../src/net/guard/guard.ts'
import type { DnsQuery } from '../../../src/net/net.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'
import { certificates } from '../../support/certificates.ts'
import { dnsAnswer } from '../../support/hostile/dns.ts'
import { listening } from '../../support/listening.ts'
import { openTestNet } from '../../support/open-net.ts'
import type { TestNetOptions } from '../../support/open-net.ts'
import { closedPort } from '../../support/scripted-server.ts'
import { freePort } from '../../support/servers/ports.ts'

const NXDOMAIN = 0x8003
const REFUSED = 0x8005
const SERVFAIL = 0x8002
const X = { name: 'x.test', type: 'A' } as const

type Reply = (query: Buffer, nth: number, later: (answer: Buffer) => void) => Buffer | undefined

/** Answers with these flags. */
const saying =
  (flags: number): Reply =>
  (query) =>
    dnsAnswer(query, { flags })
const silent: Reply = () => undefined

interface Heard {
  readonly queries: readonly Buffer[]
  /** The first question of each, decoded. */
  packets(): DecodedPacket[]
}

const heard = (queries: Buffer[]): Heard => ({
  queries,
  packets: () => queries.map((query) => decode(query)),
})

/** Counts what sockets of this process receive from now on, at both ends. */
function countDatagrams(): () => number {
  const emit = vi.spyOn(DatagramSocket.prototype as EventEmitter, 'emit')
  onTestFinished(() => {
    emit.mockRestore()
  })
  return () => emit.mock.calls.filter(([event]) => event === 'message').length
}

/** A name server over UDP; closed when the test ends. */
async function overUdp(reply: Reply, host = '127.0.0.1') {
  const queries: Buffer[] = []
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (query, from) => {
    const send = (answer: Buffer): void => socket.send(answer, from.port, from.address)
    const answer = reply(query, queries.push(query), send)
    if (answer !== undefined) send(answer)
  })
  socket.bind(0, host)
  await once(socket, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void socket.close(resolve)))
  const { port } = socket.address()
  return { ...heard(queries), port, address: `${host.includes(':') ? `[${host}]` : host}:${port}` }
}

const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.of(message.length >> 8, message.length & 0xff), message])

/** A name server over TCP, or over TLS, which says what it says after each query. */
async function overStream(
  say: (query: Buffer, socket: Socket) => void,
  { server = createServer(), port = 0 }: { server?: Server; port?: number } = {},
) {
  const queries: Buffer[] = []
  const sockets: Socket[] = []
  const isTls = 'setSecureContext' in server
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.push(socket)
    let seen = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      seen = Buffer.concat([seen, bytes])
      if (seen.length < 2 || seen.length < 2 + seen.readUInt16BE()) return
      queries.push(seen.subarray(2))
      say(seen.subarray(2), socket)
    })
  })
  const running = await listening(server, 'connection', port)
  onTestFinished(() => running[Symbol.asyncDispose]())
  return { ...heard(queries), sockets, running, port: running.port }
}

const tls = (kind: 'good' | 'wrongHost' = 'good') => {
  const { chain: cert, key } = certificates()[kind]
  return createTlsServer({ cert, key, ALPNProtocols: ['dot'] })
}

/** A DNS server over HTTPS that answers as the test says; closed when the test ends. */
async function overHttps(answer: (query: Buffer, response: ServerResponse) => void): Promise<{
  url: string
  asked: { method: string; headers: IncomingHttpHeaders; query: Buffer }[]
}> {
  const { chain: cert, key } = certificates().good
  const asked: { method: string; headers: IncomingHttpHeaders; query: Buffer }[] = []
  const server = createHttpsServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const query = Buffer.concat(chunks)
      asked.push({ method: request.method ?? '', headers: request.headers, query })
      answer(query, response)
    })
  })
  const running = await listening(server)
  onTestFinished(() => running[Symbol.asyncDispose]())
  return { url: `https://127.0.0.1:${running.port}/dns-query`, asked }
}

/** A network whose time only moves when the test says so. */
function asking(options: TestNetOptions = {}) {
  const clock = simulatedClock()
  const net = openTestNet({ clock, deadline_ms: 20_000, ...options })
  let ended: unknown
  let end_ms: number | undefined
  const took = (): string => `${String(ended)} at ${end_ms}`
  return {
    ...{ clock, net, took },
    dns: (query: Partial<DnsQuery> = {}) => net.dns({ ...X, ...query }),
    /** The same, for a question that is not answered: {@link took} tells its end. */
    ask(query: Partial<DnsQuery> = {}) {
      const note = (what: string) => {
        ended = what
        end_ms = clock.monotonic()
      }
      net.dns({ ...X, ...query }).then(
        ({ rcode }) => note(rcode),
        ({ code }: { readonly code: string }) => note(code),
      )
    },
  }
}

/** Moves time on in these steps, in ms; at the end of each this many queries have arrived. */
async function steps(
  clock: ReturnType<typeof simulatedClock>,
  server: readonly Heard[],
  ...all: readonly (readonly [ms: number, ...queries: number[]])[]
) {
  for (const [ms, ...counts] of all) {
    await clock.advance(ms)
    await expect
      .poll(() => server.map(({ queries }) => queries.length), { interval: 5 })
      .toEqual(counts)
  }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    ({ code, message, phase }: { code: string; message: string; phase?: string }) => ({
      ...{ code, message, phase },
    }),
  )

describe('a name server that is silent', () => {
  it('is asked a second time after half of the time', async () => {
    const server = await overUdp(silent)
    const { clock, ask, took } = asking()
    ask({ nameservers: [server.address], timeout_ms: 4000 })
    await steps(clock, [server], [0, 1], [1999, 1], [1, 2], [1999, 2], [0, 2])
    expect(took()).toBe('undefined at undefined')
    await clock.advance(1)
    expect(took()).toBe('dns_timeout at 4000')
  })

  it('is given up after three seconds where there is another try, else never', async () => {
    const server = await overUdp(silent)
    const { clock, ask, took } = asking()
    ask({ nameservers: [server.address], timeout_ms: 10_000 })
    await steps(clock, [server], [0, 1], [2999, 1], [1, 2], [6999, 2])
    await clock.advance(1)
    expect(took()).toBe('dns_timeout at 10000')
  })

  it('leaves time for the others', async () => {
    const [first, second] = [await overUdp(silent), await overUdp(silent)]
    const { clock, net } = asking()
    const nameservers = [first.address, second.address]
    const asked = failure(net.dns({ ...X, nameservers, timeout_ms: 8000 }))
    const both = [first, second]
    await steps(clock, both, [0, 1, 0], [1999, 1, 0], [1, 2, 0], [1999, 2, 0], [1, 2, 1])
    await steps(clock, both, [1999, 2, 1], [1, 2, 2], [1999, 2, 2])
    await clock.advance(1)
    expect(await asked).toMatchObject({
      code: 'dns_timeout',
      message: `${first.address} sent no answer in time`,
    })
  })

  it('has what is left of the deadline, but for the time to report it', async () => {
    for (const [deadline_ms, ends] of [
      [2000, 1900],
      [200, 150],
    ] as const) {
      const server = await overUdp(silent)
      const { clock, ask, took } = asking({ deadline_ms })
      ask({ nameservers: [server.address] })
      await steps(clock, [server], [0, 1], [ends / 2, 2], [ends / 2 - 1, 2])
      expect(took()).toBe('undefined at undefined')
      await clock.advance(1)
      expect(took()).toBe(`dns_timeout at ${ends}`)
    }
  })

  it('is followed by the next, whose answer tells of both', async () => {
    const [first, second] = [await overUdp(silent), await overUdp(saying(NXDOMAIN))]
    const { clock, dns, net } = asking()
    const asked = dns({ nameservers: [first.address, second.address], timeout_ms: 4000 })
    await steps(clock, [first, second], [0, 1, 0], [1000, 2, 0])
    await clock.advance(1000)
    expect(await asked).toEqual({
      ...{ ...X, rcode: 'NXDOMAIN', authoritative: false, truncated: false, authenticated: false },
      ...{ recursion_available: false, records: [], server: second.address, transport: 'udp' },
      attempts: [
        { server: first.address, result: 'dns_timeout', duration_ms: 2000 },
        { server: second.address, result: 'NXDOMAIN', duration_ms: 0 },
      ],
    })
    expect(net.trace.remote_ip).toBe('127.0.0.1')
    expect(net.trace.phases()).toEqual({ resolve_ms: 2000 })
    // No timer is left of a question that has its answer.
    expect(clock.pending).toBe(0)
  })
})

describe('name servers', () => {
  it.each([
    ['none decides: the first answer counts', [REFUSED, SERVFAIL], 'REFUSED', 2],
    ['one decides: the others are not asked', [REFUSED, NXDOMAIN, 0x8000], 'NXDOMAIN', 2],
    ['the first finds records, or none', [0x8000, NXDOMAIN], 'NOERROR', 1],
  ])('are asked in turn: %s', async (_, says, rcode, attempts) => {
    const servers = await Promise.all(says.map((flags) => overUdp(saying(flags))))
    const answer = await asking().dns({ nameservers: servers.map(({ address }) => address) })
    expect([answer.rcode, answer.attempts.length]).toEqual([rcode, attempts])
    expect(servers.flatMap(({ queries }) => queries)).toHaveLength(attempts)
  })

  it('that fail are less than one that answers, whatever it says', async () => {
    const refusing = await overUdp(saying(REFUSED))
    const closed = `127.0.0.1:${await closedPort()}`
    const answer = await asking().dns({ nameservers: [closed, refusing.address, closed] })
    expect(answer.attempts.map(({ result }) => result)).toEqual([
      ...['connect_refused', 'REFUSED', 'connect_refused'],
    ])
    expect([answer.rcode, answer.server]).toEqual(['REFUSED', refusing.address])
  })

  it('that all fail have the failure of the first, and each failure but silence is final', async () => {
    const malformed = await overUdp((query) => dnsAnswer(query, { counts: [1, 1, 0, 0] }))
    const closed = `127.0.0.1:${await closedPort()}`
    const { dns } = asking()
    const both = failure(dns({ nameservers: [malformed.address, closed] }))
    expect(await both).toMatchObject({ code: 'dns_malformed', phase: 'resolve' })
    expect(malformed.queries).toHaveLength(1)
    expect(await failure(dns({ nameservers: [closed, malformed.address] }))).toMatchObject({
      ...{ code: 'connect_refused', phase: 'resolve' },
    })
  })

  it('are eight at most', async () => {
    const refusing = await overUdp(saying(REFUSED))
    const nameservers = Array.from({ length: 9 }, () => refusing.address)
    expect((await asking().dns({ nameservers })).attempts).toHaveLength(8)
  })

  it('may be none, or wrong', async () => {
    const { dns } = asking()
    expect(await failure(dns({ nameservers: [] }))).toEqual({
      ...{ code: 'dns_nameserver_unresolvable', message: 'There is no name server to ask' },
      phase: 'resolve',
    })
    expect(await failure(dns({ nameservers: ['a b'] }))).toEqual({
      ...{ code: 'dns_nameserver_unresolvable', message: '"a b" is not a name server' },
      phase: 'resolve',
    })
    expect(await failure(dns({ name: 'a..b' }))).toEqual({
      ...{ code: 'dns_nxdomain', message: 'a..b is not a valid name', phase: 'resolve' },
    })
  })

  const own = Object.values(networkInterfaces()).flatMap((all = []) => all)
  const hasIpv6 = own.some(({ address }) => address === '::1')
  it.skipIf(!hasIpv6)('may have addresses of IPv6', async () => {
    const server = await overUdp(saying(NXDOMAIN), '::1')
    const { dns, net } = asking()
    expect(await dns({ nameservers: [server.address] })).toMatchObject({ server: server.address })
    expect(net.trace.remote_ip).toBe('::1')
  })

  it('that cannot be reached say so', async () => {
    const { dns } = asking()
    const asked = await failure(dns({ nameservers: ['255.255.255.255'] }))
    expect(asked).toMatchObject({
      phase: 'resolve',
      code: expect.stringMatching(/^(connect|probe)_/) as string,
    })
  })

  it('that have an address of one link only may not be asked', async () => {
    const asked = await failure(asking().dns({ nameservers: ['[fe80::1%lo]'] }))
    expect(asked).toMatchObject({
      ...{ code: 'connect_blocked', message: 'fe80::1%lo is not an address that can be dialled' },
    })
  })

  it('have a defect of ours told as it is', async () => {
    const policy = () => {
      throw new TypeError('a defect')
    }
    await expect(asking({ policy }).dns({ nameservers: ['127.0.0.1'] })).rejects.toThrow('a defect')
    // At once: no other is asked.
    const good = await overUdp(saying(NXDOMAIN))
    let times = 0
    const once_only = () => (times++ === 0 ? policy() : undefined)
    const nameservers = ['127.0.0.1', good.address]
    await expect(asking({ policy: once_only }).dns({ nameservers })).rejects.toThrow('a defect')
    expect(good.queries).toEqual([])
  })
})

describe('a name server with a name', () => {
  const named = async (flags: number) => {
    const location = await overUdp(saying(flags))
    return asking({ nameservers: [location.address] })
  }

  it('that has no address says why', async () => {
    const { dns } = await named(NXDOMAIN)
    const asked = await failure(dns({ nameservers: ['ns.nowhere.test'] }))
    expect(asked).toMatchObject({
      ...{ code: 'dns_nameserver_unresolvable', phase: 'resolve' },
      message: expect.stringMatching(
        /^The name server ns\.nowhere\.test has no address: ./,
      ) as string,
    })
  })

  it('of the location is looked up as any other', async () => {
    const server = await overUdp(saying(NXDOMAIN))
    const nameservers = [`ns.test:${server.port}`]
    const { dns } = asking({ nameservers, hosts: { 'ns.test': ['127.0.0.1'] } })
    expect(await dns()).toMatchObject({ rcode: 'NXDOMAIN', server: nameservers[0] })
  })

  it('that may not be asked is told as such', async () => {
    const { dns } = asking({ policy: targetPolicy('public'), hosts: { 'ns.test': ['10.0.0.1'] } })
    expect(await failure(dns({ nameservers: ['ns.test'] }))).toMatchObject({
      code: 'connect_blocked',
    })
  })
})

describe('a query', () => {
  const sent = async (query: Partial<DnsQuery>) => {
    const server = await overUdp(saying(NXDOMAIN))
    await asking().dns({ ...query, nameservers: [server.address] })
    const { id = 0, flag_rd, flag_ad, flag_cd, additionals } = server.packets()[0]!
    return { id, flags: { flag_rd, flag_ad, flag_cd }, edns: additionals?.length }
  }

  it('asks for recursion, and offers EDNS', async () => {
    const { flags, edns } = await sent({})
    expect([flags, edns]).toEqual([{ flag_rd: true, flag_ad: false, flag_cd: false }, 1])
    expect((await sent({ recursion: false })).flags).toMatchObject({ flag_rd: false })
    expect((await sent({ validated: true })).flags).toMatchObject({ flag_ad: true })
    expect((await sent({ unchecked: true })).flags).toMatchObject({ flag_cd: true })
  })

  it('has an id that cannot be guessed', async () => {
    const server = await overUdp(saying(NXDOMAIN))
    const { dns } = asking()
    for (let n = 0; n < 8; n++) await dns({ nameservers: [server.address] })
    const ids = new Set(server.packets().map(({ id }) => id))
    expect(ids.size).toBeGreaterThan(6)
    expect(Math.max(...server.packets().map(({ id = 0 }) => id))).toBeGreaterThan(255)
  })

  it.each([
    ['FORMERR', 0x8001, true],
    ['NOTIMP', 0x8004, true],
    ['SERVFAIL', SERVFAIL, false],
  ])('is sent again without EDNS where a server says %s', async (_, flags, again) => {
    const server = await overUdp((query, nth) =>
      dnsAnswer(query, { flags: nth === 1 ? flags : NXDOMAIN }),
    )
    const { rcode } = await asking().dns({ nameservers: [server.address] })
    expect([rcode === 'NXDOMAIN', server.packets().map((all) => all.additionals?.length)]).toEqual([
      again,
      again ? [1, 0] : [1],
    ])
  })

  it('is sent again without EDNS where a server has no such version', async () => {
    const opt = Buffer.from('0000290000010000000000', 'hex')
    const server = await overUdp((query, nth) =>
      nth === 1
        ? Buffer.concat([dnsAnswer(query, { flags: 0x8000, counts: [1, 0, 0, 1] }), opt])
        : dnsAnswer(query, { flags: NXDOMAIN }),
    )
    expect((await asking().dns({ nameservers: [server.address] })).rcode).toBe('NXDOMAIN')
    expect(server.queries).toHaveLength(2)
  })

  it('without EDNS has what is left of the time of the first', async () => {
    let answer = (): void => undefined
    const server = await overUdp((query, _, send) => {
      answer = () => send(dnsAnswer(query, { flags: 0x8001 }))
      return undefined
    })
    const { clock, ask } = asking()
    await clock.advance(3000)
    ask({ nameservers: [server.address], timeout_ms: 8000 })
    await steps(clock, [server], [0, 1], [1000, 1])
    answer()
    await steps(clock, [server], [0, 2], [1999, 2], [1, 3])
  })
})

describe('an answer', () => {
  it('that is cut off is asked for again over TCP', async () => {
    const stream = await overStream(
      (query, socket) => socket.write(framed(dnsAnswer(query, { flags: NXDOMAIN }))),
      { port: await freePort() },
    )
    const socket = createSocket('udp4')
    socket.on('message', (query, from) =>
      socket.send(dnsAnswer(query, { flags: 0x8200 }), from.port, from.address),
    )
    socket.bind(stream.port, '127.0.0.1')
    await once(socket, 'listening')
    onTestFinished(() => void socket.close())
    const { dns, clock } = asking()
    const address = `127.0.0.1:${stream.port}`
    expect(await dns({ nameservers: [address] })).toMatchObject({
      ...{ rcode: 'NXDOMAIN', truncated: true, transport: 'tcp', server: address },
      attempts: [{ server: address, result: 'NXDOMAIN' }],
    })
    expect(stream.packets().map((all) => all.additionals?.length)).toEqual([0])
    await expect.poll(() => stream.running.open).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('to another query is not one, and those are counted', async () => {
    const server = await overUdp((query) => dnsAnswer(query, { idOff: 1 }))
    const { clock, net } = asking()
    const arrived = countDatagrams()
    const asked = failure(net.dns({ ...X, nameservers: [server.address], timeout_ms: 2000 }))
    // Each query, and what the server sends back.
    await steps(clock, [server], [0, 1])
    await expect.poll(arrived).toBe(2)
    await steps(clock, [server], [1000, 2])
    await expect.poll(arrived).toBe(4)
    await clock.advance(1000)
    expect(await asked).toMatchObject({
      message: `${server.address} sent no answer in time (1 that belong to no query of ours were ignored)`,
    })
  })
})

describe('a name server over TCP or TLS', () => {
  const MALFORMED = { code: 'dns_malformed', phase: 'resolve' }
  const asked = (scheme: string, port: number, options: TestNetOptions = {}) => {
    const all = asking(options)
    return { ...all, run: () => all.dns({ nameservers: [`${scheme}://127.0.0.1:${port}`] }) }
  }

  it('is asked once, without EDNS over TCP, and its connection is closed', async () => {
    const server = await overStream((query, socket) => {
      // In pieces, with something behind.
      const answer = framed(dnsAnswer(query, { flags: NXDOMAIN }))
      socket.write(answer.subarray(0, 1))
      setImmediate(() => {
        socket.write(answer.subarray(1, 7))
        setImmediate(() => socket.write(Buffer.concat([answer.subarray(7), Buffer.from('more')])))
      })
    })
    const { run, net, clock } = asked('tcp', server.port)
    const shown = `tcp://127.0.0.1:${server.port}`
    expect(await run()).toMatchObject({
      ...{ rcode: 'NXDOMAIN', transport: 'tcp', truncated: false },
      ...{ server: `127.0.0.1:${server.port}`, attempts: [{ server: shown }] },
    })
    expect(server.packets().map(({ additionals }) => additionals?.length)).toEqual([0])
    expect(net.trace.remote_ip).toBe('127.0.0.1')
    await expect.poll(() => server.running.open).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('is asked with EDNS over TLS, which says what it is for', async () => {
    const server = await overStream(
      (query, socket) => socket.write(framed(dnsAnswer(query, { flags: NXDOMAIN }))),
      { server: tls() },
    )
    expect(await asked('tls', server.port).run()).toMatchObject({ transport: 'tls' })
    expect(server.packets().map(({ additionals }) => additionals?.length)).toEqual([1])
    expect((server.sockets[0] as TLSSocket).alpnProtocol).toBe('dot')
  })

  it('has a certificate for its name', async () => {
    const server = await overStream(
      (query, socket) => socket.write(framed(dnsAnswer(query, { flags: NXDOMAIN }))),
      { server: tls() },
    )
    const { dns } = asking({ hosts: { localhost: ['127.0.0.1'], 'ns.test': ['127.0.0.1'] } })
    const by = (name: string) => failure(dns({ nameservers: [`tls://${name}:${server.port}`] }))
    expect(await by('localhost')).toBe('no failure')
    expect(await by('ns.test')).toMatchObject({ code: 'tls_name_mismatch' })
  })

  it.each<[string, (query: Buffer, socket: Socket) => void, object]>([
    [
      'answers another question',
      (query, socket) => socket.write(framed(dnsAnswer(query, { idOff: 1 }))),
      {
        code: 'dns_malformed',
        message: expect.stringMatching(
          /^127\.0\.0\.1:\d+ answered another question than ours$/,
        ) as string,
        phase: 'resolve',
      },
    ],
    ['says nothing in a message', (_, socket) => socket.write(Buffer.of(0, 0)), MALFORMED],
    ['closes early', (_, socket) => socket.end(), { code: 'closed_early' }],
    ['closes amid the length', (_, socket) => socket.end(Buffer.of(0)), { code: 'closed_early' }],
  ])('that %s has failed', async (_, say, expected) => {
    const server = await overStream(say)
    expect(await failure(asked('tcp', server.port).run())).toMatchObject(expected)
    expect(server.queries).toHaveLength(1)
  })

  it('that is silent is given up at the end of the time, and left', async () => {
    const server = await overStream(() => undefined)
    const { clock, net } = asked('tcp', server.port)
    const nameservers = [`tcp://127.0.0.1:${server.port}`]
    const all = failure(net.dns({ ...X, nameservers, timeout_ms: 4000 }))
    await steps(clock, [server], [0, 1], [3999, 1])
    expect(server.running.open).toBe(1)
    await clock.advance(1)
    expect(await all).toMatchObject({
      ...{ code: 'dns_timeout', phase: 'resolve' },
      message: `127.0.0.1:${server.port} sent no answer in time`,
    })
    await expect.poll(() => server.running.open).toBe(0)
    expect(net.trace.phases()).toMatchObject({ resolve_ms: 4000 })
  })
})

describe('a name server over HTTPS', () => {
  const reply =
    (status: number, type: string | undefined, body?: Buffer) =>
    (query: Buffer, response: ServerResponse): void => {
      response.writeHead(status, type === undefined ? {} : { 'content-type': type })
      response.end(body ?? dnsAnswer(query, { flags: NXDOMAIN }))
    }
  const TYPE = 'application/dns-message'

  it('is asked by POST, under the id 0', async () => {
    const { url, asked } = await overHttps(reply(200, `${TYPE.toUpperCase()} ; charset=x`))
    const { dns, clock } = asking()
    expect(await dns({ nameservers: [url] })).toMatchObject({
      ...{ rcode: 'NXDOMAIN', transport: 'https', server: url },
      attempts: [{ server: url, result: 'NXDOMAIN' }],
    })
    expect(asked).toMatchObject([
      { method: 'POST', headers: { 'content-type': TYPE, accept: TYPE } },
    ])
    const { id, additionals } = decode(asked[0]!.query)
    expect([id, additionals?.length]).toEqual([0, 1])
    // What watches the bytes of TLS ends when the socket has closed.
    await expect.poll(() => clock.pending).toBe(0)
  })

  it.each<[string, number, string | undefined, Buffer | undefined, string]>([
    ['an error', 503, TYPE, undefined, 'the status 503'],
    ['another status', 201, TYPE, undefined, 'the status 201'],
    ['a page', 200, 'text/html', undefined, 'something else than an answer'],
    ['no type', 200, undefined, undefined, 'something else than an answer'],
    ['another answer', 200, TYPE, Buffer.alloc(20), 'something else than an answer'],
  ])('that sends %s has failed', async (_, status, type, body, what) => {
    const { url } = await overHttps(reply(status, type, body))
    expect(await failure(asking().dns({ nameservers: [url] }))).toEqual({
      ...{ code: 'dns_malformed', message: `${url} sent ${what}`, phase: 'resolve' },
    })
  })

  it('that sends more than a message may have, or points elsewhere, has failed', async () => {
    const long = await overHttps((query, response) => {
      response.writeHead(200, { 'content-type': TYPE })
      response.end(Buffer.concat([dnsAnswer(query, { flags: NXDOMAIN }), Buffer.alloc(0x10000)]))
    })
    expect(await failure(asking().dns({ nameservers: [long.url] }))).toMatchObject({
      code: 'dns_malformed',
    })
    const moved = await overHttps((_, response) => {
      response.writeHead(302, { location: long.url }).end()
    })
    await failure(asking().dns({ nameservers: [moved.url] }))
    expect(long.asked).toHaveLength(1)
  })

  it('that is silent is given up at the end of the time', async () => {
    const { url, asked } = await overHttps(() => undefined)
    const { clock, net } = asking()
    const all = failure(net.dns({ ...X, nameservers: [url], timeout_ms: 4000 }))
    await expect.poll(() => asked.length).toBe(1)
    await clock.advance(4000)
    expect(await all).toMatchObject({
      ...{ code: 'dns_timeout', message: `${url} sent no answer in time` },
    })
  })
})

describe('the name servers of the location', () => {
  it('leave a second of the deadline, in which it is found out whether they are alive', async () => {
    const server = await overUdp(silent)
    const { clock, net } = asking({ nameservers: [server.address], deadline_ms: 8000 })
    const asked = failure(net.dns(X))
    await steps(clock, [server], [0, 1], [3000, 2], [3999, 2], [1, 3], [999, 3])
    await clock.advance(1)
    expect(server.packets()[2]?.questions).toMatchObject([{ name: '.', type: 'NS' }])
    expect(server.packets()[2]?.flag_rd).toBe(true)
    expect(await asked).toEqual({
      code: 'probe_resolver_broken',
      message: `No name server of this location can be reached (${server.address})`,
      phase: 'resolve',
    })
  })

  it('are asked whether they are alive within a short deadline as well', async () => {
    const server = await overUdp(silent)
    const { clock, ask, took } = asking({ nameservers: [server.address], deadline_ms: 600 })
    ask()
    await steps(clock, [server], [0, 1], [225, 2], [225, 3], [499, 3])
    expect(took()).toBe('undefined at undefined')
    await clock.advance(1)
    expect(took()).toBe('probe_resolver_broken at 950')
  })

  it('are not to blame where one of them answers for the root', async () => {
    const dead = await overUdp(silent)
    const alive = await overUdp((query) =>
      query[12] === 0 ? dnsAnswer(query, { flags: REFUSED }) : undefined,
    )
    const nameservers = [dead.address, alive.address]
    const { clock, net } = asking({ nameservers, deadline_ms: 9000 })
    const asked = failure(net.dns({ ...X, timeout_ms: 8000 }))
    await steps(clock, [dead, alive], [0, 1, 0], [2000, 2, 0], [2000, 2, 1], [2000, 2, 2])
    await steps(clock, [dead, alive], [2000, 3, 3])
    // The answer has arrived once only the dead one is waited for.
    await expect.poll(() => clock.pending).toBe(1)
    await clock.advance(1000)
    expect(await asked).toMatchObject({ code: 'dns_timeout' })
  })

  it('are not to blame where one refuses, and another answers for the root', async () => {
    const closed = `127.0.0.1:${await closedPort()}`
    const alive = await overUdp((query) =>
      query[12] === 0 ? dnsAnswer(query, { flags: REFUSED }) : undefined,
    )
    const nameservers = [closed, alive.address]
    const { clock, net } = asking({ nameservers, deadline_ms: 9000 })
    const asked = failure(net.dns({ ...X, timeout_ms: 4000 }))
    await steps(clock, [alive], [0, 1], [2000, 2], [2000, 3])
    expect(await asked).toMatchObject({
      ...{ code: 'dns_timeout', message: `${alive.address} sent no answer in time` },
    })
  })

  it('are not to blame for an answer that cannot be read', async () => {
    const server = await overUdp((query) => dnsAnswer(query, { counts: [1, 1, 0, 0] }))
    const { dns } = asking({ nameservers: [server.address] })
    expect(await failure(dns())).toMatchObject({ code: 'dns_malformed' })
    const closed = `127.0.0.1:${await closedPort()}`
    const second = asking({ nameservers: [closed, server.address] })
    expect(await failure(second.dns())).toMatchObject({ code: 'dns_malformed' })
  })

  it('are to blame where one cuts its answer off, and says nothing over TCP either', async () => {
    const stream = await overStream((_query, socket) => socket.end(), { port: await freePort() })
    const queries: Buffer[] = []
    const socket = createSocket('udp4')
    socket.on('message', (query, from) => {
      queries.push(query)
      socket.send(dnsAnswer(query, { flags: 0x8200 }), from.port, from.address)
    })
    socket.bind(stream.port, '127.0.0.1')
    await once(socket, 'listening')
    onTestFinished(() => void socket.close())
    const address = `127.0.0.1:${stream.port}`
    expect(await failure(asking({ nameservers: [address] }).dns())).toMatchObject({
      code: 'probe_resolver_broken',
      message: `No name server of this location can be reached (${address})`,
    })
    // It is alive, and so is not asked whether it is.
    expect(queries).toHaveLength(1)
  })

  it('are to blame where none is configured, or none can be reached', async () => {
    const text = 'No name server of this location can be reached'
    expect(await failure(asking({ nameservers: [] }).dns())).toMatchObject({
      ...{ code: 'probe_resolver_broken', message: `${text} (none configured)` },
    })
    const closed = [`127.0.0.1:${await closedPort()}`, `127.0.0.1:${await closedPort()}`]
    expect(await failure(asking({ nameservers: closed }).dns())).toMatchObject({
      ...{ code: 'probe_resolver_broken', message: `${text} (${closed.join(', ')})` },
    })
  })

  it('end with the check', async () => {
    const server = await overUdp(silent)
    const { clock, net } = asking({ nameservers: [server.address], deadline_ms: 4000 })
    const asked = net.dns(X)
    asked.catch(() => undefined)
    await steps(clock, [server], [0, 1], [1500, 2], [1500, 3])
    net.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
  })
})

describe('for users who are not trusted', () => {
  const policy = targetPolicy('public')
  const records = [
    ...[Buffer.from('c00c000100010000000500045db8d822', 'hex')],
    ...[Buffer.from('c00c000100010000000500040a000001', 'hex')],
  ]
  const inner: Reply = (query) => dnsAnswer(query, { flags: 0x8000, records })
  const strangers = async (reply: Reply = inner) => {
    const server = await overUdp(reply)
    const own = { policy, strangers: true, nameservers: [server.address] }
    return { ...asking(own), server }
  }
  const SHOP = { name: 'shop.example.com' }

  it('the name servers of the location have no address', async () => {
    const { dns, net } = await strangers()
    const answer = await dns(SHOP)
    expect(answer).toMatchObject({ server: 'resolver', attempts: [{ server: 'resolver' }] })
    expect(net.trace.remote_ip).toBe(null)
    expect(JSON.stringify(answer)).not.toContain('127.0.0.1')
  })

  it('neither do those of the operator, and what they say is not kept back', async () => {
    const { dns, server } = await strangers()
    const answer = await dns({ ...SHOP, nameservers: [server.address], trusted: true })
    expect([answer.server, answer.records.length, answer.left_out]).toEqual([
      ...['resolver', 2, undefined],
    ])
  })

  it('an answer has no records that lead inside, unless nobody sees it', async () => {
    const { dns } = await strangers()
    const { records: shown, left_out } = await dns(SHOP)
    expect([shown.map(({ value }) => value), left_out]).toEqual([['93.184.216.34'], 1])
    expect((await dns({ ...SHOP, unshown: true })).records).toHaveLength(2)
  })

  it('names of the inside are not asked for, unless somebody vouches for them', async () => {
    const { dns, server } = await strangers()
    const inside = { name: 'intranet.corp' }
    expect(await failure(dns(inside))).toMatchObject({ code: 'connect_blocked' })
    const trusted = { nameservers: [server.address], trusted: true }
    expect(await failure(dns({ ...inside, ...trusted }))).toMatchObject({ code: 'connect_blocked' })
    expect(server.queries).toEqual([])
    expect((await dns({ ...inside, vouched: true })).rcode).toBe('NOERROR')
    // A name server of theirs knows nothing of ours.
    expect(await failure(dns({ ...inside, nameservers: [server.address] }))).toMatchObject({
      message: expect.not.stringContaining('inner network') as string,
    })
  })

  it('a server of the location that is alive is not to blame, and has no address', async () => {
    const alive: Reply = (query) =>
      query[12] === 0 ? dnsAnswer(query, { flags: REFUSED }) : undefined
    const { clock, net, server } = await strangers(alive)
    const asked = failure(net.dns({ ...X, ...SHOP, timeout_ms: 2000 }))
    await steps(clock, [server], [0, 1], [1000, 2], [1000, 3])
    expect(await asked).toMatchObject({
      ...{ code: 'dns_timeout', message: 'resolver sent no answer in time' },
    })
    expect(net.trace.remote_ip).toBe(null)
  })

  it('a failure of the location names none of its servers', async () => {
    const { clock, net } = await strangers(silent)
    const asked = failure(net.dns({ ...X, ...SHOP, timeout_ms: 2000 }))
    for (let n = 0; n < 4; n++) {
      await clock.advance(1000)
      for (let turn = 0; turn < 50; turn++) await clock.settle()
    }
    expect(await asked).toMatchObject({
      message: 'No name server of this location can be reached',
    })
  })

  it('a server over TCP or HTTPS of the operator has no address either', async () => {
    const stream = await overStream((query, socket) =>
      socket.write(framed(dnsAnswer(query, { flags: NXDOMAIN }))),
    )
    const { url } = await overHttps((query, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(dnsAnswer(query))
    })
    const { dns, net } = asking({ policy, strangers: true })
    const tcp = [`tcp://127.0.0.1:${stream.port}`]
    const answer = await dns({ ...SHOP, nameservers: tcp, trusted: true })
    expect([answer.server, answer.transport, net.trace.remote_ip]).toEqual([
      ...['resolver', 'tcp', null],
    ])
    const open = asking({ policy: () => undefined, strangers: true })
    expect(await failure(open.dns({ ...SHOP, nameservers: [url], trusted: true }))).toMatchObject({
      message: 'resolver sent something else than an answer',
    })
  })
})
