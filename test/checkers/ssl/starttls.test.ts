import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import { parseSettings } from '../../../src/engine/checks/run-check.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { dovecotServer, startDovecot } from '../../support/servers/dovecot.ts'
import { eximServer, startExim } from '../../support/servers/exim.ts'
import type { RunningServer } from '../../support/servers/harness.ts'
import { mariadbServer, startMariadb } from '../../support/servers/mariadb.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import { postgresServer, startPostgres } from '../../support/servers/postgres.ts'
import { proftpdServer, startProftpd } from '../../support/servers/proftpd.ts'

const checker = ssl()
const host = 'localhost'
const PROTOCOLS = ['smtp', 'imap', 'pop3', 'ftp', 'postgres', 'mysql'] as const
type Protocol = (typeof PROTOCOLS)[number]

const SERVERS = [dovecotServer, eximServer, mariadbServer, postgresServer, proftpdServer]

describeWithServer(SERVERS, 'a real server that begins in clear', () => {
  let servers: readonly RunningServer[] = []
  const ports = new Map<string, number>()

  beforeAll(async () => {
    servers = await Promise.all([
      startDovecot(),
      startExim(),
      startProftpd(),
      startMariadb(),
      startPostgres(),
    ])
    for (const server of servers) {
      for (const [name, port] of Object.entries(server.ports)) ports.set(name, port)
    }
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))

  it.each(PROTOCOLS)('of %s shows its certificate', async (starttls) => {
    const settings = { host, port: ports.get(starttls) ?? 0, starttls }
    const outcome = await check(checker, settings)
    expect(outcome, outcome.cause_text ?? '').toMatchObject({
      verdict: 'ok',
      details: { authorized: true, protocol: expect.stringMatching(/^TLSv1/) as string },
    })
    expect(outcome.details['days_left']).toBeGreaterThan(80)
    expect(outcome.phases).toHaveProperty('starttls_ms')
  })

  it.each(PROTOCOLS)('of %s is held against the name and the trust', async (starttls) => {
    const at = { port: ports.get(starttls) ?? 0, starttls }
    const hosts = { 'elsewhere.invalid': ['127.0.0.1'] }
    const named = await check(checker, { ...at, host: 'elsewhere.invalid' }, { hosts })
    expect(named).toMatchObject({ cause_code: 'tls_name_mismatch' })
    expect(named.details['subject']).toBeDefined()
  })
})

describe('a server without TLS', () => {
  const OFF: Readonly<Record<Protocol, readonly string[]>> = {
    smtp: ['220 mail\r\n', '250-mail\r\n250 SIZE\r\n', '502 no\r\n'],
    imap: ['* OK ready\r\n', 'a BAD what?\r\n'],
    pop3: ['+OK ready\r\n', '-ERR no\r\n'],
    ftp: ['220-one\r\ntwo\r\n220 three\r\n', '500 no\r\n'],
    postgres: ['', 'N'],
    mysql: [greetingWithoutTls()],
  }

  it.each(PROTOCOLS)('of %s is told', async (starttls) => {
    const { port } = await talking(OFF[starttls])
    const outcome = await check(checker, { host, port, starttls })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({
      verdict: 'fail',
      cause_code: 'tls_unsupported',
      phase: 'starttls',
    })
  })

  it.each<[Protocol, string, string]>([
    ['smtp', 'SSH-2.0-Test\r\n', 'protocol_error'],
    ['smtp', '554 go away\r\n', 'tls_unsupported'],
    ['pop3', '220 mail\r\n', 'protocol_error'],
    ['imap', '220 mail\r\n', 'protocol_error'],
    ['mysql', 'SSH-2.0-Test\r\n', 'protocol_error'],
    ['ftp', `220-${'x'.repeat(9000)}\r\n`, 'too_long'],
    ['imap', '', 'closed_early'],
  ])('of %s that says %j is %s', async (starttls, greeting, cause_code) => {
    const { port } = await scriptedServer((socket) => void socket.end(greeting, 'latin1'))
    const outcome = await check(checker, { host, port, starttls })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code })
  })

  it('that says more before the handshake is refused', async () => {
    const { port } = await talking(['+OK ready\r\n', '+OK go\r\n+OK injected\r\n'])
    const outcome = await check(checker, { host, port, starttls: 'pop3' })
    expect(outcome).toMatchObject({ cause_code: 'protocol_error' })
  })

  it('that says nothing meets the deadline', async () => {
    const server = await scriptedServer(() => undefined)
    await withDeadline(300, async (timeout_ms) => {
      const settings = { host, port: server.port, starttls: 'smtp' } as const
      expect(await check(checker, settings, { timeout_ms })).toMatchObject({
        cause_code: 'banner_timeout',
        phase: 'greeting',
      })
    })
    await server.idle()
  })
})

describe('port', () => {
  it.each([
    [{}, 443],
    [{ starttls: 'smtp' }, 25],
    [{ starttls: 'postgres' }, 5432],
    [{ starttls: 'smtp', port: 587 }, 587],
  ])('with %j is %i', (settings, port) => {
    expect(parseSettings(checker, { host, ...settings })).toMatchObject({ port })
  })
})

/** Says the first at once, and one more for each thing that it hears. */
async function talking(lines: readonly string[]): Promise<{ readonly port: number }> {
  return scriptedServer((socket) => {
    const left = [...lines]
    const say = (): void => void socket.write(left.shift() ?? '', 'latin1')
    say()
    socket.on('data', say)
  })
}

/** Protocol 10, version 8, with CLIENT_PROTOCOL_41 and without CLIENT_SSL. */
function greetingWithoutTls(): string {
  const payload = `\x0a8.0\0${'\x01'.repeat(4)}${'s'.repeat(8)}\0\x00\x02${'\0'.repeat(20)}`
  return `${String.fromCharCode(payload.length)}\0\0\0${payload}`
}
