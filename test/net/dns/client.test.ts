import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { targetPolicy } from '../../../src/net/guard/guard.ts'
import type { DnsQuery } from '../../../src/net/net.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { openTestNet } from '../../support/open-net.ts'
import { dnsAnswer } from '../../support/hostile/dns.ts'
import { scriptedDns } from '../../support/scripted-dns.ts'
import type { ScriptedDns } from '../../support/scripted-dns.ts'
import { closedPort } from '../../support/scripted-server.ts'
import { bindServer, startBind } from '../../support/servers/bind.ts'
import type { BindServer } from '../../support/servers/bind.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'

const at = (port: number, scheme = ''): string => `${scheme}127.0.0.1:${port}`

describeWithServer(bindServer, 'a question to BIND', () => {
  const ask = async (query: Partial<DnsQuery>, server?: BindServer) => {
    const { ports } = server ?? (await forThisTest(startBind()))
    return openTestNet().dns({
      name: 'example.test',
      type: 'A',
      nameservers: [at(ports.dns)],
      ...query,
    })
  }
  const values = async (query: Partial<DnsQuery>, server?: BindServer) =>
    (await ask(query, server)).records.map(({ type, value }) => `${type} ${value}`).sort()

  it('gets records of every type as text', async () => {
    const records = [
      '@ IN HTTPS 1 . alpn=h2',
      'child IN NS ns',
      'child IN DS 12345 13 2 49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4ACAABB',
      '_443._tcp IN TLSA 3 1 1 49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4AC49FD46E6C4B45C55D4ACAABB',
      '@ IN DNSKEY 257 3 13 bXlrZXk=',
      'Mixed IN PTR Some.HOST.example.test.',
    ].join('\n')
    const server = await forThisTest(startBind({ records }))
    const digest = '49fd46e6c4b45c55d4ac49fd46e6c4b45c55d4ac49fd46e6c4b45c55d4acaabb'
    const expected: Record<string, readonly string[]> = {
      A: ['A 127.0.0.1'],
      AAAA: ['AAAA ::1'],
      NS: ['NS ns.example.test', 'NS ns2.example.test'],
      MX: ['MX 10 mail.example.test', 'MX 20 mail2.example.test'],
      TXT: ['TXT two strings', 'TXT v=spf1 -all'],
      CAA: ['CAA 0 issue "ca.example.test"'],
      SOA: ['SOA ns.example.test hostmaster.example.test 2024010101 3600 600 86400 60'],
      DNSKEY: ['DNSKEY 257 3 13 bXlrZXk='],
      HTTPS: ['HTTPS \\# 10 00010000010003026832'],
    }
    for (const [type, wanted] of Object.entries(expected)) {
      expect(await values({ type: type as DnsQuery['type'] }, server)).toEqual(wanted)
    }
    const service = { name: '_IMAP._tcp.example.test.', type: 'SRV' } as const
    expect(await values(service, server)).toEqual(['SRV 10 60 143 mail.example.test'])
    const ds = { name: 'child.example.test', type: 'DS' } as const
    expect(await values(ds, server)).toEqual([`DS 12345 13 2 ${digest}`])
    const tlsa = { name: '_443._tcp.example.test', type: 'TLSA' } as const
    expect(await values(tlsa, server)).toEqual([`TLSA 3 1 1 ${digest}`])
    const ptr = { name: 'mixed.example.test', type: 'PTR' } as const
    expect(await values(ptr, server)).toEqual(['PTR some.host.example.test'])
  })

  it('gets every response code as an answer, with the flags of the header', async () => {
    const server = await forThisTest(startBind())
    const rcode = async (name: string) => (await ask({ name }, server)).rcode
    expect(await rcode('nowhere.example.test')).toBe('NXDOMAIN')
    expect(await rcode('broken.test')).toBe('SERVFAIL')
    expect(await rcode('refused.test')).toBe('REFUSED')
    expect(await ask({}, server)).toMatchObject({
      rcode: 'NOERROR',
      authoritative: true,
      truncated: false,
      authenticated: false,
      recursion_available: false,
      server: at(server.ports.dns),
      transport: 'udp',
      records: [{ name: 'example.test', type: 'A', value: '127.0.0.1', ttl: 60 }],
    })
  })

  it('is asked again over TCP when the answer is cut off', async () => {
    const answer = await ask({ name: 'long.example.test', type: 'TXT' })
    expect(answer).toMatchObject({ truncated: true, transport: 'tcp' })
    expect(answer.records).toHaveLength(40)
  })

  it('can go over TCP and over TLS from the start, the certificate judged', async () => {
    const server = await forThisTest(startBind())
    const tcp = [at(server.ports.dns, 'tcp://')]
    expect(await ask({ nameservers: tcp }, server)).toMatchObject({ transport: 'tcp' })
    const tls = [at(server.ports.dot, 'tls://')]
    expect(await ask({ nameservers: tls }, server)).toMatchObject({
      transport: 'tls',
      rcode: 'NOERROR',
    })
    const wrong = await forThisTest(startBind({ certificate: 'wrongHost' }))
    const refused = ask({ nameservers: [at(wrong.ports.dot, 'tls://')] }, wrong)
    await expect(refused).rejects.toMatchObject({ code: 'tls_name_mismatch' })
  })

  it('goes on to the next name server after a failure, but not after NXDOMAIN', async () => {
    const server = await forThisTest(startBind())
    const silent = await closedPort()
    const both = [at(silent), at(server.ports.dns)]
    const answer = await ask({ nameservers: both }, server)
    expect(answer).toMatchObject({ rcode: 'NOERROR', server: at(server.ports.dns) })
    expect(answer.attempts.map(({ result }) => result)).toEqual(['connect_refused', 'NOERROR'])

    const refusing = await forThisTest(startBind({ refuse: true }))
    const second = await ask(
      { nameservers: [at(refusing.ports.dns), at(server.ports.dns)] },
      server,
    )
    expect(second.attempts.map(({ result }) => result)).toEqual(['REFUSED', 'NOERROR'])

    const other = await scriptedDns(() => ({ answers: [] }))
    const none = await ask(
      { name: 'nowhere.example.test', nameservers: [at(server.ports.dns), other.address] },
      server,
    )
    expect(none.rcode).toBe('NXDOMAIN')
    expect(other.questions).toEqual([])
  })
})

describe('a name server', () => {
  it('may be a name, which the location resolves', async () => {
    const server = await scriptedDns(() => ({
      answers: [{ type: 'A', name: 'x.test', ttl: 5, data: '192.0.2.1' }],
    }))
    const port = server.address.split(':')[1]
    const net = openTestNet({ hosts: { 'ns.test': ['127.0.0.1'] } })
    const answer = await net.dns({ name: 'x.test', type: 'A', nameservers: [`ns.test:${port}`] })
    expect(answer).toMatchObject({ server: `ns.test:${port}`, rcode: 'NOERROR' })
    expect(net.trace.remote_ip).toBe('127.0.0.1')
  })

  it('without an address is told apart from a name without one', async () => {
    const unknown = await scriptedDns(() => ({ rcode: 3 }))
    const net = openTestNet({ nameservers: [unknown.address] })
    const asked = net.dns({ name: 'x.test', type: 'A', nameservers: ['ns.nowhere.test'] })
    await expect(asked).rejects.toMatchObject({ code: 'dns_nameserver_unresolvable' })
  })

  it('that the policy refuses is never asked, whichever way it is written', async () => {
    const server = await scriptedDns(() => ({}))
    const port = server.address.split(':')[1]
    const net = openTestNet({
      policy: targetPolicy('public'),
      hosts: { 'ns.test': ['127.0.0.1'] },
    })
    for (const spelling of [
      `127.0.0.1:${port}`,
      `ns.test:${port}`,
      `tcp://127.0.0.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
    ]) {
      const asked = net.dns({ name: 'x.test', type: 'A', nameservers: [spelling] })
      await expect(asked).rejects.toMatchObject({ code: 'connect_blocked' })
    }
    expect(server.questions).toEqual([])
  })

  it('of the operator is not judged', async () => {
    const server = await scriptedDns(() => ({ rcode: 3 }))
    const policy = targetPolicy('public')
    const own = openTestNet({ policy, nameservers: [server.address] })
    expect(await own.dns({ name: 'x.test', type: 'A' })).toMatchObject({ rcode: 'NXDOMAIN' })
    const named = { nameservers: [server.address], trusted: true }
    expect(await own.dns({ name: 'x.test', type: 'A', ...named })).toMatchObject({
      rcode: 'NXDOMAIN',
    })
  })

  it('of the location that is dead says so instead of blaming the name', async () => {
    const net = openTestNet({ nameservers: [at(await closedPort())] })
    const asked = net.dns({ name: 'x.test', type: 'A' })
    await expect(asked).rejects.toMatchObject({ code: 'probe_resolver_broken' })
  })

  it('of the location that is silent for the name alone leaves the blame with the name', async () => {
    const server = await scriptedDns(({ name }) => (name === '.' ? { rcode: 5 } : undefined))
    await withDeadline(300, async (timeout_ms) => {
      const net = openTestNet({ nameservers: [server.address], deadline_ms: 4 * timeout_ms })
      const asked = net.dns({ name: 'x.test', type: 'A', timeout_ms })
      await expect(asked).rejects.toMatchObject({ code: 'dns_timeout' })
    })
  })

  it('that is silent is asked twice, under another id from another port', async () => {
    await withDeadline(1000, async (timeout_ms) => {
      const seen: { id: number; port: number }[] = []
      const { port } = await udp((query, from, socket) => {
        seen.push({ id: query.readUInt16BE(0), port: from.port })
        if (seen.length === 2)
          socket.send(dnsAnswer(query, { flags: 0x8003 }), from.port, from.address)
      })
      const answer = await openTestNet({ deadline_ms: 2 * timeout_ms }).dns({
        name: 'x.test',
        type: 'A',
        nameservers: [at(port)],
        timeout_ms,
      })
      expect(answer.rcode).toBe('NXDOMAIN')
      expect(new Set(seen.map(({ port }) => port)).size).toBe(2)
      expect(new Set(seen.map(({ id }) => id)).size).toBe(2)
    })
  })

  it('without EDNS is asked without', async () => {
    const lengths: number[] = []
    const { port } = await udp((query, from, socket) => {
      lengths.push(query.length)
      const edns = query.readUInt16BE(10) > 0
      socket.send(dnsAnswer(query, { flags: edns ? 0x8001 : 0x8003 }), from.port, from.address)
    })
    const answer = await openTestNet().dns({ name: 'x.test', type: 'A', nameservers: [at(port)] })
    expect(answer.rcode).toBe('NXDOMAIN')
    // Either may be sent once more, by a machine that reads the answer late.
    expect(new Set(lengths).size).toBe(2)
  })

  it('may use the response codes that need EDNS', async () => {
    const { port } = await udp((query, from, socket) => {
      const answer = dnsAnswer(query, { flags: 0x8007, counts: [1, 0, 0, 1] })
      const opt = Buffer.from('00002904d0010000000000', 'hex')
      socket.send(Buffer.concat([answer, opt]), from.port, from.address)
    })
    const answer = await openTestNet().dns({ name: 'x.test', type: 'A', nameservers: [at(port)] })
    expect(answer.rcode).toBe('BADCOOKIE')
  })
})

describe('an answer that is not ours', () => {
  const asked = (port: number, timeout_ms = 30_000) =>
    openTestNet().dns({ name: 'x.test', type: 'A', nameservers: [at(port)], timeout_ms })

  it('from another port is ignored, and the right one is taken', async () => {
    const stranger = createSocket('udp4')
    onTestFinished(() => void stranger.close())
    const { port } = await udp((query, from, socket) => {
      stranger.send(dnsAnswer(query, { flags: 0x8003 }), from.port, from.address, () => {
        setTimeout(
          () => socket.send(dnsAnswer(query, { flags: 0x8005 }), from.port, from.address),
          30,
        )
      })
    })
    expect(await asked(port)).toMatchObject({ rcode: 'REFUSED' })
  })

  it.each([
    ['under another id', { idOff: 1 }],
    ['to another question', { question: Buffer.from('\x05other\x04test\0\0\x01\0\x01', 'latin1') }],
    ['that is a query', { flags: 0 }],
  ])('%s is ignored until the time is up', async (_, shape) => {
    const { port } = await udp((query, from, socket) =>
      socket.send(dnsAnswer(query, shape), from.port, from.address),
    )
    await withDeadline(400, (timeout_ms) =>
      expect(asked(port, timeout_ms)).rejects.toMatchObject({
        code: 'dns_timeout',
        message: expect.stringContaining('ignored') as string,
      }),
    )
  })

  it('does not keep the right one from being taken', async () => {
    const { port } = await udp((query, from, socket) => {
      for (let idOff = 1; idOff < 200; idOff++) {
        socket.send(dnsAnswer(query, { idOff, flags: 0x8003 }), from.port, from.address)
      }
      socket.send(dnsAnswer(query, { flags: 0x8005 }), from.port, from.address)
    })
    expect(await asked(port)).toMatchObject({ rcode: 'REFUSED' })
  })
})

describe('the network of a check that ends', () => {
  // Asked twice by then, on a machine that looks late.
  const isAsked = ({ questions }: ScriptedDns) =>
    expect.poll(() => questions.length).toBeGreaterThan(0)

  it('ends a question under way and leaves no socket', async () => {
    const silent = await scriptedDns(() => undefined)
    const net = openTestNet({ deadline_ms: 600_000 })
    const query = { name: 'x.test', type: 'A', nameservers: [silent.address] } as const
    const asked = net.dns(query)
    asked.catch(() => undefined)
    await isAsked(silent)
    await expect.poll(udpHandles).toBe(2)
    await net.close()
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
    // The system lets go of a closed handle a moment later.
    await expect.poll(udpHandles).toBe(1)
    await expect(net.dns(query)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('gives the reason of an abort', async () => {
    const silent = await scriptedDns(() => undefined)
    const net = openTestNet({ deadline_ms: 600_000 })
    const asked = net.dns({ name: 'x.test', type: 'A', nameservers: [silent.address] })
    asked.catch(() => undefined)
    await isAsked(silent)
    net.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(net.trace.current).toBe('resolve')
  })
})

type OnQuery = (
  query: Buffer,
  from: { readonly port: number; readonly address: string },
  socket: ReturnType<typeof createSocket>,
) => void

/** A UDP server that does what the test says; closed when the test ends. */
async function udp(onQuery: OnQuery): Promise<AddressInfo> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => onQuery(query, from, socket))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void socket.close(resolve)))
  return socket.address()
}

function udpHandles(): number {
  return process.getActiveResourcesInfo().filter((name) => /udp/i.test(name)).length
}
