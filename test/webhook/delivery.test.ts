import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../src/webhook/verify.ts'
import { certificates } from '../support/certificates.ts'
import type { CertificateKind } from '../support/certificates.ts'
import { closedPort, scriptedServer } from '../support/scripted-server.ts'
import { answering, delivery, rig, SENT_AT, status } from './rig.ts'

const url = (port: number, path = '/hook'): string => `http://127.0.0.1:${port}${path}`
const bodyOf = (received: string): Buffer =>
  Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1')
const headOf = (received: string): string[] =>
  received.slice(0, received.indexOf('\r\n\r\n')).split('\r\n')

describe('the request', () => {
  it('is what the specification says, and verifies at the receiver', async () => {
    const server = await scriptedServer(answering(status(200)))
    const secret = 'a secret'
    await rig().attempt({ url: url(server.port, '/hook?a=1#x'), secret, headers: { 'X-Key': 'k' } })
    const [line, ...headers] = headOf(server.received)
    const header = headers.find((text) => text.startsWith('X-Service-Signature: '))?.slice(21)
    expect(line).toBe('POST /hook?a=1 HTTP/1.1')
    expect(headers.map((text) => text.toLowerCase()).sort()).toEqual([
      'connection: close',
      `content-length: ${delivery.body.byteLength}`,
      'content-type: application/json',
      `host: 127.0.0.1:${server.port}`,
      'user-agent: watchpost-webhook/1.0',
      'x-key: k',
      'x-service-event: down',
      `x-service-signature: ${header}`,
    ])
    const body = bodyOf(server.received)
    expect(body).toEqual(Buffer.from(delivery.body))
    expect(verifyWebhook({ body, header, secret, now: SENT_AT })).toMatchObject({
      ok: true,
      event: 'down',
      notificationId: 42,
      payload: { monitor: { name: 'Магазин' }, incident: { id: 9 } },
    })
  })

  it('carries the same body and signature with GET', async () => {
    const server = await scriptedServer(answering(status(200)))
    const end = await rig().attempt({ url: url(server.port), secret: 'a secret', method: 'GET' })
    const header = /X-Service-Signature: (\S+)/.exec(server.received)?.[1]
    const body = bodyOf(server.received)
    expect(server.received).toMatch(/^GET \/hook HTTP\/1.1\r\n/)
    expect(end.class).toBe('delivered')
    expect(body).toEqual(Buffer.from(delivery.body))
    expect(verifyWebhook({ body, header, secret: 'a secret', now: SENT_AT })).toMatchObject({
      ok: true,
    })
  })

  it('is not signed without a secret', async () => {
    const server = await scriptedServer(answering(status(200)))
    await rig().attempt({ url: url(server.port) })
    expect(server.received).not.toMatch(/signature/i)
  })

  it('names the operator where brand and prefix are set', async () => {
    const server = await scriptedServer(answering(status(200)))
    await rig({ brand: 'Acme', prefix: 'Acme' }).attempt({ url: url(server.port), secret: 's' })
    expect(server.received).toMatch(
      /User-Agent: Acme-webhook\/1\.0\r\nX-Acme-Event: down\r\nX-Acme-Signature: sha256=/,
    )
  })

  it('is the same bytes at every attempt', async () => {
    const server = await scriptedServer(answering(status(503)))
    const { attempt } = rig()
    await attempt({ url: url(server.port), secret: 's' })
    const first = server.received
    await attempt({ url: url(server.port), secret: 's' })
    expect(server.received).toBe(first + first)
  })

  it('leaves out headers that a contact must not set, and says so in the log', async () => {
    const server = await scriptedServer(answering(status(200)))
    const { stored, warnings } = rig()
    // As an older version with wider rules may have stored it.
    await stored({
      url: url(server.port),
      method: 'POST',
      headers: [
        ['Host', 'evil.example'],
        ['X-Good', 'yes'],
      ],
    })
    expect(server.received).not.toContain('evil.example')
    expect(server.received).toContain('X-Good: yes')
    expect(warnings).toEqual([{ notification_id: 42, headers: ['Host'] }])
  })
})

describe('the class of an answer', () => {
  const rows: readonly (readonly [number, string])[] = [
    [200, 'delivered'],
    [201, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'failed'],
    [301, 'failed'],
    [302, 'failed'],
    [304, 'failed'],
    [307, 'failed'],
    [308, 'failed'],
    [400, 'failed'],
    [401, 'failed'],
    [404, 'failed'],
    [408, 'failed'],
    [409, 'failed'],
    [410, 'failed'],
    [425, 'failed'],
    [429, 'failed'],
    [500, 'temporary'],
    [501, 'temporary'],
    [502, 'temporary'],
    [503, 'temporary'],
    [504, 'temporary'],
    [599, 'temporary'],
    [101, 'failed'],
    [600, 'failed'],
    [999, 'failed'],
  ]

  it.each(rows)('%d: %s', async (code, expected) => {
    const server = await scriptedServer(answering(status(code)))
    const end = await rig().attempt({ url: url(server.port) })
    const error = expected === 'delivered' ? null : `http_${code}`
    expect(end).toMatchObject({ class: expected, http_status: code, error })
    expect(server.connections).toBe(1)
    await server.idle()
  })

  it('is that of an interim answer where no other follows, and not where one does', async () => {
    const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
    const alone = await scriptedServer(answering(processing))
    const followed = await scriptedServer(answering(processing + status(200)))
    const { attempt } = rig()
    expect(await attempt({ url: url(alone.port) })).toMatchObject({
      class: 'failed',
      error: 'http_102',
    })
    expect(await attempt({ url: url(followed.port) })).toMatchObject({ class: 'delivered' })
  })

  it('is not looked for behind a redirect', async () => {
    const other = await scriptedServer(answering(status(200)))
    const server = await scriptedServer(answering(status(302, `Location: ${url(other.port)}`)))
    expect(await rig().attempt({ url: url(server.port) })).toMatchObject({
      class: 'failed',
      http_status: 302,
    })
    expect(other.connections).toBe(0)
  })

  it('is that of the final answer where interim ones come first', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'
    const server = await scriptedServer(answering(interim + status(200)))
    expect(await rig().attempt({ url: url(server.port) })).toMatchObject({
      class: 'delivered',
      http_status: 200,
    })
  })

  it('is decided by the header section: a body that breaks off does not matter', async () => {
    const server = await scriptedServer(
      answering('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf'),
    )
    expect(await rig().attempt({ url: url(server.port) })).toMatchObject({
      class: 'delivered',
      answer: 'half',
    })
  })

  it.each([
    ['closes without a word', 'closed_early', (socket) => void socket.end()],
    [
      'resets the connection',
      'connect_reset',
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    ],
    [
      'closes in the middle of the headers',
      'closed_early',
      answering('HTTP/1.1 200 OK\r\nContent-Le'),
    ],
    ['is no HTTP server', 'http_protocol_error', answering('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'sends endless headers',
      'http_header_limit',
      answering(`HTTP/1.1 200 OK\r\n${'X: yyyyyyyyyyyyyyyyyyyy\r\n'.repeat(30_000)}\r\n`),
    ],
  ] as [string, string, (socket: import('node:net').Socket) => void][])(
    'is temporary where the receiver %s',
    async (_, error, script) => {
      const server = await scriptedServer(script)
      const end = await rig().attempt({ url: url(server.port) })
      expect(end).toMatchObject({ class: 'temporary', http_status: null, error, answer: null })
      await server.idle()
    },
  )

  it('is temporary where nobody listens, or the name is not known', async () => {
    const { attempt } = rig()
    expect(await attempt({ url: url(await closedPort()) })).toMatchObject({
      class: 'temporary',
      error: 'connect_refused',
    })
    const end = await attempt({ url: 'http://nobody.example/' })
    expect(end.class).toBe('temporary')
    expect(end.error).toMatch(/^dns_|^probe_resolver_broken$/)
  })

  it('is temporary for every way in which a certificate is wrong, and nothing is sent', async () => {
    const wrong: readonly (readonly [CertificateKind, string])[] = [
      ['expired', 'tls_expired'],
      ['wrongHost', 'tls_name_mismatch'],
      ['selfSigned', 'tls_self_signed'],
    ]
    for (const [kind, error] of wrong) {
      const server = await scriptedServer(answering(status(200)), { tls: certificates()[kind] })
      const end = await rig().attempt({ url: `https://127.0.0.1:${server.port}/` })
      expect(end).toMatchObject({ class: 'temporary', error })
      expect(server.received).toBe('')
    }
  })

  it('is delivered over TLS, by HTTP/1.1 even where HTTP/2 is on offer', async () => {
    const server = await scriptedServer(answering(status(200)), {
      tls: certificates().good,
      alpn: ['h2', 'http/1.1'],
    })
    const { attempt } = rig({ hosts: { 'example.test': ['127.0.0.1'] } })
    expect(await attempt({ url: `https://example.test:${server.port}/` })).toMatchObject({
      class: 'delivered',
    })
    expect(server.received).toContain(`\r\nhost: example.test:${server.port}\r\n`)
  })

  it('hears Retry-After on 503 only', async () => {
    const asking = await scriptedServer(answering(status(503, 'Retry-After: 45')))
    const failing = await scriptedServer(answering(status(500, 'Retry-After: 45')))
    const { attempt } = rig()
    expect(await attempt({ url: url(asking.port) })).toMatchObject({ retry_after_ms: 45_000 })
    expect(await attempt({ url: url(failing.port) })).toMatchObject({ retry_after_ms: null })
  })

  it('is temporary for a 4xx that the operator has listed, whose Retry-After counts as well', async () => {
    const server = await scriptedServer(answering(status(429, 'Retry-After: 45')))
    const { attempt } = rig({ retryStatuses: [429] })
    expect(await attempt({ url: url(server.port) })).toMatchObject({
      class: 'temporary',
      error: 'http_429',
      retry_after_ms: 45_000,
    })
    expect(await rig().attempt({ url: url(server.port) })).toMatchObject({
      class: 'failed',
      retry_after_ms: null,
    })
  })
})

describe('the answer in the log', () => {
  it('is printable, on one line', async () => {
    const server = await scriptedServer(
      answering('HTTP/1.1 400 No\r\n\r\nline\r\nnext\t\u001b[31mred\0'),
    )
    const { answer } = await rig().attempt({ url: url(server.port) })
    expect(answer).toBe('line\\r\\nnext\\t\\u{1b}[31mred\\u{0}')
  })

  it('does not hold the tokens in the query of the address, however they are repeated', async () => {
    const token = 'to ken/1+2'
    const sent = new URLSearchParams({ site: 'public', access_token: token }).toString()
    const server = await scriptedServer(
      answering(`HTTP/1.1 400 No\r\n\r\n/hook?${sent} ${token} ${JSON.stringify({ token })}`),
    )
    const { answer } = await rig().attempt({ url: url(server.port, `/hook?${sent}`) })
    expect(answer).toBe('/hook?site=public&access_token=*** *** {"token":"***"}')
  })

  it('does not hold what the contact keeps secret', async () => {
    const server = await scriptedServer(
      answering(
        'HTTP/1.1 400 No\r\n\r\nkey topsecret, Authorization: Bearer abcdef, X-Auth: my-own, Accept-Language: visible',
      ),
    )
    const settings = {
      secret: 'topsecret',
      headers: {
        Authorization: 'Bearer abcdef',
        'X-Auth': 'my-own',
        'Accept-Language': 'visible',
      },
    }
    const { answer } = await rig().attempt({ url: url(server.port), ...settings })
    expect(answer).toBe('key ***, Authorization: ***, X-Auth: ***, Accept-Language: visible')
  })

  it('is not unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(50 * 2 ** 20))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`
    const server = await scriptedServer(
      (socket) =>
        void socket.once('data', () => socket.end(Buffer.concat([Buffer.from(head), packed]))),
    )
    const end = await rig().attempt({ url: url(server.port) })
    expect(end).toMatchObject({ class: 'delivered' })
    expect(end.answer?.length).toBeLessThan(200_000)
  })

  it('is the first 16 KiB of an answer of 1 GiB, and the rest is not even taken off the wire', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let sent = 0
    const server = await scriptedServer((socket) => {
      const pump = (): void => {
        while (sent < 2 ** 30 && !socket.destroyed) {
          sent += chunk.length
          if (!socket.write(chunk)) return
        }
      }
      socket.on('drain', pump)
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`)
        pump()
      })
    })
    const end = await rig({ answerMs: 8000 }).attempt({ url: url(server.port) })
    expect(end).toMatchObject({ class: 'delivered', http_status: 200 })
    expect(end.answer).toBe('x'.repeat(16_384))
    await server.idle()
    expect(sent).toBeLessThan(64 * 2 ** 20)
  })
})
