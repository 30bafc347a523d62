import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { tcp as makeTcp } from '../../src/checkers/tcp.ts'
import { ValidationError } from '../../src/errors.ts'
import { certificates } from '../support/certificates.ts'
import type { CertificateKind } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { closedPort, scriptedServer } from '../support/scripted-server.ts'
import { freePort } from '../support/servers/ports.ts'

const tcp = makeTcp()

const host = '127.0.0.1'
const silent = (): void => undefined
const says = (text: string) => (socket: Socket) => void socket.write(text, 'latin1')

describe('a port', () => {
  it('is up when it accepts a connection, and the connection is closed afterwards', async () => {
    const server = await scriptedServer(silent)
    const outcome = await check(tcp, { host, port: server.port })
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, remote_ip: host, details: {} })
    expect(Object.keys(outcome.phases)).toEqual(['connect_ms'])
    // The check may know that it is connected before the server does.
    await expect.poll(() => server.connections).toBe(1)
    await server.idle()
  })

  it('is down when nobody listens, and the text names it', async () => {
    const port = await closedPort()
    const outcome = await check(tcp, { host, port })
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: 'connect_refused',
      cause_text: `127.0.0.1:${port} refused the connection`,
      phase: 'connect',
      remote_ip: host,
    })
  })

  it('that the policy refuses is never dialled, and the text does not tell the address', async () => {
    const server = await scriptedServer(silent)
    const policy = ({ address }: { address: string }) =>
      address === '127.0.0.1' ? 'loopback' : undefined
    const hosts = { 'inside.test': ['127.0.0.1'] }
    const outcome = await check(tcp, { host: 'inside.test', port: server.port }, { policy, hosts })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'connect_blocked' })
    expect(outcome.cause_text).not.toContain('127.0.0.1')
    expect(server.connections).toBe(0)
  })

  it('that accepts and resets at once is up, and down where a word was asked for', async () => {
    const { port } = await scriptedServer((socket) => socket.resetAndDestroy())
    for (let n = 0; n < 20; n++) {
      expect(await check(tcp, { host, port })).toMatchObject({ verdict: 'ok' })
      const outcome = await check(tcp, { host, port, banner_regex: '^220 ' })
      expect(outcome.cause_code).toMatch(/^(connect_reset|closed_early)$/)
    }
  })

  it('3306 comes with the advice to log in instead', async () => {
    const { details } = await check(tcp, { host: '127.0.0.77', port: 3306 })
    expect(details['hint']).toContain('max_connect_errors')
  })
})

describe('ip_family', () => {
  const hosts = { 'half-up.test': ['::1', '127.0.0.1'] }

  it('auto goes on to the next address and says so', async () => {
    const { port } = await scriptedServer(silent, { port: await freePort() })
    const outcome = await check(tcp, { host: 'half-up.test', port }, { hosts })
    expect(outcome).toMatchObject({ verdict: 'ok', remote_ip: '127.0.0.1' })
    expect(outcome.details).toMatchObject({
      fallback: true,
      attempts: [
        { address: '::1', cause_code: 'connect_refused' },
        { address: '127.0.0.1', cause_code: null },
      ],
    })
  })

  it('ipv6 does not', async () => {
    const { port } = await scriptedServer(silent, { port: await freePort() })
    const settings = { host: 'half-up.test', port, ip_family: 'ipv6' } as const
    const outcome = await check(tcp, settings, { hosts })
    expect(outcome).toMatchObject({ cause_code: 'connect_refused', remote_ip: '::1' })
  })

  it('ipv4 takes the address of that family alone', async () => {
    const { port } = await scriptedServer(silent)
    const settings = { host: 'half-up.test', port, ip_family: 'ipv4' } as const
    const outcome = await check(tcp, settings, { hosts })
    expect(outcome).toMatchObject({ verdict: 'ok', details: {} })
  })

  it('of the other kind than a literal address has no records', async () => {
    const outcome = await check(tcp, { host: '::1', port: 1, ip_family: 'ipv4' })
    expect(outcome).toMatchObject({ cause_code: 'dns_no_records', phase: 'resolve' })
  })
})

describe('tls', () => {
  it('is spoken from the first byte, and what was agreed on is told', async () => {
    const { port } = await scriptedServer(says('hello'), { tls: certificates().good })
    const settings = { host: 'localhost', port, tls: true, banner_regex: '^hello$' }
    const outcome = await check(tcp, settings)
    expect(outcome.verdict).toBe('ok')
    expect(outcome.details['tls']).toMatchObject({ protocol: 'TLSv1.3', authorized: true })
    expect(outcome.phases).toHaveProperty('tls_ms')
  })

  it('ends so that the server knows its handshake was good', async () => {
    let shaken = 0
    const { port } = await scriptedServer(() => void shaken++, { tls: certificates().good })
    expect(await check(tcp, { host: 'localhost', port, tls: true })).toMatchObject({
      verdict: 'ok',
    })
    await expect.poll(() => shaken).toBe(1)
  })

  it('holds an address against the addresses of the certificate', async () => {
    const { port } = await scriptedServer(silent, { tls: certificates().good })
    expect(await check(tcp, { host, port, tls: true })).toMatchObject({ verdict: 'ok' })
    const hosts = { 'elsewhere.invalid': [host] }
    const settings = { host: 'elsewhere.invalid', port, tls: true }
    expect(await check(tcp, settings, { hosts })).toMatchObject({
      cause_code: 'tls_name_mismatch',
      cause_text: expect.stringContaining('DNS:localhost'),
    })
  })

  it.each<[CertificateKind, string]>([
    ['expired', 'tls_expired'],
    ['notYetValid', 'tls_not_yet_valid'],
    ['wrongHost', 'tls_name_mismatch'],
    ['selfSigned', 'tls_self_signed'],
    ['incomplete', 'tls_chain_incomplete'],
  ])('with a certificate that is %s fails as %s', async (kind, cause_code) => {
    const { port } = await scriptedServer(silent, { tls: certificates()[kind] })
    const outcome = await check(tcp, { host: 'localhost', port, tls: true })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'tls' })
  })

  it('of an authority that nobody trusts fails as tls_untrusted', async () => {
    const { good, intermediate } = certificates()
    const { port } = await scriptedServer(silent, { tls: good })
    const outcome = await check(tcp, { host: 'localhost', port, tls: true }, { ca: good.cert })
    expect(intermediate).toContain('CERTIFICATE')
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'tls_untrusted' })
  })

  it('with a server that speaks in clear fails as tls_not_tls', async () => {
    const { port } = await scriptedServer(says('220 mail.test ESMTP ready\r\n'))
    const outcome = await check(tcp, { host, port, tls: true })
    expect(outcome).toMatchObject({ cause_code: 'tls_not_tls', phase: 'tls' })
  })

  it('with a server that hangs up fails as tls_handshake', async () => {
    const { port } = await scriptedServer((socket) => void socket.once('data', () => socket.end()))
    const outcome = await check(tcp, { host, port, tls: true })
    expect(outcome).toMatchObject({ cause_code: 'tls_handshake', phase: 'tls' })
  })

  it('with a server that says nothing meets the deadline as tls_timeout', async () => {
    const server = await scriptedServer(silent)
    await withDeadline(300, async (timeout_ms) => {
      const outcome = await check(tcp, { host, port: server.port, tls: true }, { timeout_ms })
      expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'tls_timeout', phase: 'tls' })
    })
    await server.idle()
  })
})

describe('banner_regex', () => {
  it('is matched against what came in several pieces', async () => {
    const { port } = await scriptedServer(async (socket) => {
      for (const piece of ['SSH-', '2.0-', 'Test']) {
        socket.write(piece)
        await sleep(5)
      }
    })
    const outcome = await check(tcp, { host, port, banner_regex: '^SSH-2\\.0-Test$' })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { banner: 'SSH-2.0-Test' } })
    expect(outcome.phases).toHaveProperty('greeting_ms')
  })

  it('sees binary data as latin1, and the banner is told in escapes', async () => {
    const { port } = await scriptedServer(says('\x00\xff\x80caf\xe9\n'))
    const outcome = await check(tcp, { host, port, banner_regex: 'café' })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: { banner: '\\0\\xff\\x80caf\\xe9\\n' },
    })
  })

  it('fails as banner_mismatch when the server has said something else and is done', async () => {
    const { port } = await scriptedServer((socket) => void socket.end('421 too busy\r\n'))
    const outcome = await check(tcp, { host, port, banner_regex: '^220 ' })
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: 'banner_mismatch',
      cause_text: 'The server said "421 too busy\\r\\n"',
      phase: 'greeting',
    })
  })

  it('says nothing of a banner that is longer than what so large a pattern looks at', async () => {
    const banner_regex = `${'b?'.repeat(480)}!`
    const { port } = await scriptedServer((socket) => void socket.end(`${'a'.repeat(3000)}!`))
    const outcome = await check(tcp, { host, port, banner_regex })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'too_long', phase: 'greeting' })
    expect(outcome.cause_text).toMatch(/^The first 1,\d{3} characters were searched, and no match/)
    const short = await scriptedServer((socket) => void socket.end('aaa'))
    expect(await check(tcp, { host, port: short.port, banner_regex })).toMatchObject({
      verdict: 'fail',
      cause_code: 'banner_mismatch',
    })
  })

  it('fails as banner_mismatch after 4096 bytes of a server that talks without end', async () => {
    const server = await scriptedServer((socket) => {
      const talk = (): void => {
        while (socket.writable && socket.write('x'.repeat(1000)));
        if (socket.writable) socket.once('drain', talk)
      }
      talk()
    })
    const outcome = await check(tcp, { host, port: server.port, banner_regex: '^220 ' })
    expect(outcome.cause_code).toBe('banner_mismatch')
    expect(outcome.details['banner']).toBe(`${'x'.repeat(256)}…`)
    await server.idle()
  })

  it('fails as closed_early when the server hangs up without a word', async () => {
    const { port } = await scriptedServer((socket) => void socket.end())
    const outcome = await check(tcp, { host, port, banner_regex: '^220 ' })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'closed_early' })
  })

  it('fails as closed_early when the server resets the connection', async () => {
    const { port } = await scriptedServer(
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    )
    const outcome = await check(tcp, { host, port, send: 'hi', banner_regex: '^220 ' })
    expect(outcome).toMatchObject({ cause_code: 'closed_early', phase: 'greeting' })
  })

  it('meets the deadline as banner_timeout when the server drips, and tells what came', async () => {
    const server = await scriptedServer(async (socket) => {
      while (socket.writable) {
        socket.write('.')
        await sleep(20)
      }
    })
    const settings = { host, port: server.port, banner_regex: '^220 ' }
    await withDeadline(300, async (timeout_ms) => {
      const outcome = await check(tcp, settings, { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'banner_timeout', phase: 'greeting' })
      expect(outcome.details['banner']).toMatch(/^\.+$/)
      expect(outcome.duration_ms).toBeLessThan(timeout_ms + 2000)
    })
    await server.idle()
  })
})

describe('send', () => {
  it('goes out byte for byte, before the banner is read', async () => {
    const server = await scriptedServer((socket) => {
      socket.once('data', () => socket.write('+PONG\r\n'))
    })
    const settings = {
      host,
      port: server.port,
      send: 'PING\\r\\n\\x00\\xff\\\\',
      banner_regex: '^\\+PONG',
    }
    const outcome = await check(tcp, settings)
    expect(outcome.verdict).toBe('ok')
    expect(outcome.phases).toHaveProperty('send_ms')
    expect(server.received).toBe('PING\r\n\x00\xff\\')
  })

  it('does not wait for an answer where none is expected', async () => {
    const { port } = await scriptedServer(silent)
    expect(await check(tcp, { host, port, send: 'hello' })).toMatchObject({ verdict: 'ok' })
  })
})

describe('settings', () => {
  it.each([
    [{ port: 80 }, 'host', 'required'],
    [{ host }, 'port', 'required'],
    [{ host: 'a b', port: 80 }, 'host', 'invalid'],
    [{ host: 'fe80::1%eth0', port: 80 }, 'host', 'invalid'],
    [{ host, port: 0 }, 'port', 'out_of_range'],
    [{ host, port: 65536 }, 'port', 'out_of_range'],
    [{ host, port: 80, tls: 'starttls' }, 'tls', 'invalid'],
    [{ host, port: 80, ip_family: 'ipv5' }, 'ip_family', 'invalid'],
    [{ host, port: 80, send: '\\q' }, 'send', 'invalid'],
    [{ host, port: 80, send: '' }, 'send', 'out_of_range'],
    [{ host, port: 80, send: 'x'.repeat(1025) }, 'send', 'out_of_range'],
    [{ host, port: 80, banner_regex: '(' }, 'banner_regex', 'invalid'],
    [{ host, port: 80, banner_regex: '(?=a)' }, 'banner_regex', 'invalid'],
    [{ host, port: 80, url: 'x' }, 'url', 'unknown_field'],
  ])('%j is refused at %s', async (input, name, problem) => {
    const refused = await check(tcp, input as never).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ValidationError)
    expect((refused as ValidationError).fields).toEqual({
      [name]: expect.stringContaining(problem),
    })
  })

  it.each([
    ['implicit', true],
    ['none', false],
  ])('tls may be written as "%s"', async (tls, secured) => {
    const certificate = secured ? { tls: certificates().good } : {}
    const { port } = await scriptedServer(silent, certificate)
    const outcome = await check(tcp, { host, port, tls: tls as never })
    expect(outcome.verdict).toBe('ok')
    expect(Object.hasOwn(outcome.details, 'tls')).toBe(secured)
  })

  it('make the target that webhooks show', () => {
    const settings = { port: 25, tls: false, ip_family: 'auto' } as const
    expect(tcp.target({ host: 'mail.test', ...settings })).toBe('mail.test:25')
    expect(tcp.target({ host: '2001:db8::1', ...settings })).toBe('[2001:db8::1]:25')
  })
})
