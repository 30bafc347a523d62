import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emailContact } from '../../src/contacts/index.ts'
import type { JsonObject } from '../../src/model.ts'
import { withDeadline } from '../support/deadlines.ts'
import { closedPort, scriptedServer } from '../support/scripted-server.ts'
import { eximServer, startExim } from '../support/servers/exim.ts'
import type { EximOptions, EximServer } from '../support/servers/exim.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { EVENTS, hostile, LOOPBACK, rig, told } from './rig.ts'

const email = emailContact({ guard: { ...LOOPBACK, allowHosts: ['localhost'] } })
const hosts = { localhost: ['127.0.0.1'] }
const login = { user: 'u', pass: 'secret' } as const
const ENVELOPE = { host: 'localhost', from: 'watch@example.com', to: 'ops@example.com' } as const

describeWithServer(eximServer, 'e-mail through Exim', () => {
  it.each([
    ['by STARTTLS, which is the default', 'smtp', {}],
    ['over TLS from the first byte', 'smtps', { tls: 'implicit' }],
    ['in clear where that is written down', 'smtp', { tls: 'none' }],
  ] as const)('arrives %s, with a login', async (_, port, tls) => {
    const server = await exim()
    const end = await send(server, { port: server.ports[port], ...tls, ...login }, told('down'))
    expect(end).toMatchObject({ class: 'delivered', error: null, http_status: null })
    expect(end.answer).toMatch(/^250 OK id=/)
    const [mail] = await kept(server, 1)
    const by = 'tls' in tls && tls.tls === 'none' ? /with esmtpa / : /with esmtpsa /
    expect(mail?.text).toMatch(by)
    expect(mail?.header('From')).toBe('Watchpost <watch@example.com>')
    expect(mail?.header('To')).toBe('ops@example.com')
    expect(mail?.header('Subject')).toBe('DOWN: Shop is down')
    expect(mail?.header('Date')).toBe('Thu, 01 Jan 2026 12:00:00 +0000')
    expect(mail?.header('Auto-Submitted')).toBe('auto-generated')
  })

  it('is the same message at every attempt, known by its id', async () => {
    const server = await exim()
    const settings = { port: server.ports.smtp }
    await send(server, settings, told('down'))
    await send(server, settings, told('down'))
    await send(server, settings, told('down', { id: 43 }))
    const mails = await kept(server, 3)
    const ids = mails.map(({ header }) => header('Message-ID'))
    expect(ids.sort()).toEqual([
      `<notification-42-${Date.UTC(2026, 0, 1, 12)}@example.com>`,
      `<notification-42-${Date.UTC(2026, 0, 1, 12)}@example.com>`,
      `<notification-43-${Date.UTC(2026, 0, 1, 12)}@example.com>`,
    ])
    const [first, second] = mails.filter(({ header }) => header('Message-ID').includes('-42-'))
    expect(first?.own).toBe(second?.own)
  })

  it('puts all messages of one incident into one thread, and no other', async () => {
    const server = await exim()
    const settings = { port: server.ports.smtp }
    for (const event of ['down', 'repeat', 'up']) await send(server, settings, told(event))
    await send(server, settings, told('down', { incident_id: 10 }))
    await send(server, settings, told('ssl_changed', { incident: null }))
    const mails = await kept(server, 5)
    const threads = mails.map(({ header }) => header('In-Reply-To'))
    const thread = `<incident-7-9-${Date.UTC(2026, 0, 1, 11, 58, 30)}@example.com>`
    expect(threads.filter((each) => each === thread)).toHaveLength(3)
    expect(new Set(threads).size).toBe(3)
    expect(mails.map(({ header }) => header('References'))).toEqual(threads)
  })

  it('goes to every recipient', async () => {
    const server = await exim()
    const to = ['a@example.com', 'b@example.org']
    await send(server, { port: server.ports.smtp, to }, told('down'))
    const [mail] = await kept(server, 1)
    expect(mail?.header('Envelope-to').split(/,\s*/).sort()).toEqual(to)
    expect(mail?.header('To')).toBe('a@example.com, b@example.org')
  })

  it('holds the words as plain text and as HTML, whatever a monitor is called', async () => {
    const server = await exim()
    for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
      expect(await send(server, { port: server.ports.smtp }, delivery)).toMatchObject({
        class: 'delivered',
      })
    }
    for (const { text, header } of await kept(server, EVENTS.length + 2)) {
      expect(text).not.toMatch(/^bcc:/im)
      expect(header('Content-Type')).toMatch(/^multipart\/alternative; boundary="\S+"$/)
      expect(text).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m)
      expect(text).toMatch(/^Content-Type: text\/html; charset=utf-8$/m)
      const page = text.slice(text.indexOf('Content-Type: text/html')).replace(/=\n/g, '')
      const tags = [...page.matchAll(/<\/?([^\s>]*)/g)].map(([, name]) => name)
      const ours = ['div', 'h2', 'table', 'td', 'tr']
      expect(tags).toContain('h2')
      expect(tags.filter((name = '') => !ours.includes(name))).toEqual([])
      expect(header('Subject').length).toBeLessThan(1000)
    }
  })

  const REFUSALS: readonly (readonly [string, EximOptions, JsonObject, string, string])[] = [
    ['an unknown recipient', {}, { to: 'deny@example.com' }, 'failed', 'smtp_550'],
    ['a recipient who is to wait', {}, { to: 'defer@example.com' }, 'temporary', 'smtp_451'],
    ['the message', {}, { to: 'spam@example.com' }, 'failed', 'smtp_550'],
    ['us, who may come back', { greeting: 'defer' }, {}, 'temporary', 'smtp_421'],
    ['us for good', { greeting: 'deny' }, {}, 'failed', 'smtp_554'],
    ['a wrong password', {}, { ...login, pass: 'wrong' }, 'failed', 'smtp_535'],
    ['every password for now', { auth: 'broken' }, login, 'temporary', 'smtp_435'],
    ['to speak TLS', { tls: 'off' }, {}, 'temporary', 'tls_unsupported'],
  ]

  it.each(REFUSALS)(
    'tells where the server refuses %s',
    async (_, options, settings, type, code) => {
      const server = await exim(options)
      const end = await send(server, { port: server.ports.smtp, ...settings }, told('down'))
      expect(end).toMatchObject({ class: type, error: code, http_status: null })
      if (code.startsWith('smtp_')) expect(end.answer).toContain(code.slice(5))
      expect(await kept(server, 0)).toEqual([])
    },
  )

  it('is delivered where some recipients were refused, and says which', async () => {
    const server = await exim()
    const { attempt, logged } = rig(email, hosts)
    const to = ['ops@example.com', 'deny@example.com', 'defer@example.com']
    const settings = { ...ENVELOPE, port: server.ports.smtp, to }
    const end = await attempt(settings, told('down'))
    expect(end).toMatchObject({ class: 'delivered', error: null })
    expect(end.answer).toMatch(/^250 OK .*550.*No such mailbox.*451.*Try again later/)
    expect(logged()).toContain('refused some of the recipients')
    const [mail] = await kept(server, 1)
    expect(mail?.header('Envelope-to')).toBe('ops@example.com')
  })

  it('never says a password to a server whose certificate is another one', async () => {
    const server = await exim({ certificate: 'selfSigned' })
    const end = await send(server, { port: server.ports.smtp, ...login }, told('down'))
    expect(end).toMatchObject({ class: 'temporary', error: 'tls_self_signed', answer: null })
  })
})

describe('an e-mail', () => {
  it('does not dial an address that is not allowed', async () => {
    const server = await scriptedServer(() => undefined)
    const { attempt, problems } = rig(emailContact(), { ...hosts, 'mx.example': ['127.0.0.1'] })
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1', 'localhost', 'mx.example']) {
      const end = await attempt({ ...ENVELOPE, host, port: server.port }, told('down'))
      expect(end).toMatchObject({ class: 'failed', error: 'blocked' })
    }
    expect(server.connections).toBe(0)
    expect(await problems({ ...ENVELOPE, host: '10.0.0.1' })).toEqual({
      host: 'invalid: private_address: this address is not allowed',
    })
  })

  it('does not dial a port that the operator has not allowed', async () => {
    const server = await scriptedServer(() => undefined)
    const kind = emailContact({ guard: { ...LOOPBACK, ports: [465, 587] } })
    const { attempt, problems } = rig(kind)
    const settings = { ...ENVELOPE, host: '127.0.0.1', port: server.port }
    expect(await attempt(settings, told('down'))).toMatchObject({ class: 'failed' })
    expect(await problems(settings)).toEqual({ host: 'invalid: this port is not allowed' })
    expect(await problems({ ...settings, port: 465 })).toEqual({})
    expect(server.connections).toBe(0)
  })

  it('is temporary where nobody listens, and uncounted where the engine stops first', async () => {
    const { attempt, stop } = rig(email, hosts)
    const settings = { ...ENVELOPE, port: await closedPort() }
    expect(await attempt(settings, told('down'))).toMatchObject({
      class: 'temporary',
      error: 'connect_refused',
    })
    stop()
    expect(await attempt(settings, told('down'))).toMatchObject({
      error: 'stopped',
      uncounted: true,
    })
  })

  it.each([
    ['says nothing', () => undefined, 'timeout'],
    [
      'is no mail server',
      (socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
      'protocol_error',
    ],
    ['hangs up', (socket) => void socket.end(), 'closed_early'],
    ['speaks without end', (socket) => void socket.write('2'.repeat(100_000)), 'too_long'],
  ] as [string, (socket: import('node:net').Socket) => void, string][])(
    'is temporary where the server %s',
    async (_, script, error) => {
      const server = await scriptedServer(script)
      const settings = { ...ENVELOPE, host: '127.0.0.1', port: server.port }
      await withDeadline(300, async (deadlineMs) => {
        const kind = emailContact({ guard: LOOPBACK, deadlineMs })
        expect(await rig(kind).attempt(settings, told('down'))).toMatchObject({
          class: 'temporary',
          error,
        })
      })
      await server.idle()
    },
  )

  it('does not show a password that the server sends back', async () => {
    const secret = 'a-long-password'
    const plain = Buffer.from(`\0u\0${secret}`).toString('base64')
    const server = await scriptedServer((socket) => {
      socket.write('220 mx\r\n')
      socket.on('data', (data: Buffer) => {
        const said = data.toString()
        if (said.startsWith('EHLO')) socket.write('250-mx\r\n250 AUTH PLAIN\r\n')
        else socket.write(`535 not ${plain}, ${secret}\r\n`)
      })
    })
    const { attempt, logged } = rig(emailContact({ guard: LOOPBACK }))
    const settings = { ...ENVELOPE, host: '127.0.0.1', port: server.port, tls: 'none' }
    const end = await attempt({ ...settings, user: 'u', pass: secret }, told('down'))
    expect(end).toMatchObject({ class: 'failed', error: 'smtp_535' })
    expect(end.answer).toContain('535 not ***, ***')
    expect(JSON.stringify(end) + logged()).not.toMatch(/a-long-password/)
  })

  it('goes on over TLS only with what the server says there (CVE-2011-0411)', async () => {
    const server = await scriptedServer((socket) => {
      socket.write('220 mx\r\n')
      socket.on('data', (data: Buffer) => {
        const said = data.toString()
        if (said.startsWith('EHLO')) socket.write('250-mx\r\n250 STARTTLS\r\n')
        else socket.write('220 go on\r\n250 injected\r\n')
      })
    })
    const settings = { ...ENVELOPE, host: '127.0.0.1', port: server.port }
    const end = await rig(emailContact({ guard: LOOPBACK })).attempt(settings, told('down'))
    expect(end).toMatchObject({ class: 'temporary', error: 'protocol_error' })
  })
})

describe('the settings of an e-mail', () => {
  it.each([
    'a@b@c',
    'nobody',
    '@example.com',
    'Ops <ops@example.com>',
    'ops@example.com\r\nBcc: x@evil.example',
    'ops@example.com, x@evil.example',
    '"a b"@example.com',
    'a..b@example.com',
    'ops@-x.example',
    `${'a'.repeat(65)}@example.com`,
    'ops@exa mple.com',
    7,
  ])('refuse the address %j', async (from) => {
    const { problems } = rig(email, hosts)
    expect(await problems({ ...ENVELOPE, from })).toEqual({
      from: 'invalid: one e-mail address is expected',
    })
  })

  it('take a list, or one text with commas, and a domain in any letters', async () => {
    const { problems } = rig(email, hosts)
    for (const to of [
      ['a@example.com'],
      'a@example.com, b+c@mail.example.com',
      'a@bücher.example',
    ]) {
      expect(await problems({ ...ENVELOPE, to })).toEqual({})
    }
    expect(await problems({ ...ENVELOPE, to: [] })).toEqual({ to: 'out_of_range: 1..20 items' })
    expect(await problems({ ...ENVELOPE, to: ['a@example.com', 'b'] })).toEqual({
      to: 'invalid: entry 2: one e-mail address is expected',
    })
  })

  it('want user and password together', async () => {
    const { problems } = rig(email, hosts)
    expect(Object.keys(await problems({ ...ENVELOPE, user: 'u' }))).toEqual(['pass'])
    expect(Object.keys(await problems({ ...ENVELOPE, pass: 'p' }))).toEqual(['user'])
  })

  it('know the ports of the three ways to speak TLS', () => {
    const target = (given: JsonObject) => email.target?.({ ...ENVELOPE, to: [], ...given })
    expect(target({})).toBe('localhost:587')
    expect(target({ tls: 'implicit' })).toBe('localhost:465')
    expect(target({ tls: 'none' })).toBe('localhost:25')
    expect(target({ port: 2525 })).toBe('localhost:2525')
  })
})

const exim = (options: EximOptions = {}): Promise<EximServer> =>
  forThisTest(startExim({ keep: true, ...options }))

function send(_server: EximServer, settings: JsonObject, delivery: ReturnType<typeof told>) {
  return rig(email, hosts).attempt({ ...ENVELOPE, ...settings }, delivery)
}

interface Mail {
  /** As the server has stored it. */
  readonly text: string
  /** From the first header of ours on. */
  readonly own: string
  /** One header, unfolded. */
  header(name: string): string
}

/** The messages that the server has stored, once there are so many: it takes each by one process and stores it by another. */
async function kept(server: EximServer, count: number): Promise<Mail[]> {
  const folder = join(server.dir, 'mail')
  const stored = () => readdirSync(folder).filter((name) => !name.startsWith('temp.'))
  await expect.poll(() => stored().length).toBeGreaterThanOrEqual(count)
  const files = stored()
  expect(files).toHaveLength(count)
  return files.map((name) => mailOf(readFileSync(join(folder, name), 'utf8')))
}

function mailOf(text: string): Mail {
  const head = text.slice(0, text.indexOf('\n\n')).replace(/\n[ \t]+/g, ' ')
  return {
    text,
    own: text.slice(text.search(/^From: /m)),
    header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '',
  }
}
