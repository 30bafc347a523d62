import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { content } from '../../src/checkers/content/index.ts'
import { redis } from '../../src/checkers/extra/redis.ts'
import { grpc } from '../../src/checkers/extra/grpc/index.ts'
import { websocket } from '../../src/checkers/extra/websocket/index.ts'
import { ftp } from '../../src/checkers/ftp.ts'
import { http } from '../../src/checkers/http/index.ts'
import { imap } from '../../src/checkers/imap/index.ts'
import { mysql } from '../../src/checkers/mysql/index.ts'
import { pop3 } from '../../src/checkers/pop3.ts'
import { postgres } from '../../src/checkers/postgres/index.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { smtp } from '../../src/checkers/smtp.ts'
import { ssl } from '../../src/checkers/ssl/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { ValidationError } from '../../src/errors.ts'
import type { JsonObject } from '../../src/model.ts'
import { certificates } from '../support/certificates.ts'
import type { TestCertificate } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import type { CheckOptions } from '../support/check.ts'
import { patientClock } from '../support/patient-clock.ts'
import { serve } from '../support/http-exchange.ts'
import { eximServer, startExim } from '../support/servers/exim.ts'
import { mariadbServer, startMariadb } from '../support/servers/mariadb.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { nginxServer, startNginx } from '../support/servers/nginx.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { httpProxy } from '../support/test-proxies.ts'
import { mint } from './ssl/mint.ts'

const asClient = { usage: 'clientAuth', names: null, commonName: 'probe' } as const
const good = mint(asClient)
const expired = mint({
  ...asClient,
  begin: new Date('2025-01-01T00:00:00Z'),
  end: new Date('2025-02-01T00:00:00Z'),
})
const { selfSigned: stranger } = certificates()

const login = ({ chain, key }: Pick<TestCertificate, 'chain' | 'key'>) => ({
  tls_cert: chain,
  tls_key: key,
})

const REQUIRED = 'tls_client_cert_required'
const REFUSED = 'tls_client_cert_refused'
const EXPIRED = 'tls_client_cert_expired'

/** The cause without a certificate, with one of a stranger, with an expired one, and with a good one. */
async function causesOf(
  checker: AnyChecker,
  settings: JsonObject,
  options: CheckOptions = {},
): Promise<readonly (string | null)[]> {
  const causes: (string | null)[] = []
  for (const identity of [{}, login(stranger), login(expired), login(good)]) {
    const outcome = await check(checker, { ...settings, ...identity }, options)
    expect(JSON.stringify(outcome)).not.toContain('PRIVATE')
    causes.push(outcome.cause_code)
  }
  return causes
}

describeWithServer(nginxServer, 'a client certificate for nginx', () => {
  it('opens a page, over HTTP/1.1 and 2 and through a proxy, and its absence is named', async () => {
    const { ports } = await forThisTest(startNginx({ clientCertificate: true, http2: true }))
    await using proxy = await httpProxy()
    const url = `https://localhost:${ports.https}/`
    const expected = [REQUIRED, REFUSED, EXPIRED, null]
    expect(await causesOf(http(), { url })).toEqual(expected)
    expect(await causesOf(http(), { url, http_version: '2' })).toEqual(expected)
    expect(await causesOf(http(), { url, proxy: proxy.url })).toEqual(expected)
    expect(await causesOf(content(), { url })).toEqual(expected)
    const report = [...expected.slice(0, 3), 'resource_bad_format']
    expect(await causesOf(resources(), { url })).toEqual(report)
    const missing = await check(http(), { url })
    expect(missing).toMatchObject({
      cause_text: `localhost:${ports.https} requires a client certificate (status 400)`,
      details: { status: 400 },
    })
    expect(await check(http(), { url, expected_status: '400' })).toMatchObject({ verdict: 'ok' })
  })
})

describeWithServer(redisServer, 'a client certificate for Redis', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('decides under %s', async (clientCertificate) => {
    const { ports } = await forThisTest(startRedis({ clientCertificate }))
    const place = { host: 'localhost', port: ports.rediss }
    const expected = [REQUIRED, REFUSED, EXPIRED, null]
    expect(await causesOf(redis(), { ...place, tls: true })).toEqual(expected)
    // Without one, TLS 1.3 is complete for a client before the server looks.
    const seen = clientCertificate === 'TLSv1.2' ? REQUIRED : null
    const tls13 = [seen, ...expected.slice(1)]
    // Neither has anything else to wait for than the word of the server on the certificate.
    const clock = patientClock
    expect(await causesOf(tcp(), { ...place, tls: true }, { clock })).toEqual(tls13)
    expect(await causesOf(ssl(), place, { clock })).toEqual([null, ...expected.slice(1)])
    const old = await check(redis(), { ...place, tls: true, ...login(expired) })
    expect(old.cause_text).toBe(
      `Our client certificate ended at 2025-02-01T00:00:00.000Z, and localhost:${ports.rediss} refuses it`,
    )
    const { cause_text } = await check(redis(), { ...place, tls: true, ...login(stranger) })
    expect(cause_text).toMatch(/refuses our client certificate \(.*unknown ca/)
  })
})

describeWithServer([postgresServer, mariadbServer], 'a client certificate for a database', () => {
  it('opens PostgreSQL', async () => {
    const { ports } = await forThisTest(startPostgres({ clientCertificate: true }))
    const settings = { host: 'localhost', port: ports.postgres, user: 'u', pass: 'secret' }
    const database = { ...settings, database: 'app', tls: 'verify' }
    expect(await causesOf(postgres(), database)).toEqual([REQUIRED, REFUSED, EXPIRED, null])
  })

  it('opens MariaDB, which tells a missing one from a wrong password by no code', async () => {
    const { ports } = await forThisTest(startMariadb({ clientCertificate: true }))
    const settings = { host: 'localhost', port: ports.mysql, user: 'u', pass: 'secret' }
    const causes = await causesOf(mysql(), { ...settings, tls: 'verify' })
    expect(causes).toEqual(['auth_failed', REFUSED, EXPIRED, null])
  })
})

describeWithServer(eximServer, 'a client certificate for a mail server', () => {
  it('opens Exim, by STARTTLS and from the first byte', async () => {
    const { ports } = await forThisTest(startExim({ clientCertificate: true }))
    const expected = [REQUIRED, REFUSED, EXPIRED, null]
    for (const way of [
      { port: ports.smtp, tls: 'starttls' },
      { port: ports.smtps, tls: 'implicit' },
    ]) {
      expect(await causesOf(smtp(), { host: 'localhost', ...way }), way.tls).toEqual(expected)
    }
  })
})

it('goes to no other origin that a redirect leads to', async () => {
  const server = { ...certificates().good, asks: true }
  const asked: string[] = []
  const seen = (name: string) => (request: { socket: unknown }) => {
    const socket = request.socket as { getPeerCertificate(): { subject?: { CN: string } } }
    asked.push(`${name} ${socket.getPeerCertificate().subject?.CN ?? 'nobody'}`)
  }
  await using other = await serve((request, response) => {
    seen('other')(request)
    response.end('there')
  }, server)
  await using first = await serve((request, response) => {
    seen('first')(request)
    const location = request.url === '/' ? '/again' : other.origin
    response.writeHead(302, { location }).end()
  }, server)
  const outcome = await check(http(), { url: first.origin, ...login(good) })
  expect(outcome.cause_text).toBe(null)
  expect(asked).toEqual(['first probe', 'first probe', 'other nobody'])
})

describe('settings', () => {
  const place = { host: 'a.test', port: 1 }
  const problems = (settings: JsonObject, checker: AnyChecker = tcp()): unknown => {
    try {
      return parseSettings(checker, { ...place, tls: true, ...settings })
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      return error.fields
    }
  }
  const secret = createPrivateKey(good.key)
  const encrypted = (cipher = 'aes-256-cbc'): string =>
    secret.export({ type: 'pkcs8', format: 'pem', cipher, passphrase: 'open' }).toString()

  it('keep the PEM alone, and take an encrypted key with its passphrase', () => {
    const noise = `Bag Attributes\n${good.chain}`
    const stored = problems({ tls_cert: noise, tls_key: `x\n${good.key}` }) as JsonObject
    expect(stored['tls_cert']).toMatch(/^-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\s+-----BEGIN/)
    expect(stored['tls_key']).toMatch(/^-----BEGIN/)
    const locked = { tls_cert: good.cert, tls_key: encrypted() }
    expect(problems({ ...locked, tls_key_pass: 'open' })).toHaveProperty('tls_key_pass', 'open')
    expect(problems(locked)).toEqual({ tls_key_pass: 'required: tls_key is encrypted' })
    expect(problems({ ...locked, tls_key_pass: 'wrong' })).toEqual({
      tls_key_pass: 'invalid: it does not decrypt tls_key',
    })
  })

  it('are refused where they cannot work', () => {
    const pair = { tls_cert: good.cert, tls_key: good.key }
    const pem = 'invalid: PEM is expected: -----BEGIN'
    for (const [settings, field, text] of [
      [{ tls_cert: good.cert }, 'tls_key', 'required: tls_cert needs its private key'],
      [{ tls_key: good.key }, 'tls_cert', 'required: tls_key needs its certificate'],
      [{ tls_key_pass: 'x' }, 'tls_key_pass', 'invalid: tls_key is not set'],
      [{ ...pair, tls_cert: 'MIIB' }, 'tls_cert', pem],
      [{ ...pair, tls_key: 'MIIB' }, 'tls_key', pem],
      [
        { ...pair, tls_cert: good.cert + good.key },
        'tls_cert',
        'invalid: a private key belongs in',
      ],
      [{ ...pair, tls_cert: good.cert.replace(/M/g, 'N') }, 'tls_cert', 'invalid: certificate 1'],
      [{ ...pair, tls_cert: good.cert.repeat(11) }, 'tls_cert', 'invalid: at most 10 certificates'],
      [{ ...pair, tls_cert: good.cert.repeat(60) }, 'tls_cert', 'out_of_range: 1..32768'],
      [{ ...pair, tls_key: stranger.key }, 'tls_key', 'invalid: it does not belong to'],
      [{ ...pair, tls_key: good.key.replace(/M/g, 'N') }, 'tls_key', 'invalid: the key cannot be'],
      [{ ...pair, tls_key: longKey() }, 'tls_key', 'invalid: at most 4096 bits'],
      [{ ...pair, tls_key: agreementKey() }, 'tls_key', 'invalid: a key for x25519 does not sign'],
    ] as const) {
      expect(problems(settings), text).toEqual({ [field]: expect.stringContaining(text) as string })
    }
  })

  it('cost no long turn of the event loop: a passphrase is tried for 10,000 rounds at most', () => {
    const key = execFileSync(
      'openssl',
      ['pkcs8', '-topk8', '-iter', '10001', '-passout', 'pass:open'],
      { input: good.key },
    ).toString()
    expect(problems({ tls_cert: good.cert, tls_key: key, tls_key_pass: 'open' })).toEqual({
      tls_key: expect.stringMatching(/10000 rounds of PBKDF2/) as string,
    })
  })

  it('have no effect without TLS, which is said', () => {
    const pair = login(good)
    for (const [checker, settings] of [
      [tcp(), { ...place, tls: false }],
      [smtp(), { ...place, tls: 'none' }],
      [pop3(), { ...place, tls: 'none' }],
      [imap(), { ...place, tls: 'none' }],
      [ftp(), { ...place, tls: 'none' }],
      [mysql(), { ...place, user: 'u', tls: 'off' }],
      [postgres(), { ...place, user: 'u', tls: 'off' }],
      [redis(), { ...place, tls: false }],
      [grpc(), { ...place, tls: false }],
    ] as const) {
      const stored = problems({ ...settings, ...pair }, checker) as never
      expect(checker.unused?.(stored), checker.type).toHaveProperty('tls_cert')
    }
    for (const checker of [http(), content(), resources(), websocket()]) {
      const url = checker.type === 'websocket' ? 'wss://a.test/' : 'https://a.test/'
      const wrong = () => parseSettings(checker as AnyChecker, { url, tls_cert: good.cert })
      expect(wrong, checker.type).toThrow(/tls_key/)
    }
  })
})

/** Of 4104 bits; three primes are found in a fraction of the time of two. */
function longKey(): string {
  return execFileSync('openssl', ['genrsa', '-primes', '3', '4104'], { stdio: 'pipe' }).toString()
}

function agreementKey(): string {
  const { privateKey } = generateKeyPairSync('x25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
