/** What an authorization server and a target may do to each other's secrets, and to a check. */
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { content } from '../../src/checkers/content/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { responseOf } from '../../src/checkers/response-time.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { createSharedState } from '../../src/engine/checks/shared-state.ts'
import { ValidationError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import type { JsonObject } from '../../src/model.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { check } from '../support/check.ts'
import { serve, serveRaw } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'
import { httpProxy } from '../support/test-proxies.ts'
import { tokenServer } from '../support/token-server.ts'
import { withDeadline } from '../support/deadlines.ts'

const CLIENT = { client_id: 'watch', client_secret: 's3cr3t-of-the-client' }
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ3YXRjaCJ9.c2lnbmF0dXJl'

type Answer = readonly [status: number, body: string, headers?: Readonly<Record<string, string>>]

const inflated = (data: string): string => inflateRawSync(Buffer.from(data, 'base64')).toString()

const json = (answer: JsonObject): string => JSON.stringify(answer)

const REFUSED: readonly (readonly [string, Answer, text: string])[] = [
  [
    'of the RFC',
    [401, json({ error: 'invalid_client', error_description: 'D' })],
    'invalid_client',
  ],
  ['with 400', [400, json({ error: 'invalid_scope' })], 'invalid_scope (status 400)'],
  ['with 200', [200, json({ error: 'unauthorized_client' })], 'unauthorized_client (status 200)'],
  ['without a code', [401, 'no'], 'client credentials: status 401'],
  ['with the secret as its code', [401, json({ error: 's3cr3t-of-the-client' })], ': ***'],
]

const WRONG: readonly (readonly [string, Answer, text: string])[] = [
  ['no JSON', [200, '<html>'], 'what is no JSON object'],
  ['a list', [200, '[]'], 'what is no JSON object'],
  ['no token', [200, '{}'], 'no access_token'],
  ['a number', [200, json({ access_token: 1 })], 'no access_token'],
  ['a huge token', [200, json({ access_token: 'a'.repeat(8193) })], 'more than 8192 characters'],
  ['a token with a line', [200, json({ access_token: 'a\r\nX-Evil: 1' })], 'not visible ASCII'],
  ['a token of another type', [200, json({ access_token: 'a', token_type: 'mac' })], 'than Bearer'],
  ['a redirect', [302, '', { location: '/elsewhere' }], 'a redirect (status 302)'],
  ['an error of a server', [503, json({ error: 'invalid_client' })], 'status 503'],
  ['a code of a server', [400, json({ error: 'temporarily_unavailable' })], 'status 400'],
  ['a code that is a text', [400, json({ error: 'Bad things <b>' })], 'status 400'],
  ['too many requests', [429, ''], 'status 429'],
  ['too much', [200, json({ access_token: 'a', x: 'y'.repeat(70_000) })], 'more than 65536 bytes'],
  ['what does not unpack', [200, '{}', { 'content-encoding': 'gzip' }], ''],
]

describe('a token endpoint that answers with', () => {
  it.each([
    ...REFUSED.map((row) => ['oauth_refused', 'fail', ...row] as const),
    ...WRONG.map((row) => ['oauth_protocol_error', 'unknown', ...row] as const),
  ])('%s, %s: %s', async (code, verdict, _name, [status, body, headers = {}], text) => {
    await using issuer = await tokenServer()
    let asked = 0
    await using target = await serve((_, response) => response.end(String(asked++)))
    issuer.reply = (response) => response.writeHead(status, headers).end(body)
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    for (const checker of [http(), content(), resources()] as readonly AnyChecker[]) {
      const outcome = await check(checker, settings)
      expect([outcome.cause_code, outcome.verdict, outcome.phase]).toEqual([code, verdict, 'oauth'])
      // The target was not asked.
      expect(responseOf(checker, outcome)).toBe(null)
      expect(outcome.cause_text).toContain(text)
      expect(outcome.cause_text).not.toMatch(/error_description|s3cr3t|\bD\b/)
    }
    expect([asked, issuer.asked.length]).toEqual([0, 3])
  })

  it('nothing, forever, or a byte now and then is oauth_timeout', async () => {
    await using silent = await serveRaw(() => undefined)
    await using issuer = await tokenServer()
    issuer.reply = (response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    }
    await using target = await serve((_, response) => response.end())
    for (const token_url of [issuer.url, silent.origin, silent.origin.replace('http', 'https')]) {
      const settings = { url: target.origin, oauth: { ...CLIENT, token_url } }
      const shared = createSharedState()
      await withDeadline(400, async (timeout_ms) => {
        const run = () => check(http(), settings, { shared, timeout_ms })
        for (const outcome of await Promise.all([run(), run()])) {
          expect(outcome).toMatchObject({
            verdict: 'unknown',
            cause_code: 'oauth_timeout',
            phase: 'oauth',
          })
          expect(outcome.duration_ms).toBeLessThan(timeout_ms + 1100)
        }
      })
    }
    expect(target.accepted).toBe(0)
  })

  it('a refusal is asked again after five seconds, not by every check', async () => {
    const clock = simulatedClock()
    await using issuer = await tokenServer()
    await using target = await serve((_, response) => response.end())
    issuer.reply = (response) => response.writeHead(401).end(json({ error: 'invalid_client' }))
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    const shared = createSharedState()
    const run = () => check(http(), settings, { shared, clock })
    for (let checks = 0; checks < 3; checks++)
      expect((await run()).cause_code).toBe('oauth_refused')
    expect(issuer.asked).toHaveLength(1)
    issuer.reply = undefined
    await clock.advance(5_000)
    expect((await run()).verdict).toBe('ok')
  })
})

it('a token endpoint that cannot be reached is unknown, and one that is blocked is said to be', async () => {
  await using target = await serve((_, response) => response.end())
  await using proxy = await httpProxy({ login: 'a:b' })
  await using issuer = await tokenServer()
  const dead = `http://127.0.0.1:${await closedPort()}/`
  const policy = ({ address }: { address: string }) =>
    address === '10.0.0.1' ? 'private' : undefined
  const hosts = { 'login.example': ['10.0.0.1'] }
  for (const [token_url, more, expected] of [
    [dead, {}, ['oauth_unreachable', 'unknown']],
    ['https://nobody.example/', {}, ['probe_resolver_broken', 'unknown']],
    ['https://login.example/', {}, ['connect_blocked', 'fail']],
    ['http://10.0.0.1/', {}, ['connect_blocked', 'fail']],
    [issuer.url, { proxy: proxy.url }, ['proxy_auth', 'unknown']],
    ['https://login.example/', { proxy: proxy.url }, ['connect_blocked', 'fail']],
  ] as const) {
    const settings = { url: target.origin, ...more, oauth: { ...CLIENT, token_url } }
    const outcome = await check(http(), settings, { policy, strangers: true, hosts })
    expect([outcome.cause_code, outcome.verdict], token_url).toEqual(expected)
    expect(outcome.cause_text).toContain(new URL(token_url).host)
  }
  const metadata = { ...CLIENT, token_url: 'http://169.254.169.254/latest/' }
  const settings = { url: target.origin, oauth: metadata }
  const outcome = await check(http(), settings, { policy: targetPolicy('open') })
  expect(outcome.cause_code).toBe('connect_blocked')
  expect([target.accepted, issuer.asked, proxy.asked]).toEqual([0, [], [issuer.url]])
})

describe('a token is a secret', () => {
  it('and found in nothing that a check says, logs or remembers, although the target repeats it', async () => {
    await using issuer = await tokenServer()
    issuer.answer = { access_token: TOKEN }
    await using target = await serve((request, response) => {
      const { authorization = '' } = request.headers
      const token = authorization.slice('Bearer '.length)
      const said = { token, again: `${authorization} ${encodeURIComponent(token)}` }
      const packed = Buffer.from(token).toString('base64')
      const headers = { 'content-type': 'application/json', 'x-said': authorization, packed }
      if (request.url === '/') response.writeHead(302, { location: `/page?q=${token}` }).end()
      else response.writeHead(200, headers).end(JSON.stringify(said))
    })
    const lines: unknown[] = []
    const line = (...said: unknown[]): void => void lines.push(said)
    const log: Logger = { debug: line, info: line, warn: line, error: line }
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    const rules = {
      json: [{ path: '$.token', op: 'equals', value: 'x' }],
      headers_expected: [{ name: 'packed', op: 'equals', value: 'x' }],
    } as const
    const outcomes = [
      await check(http(), { ...settings, ...rules }, { log }),
      await check(http(), { ...settings, json: rules.json }, { log }),
      await check(resources(), settings, { log }),
      await check(content(), settings, { log }),
    ]
    expect(outcomes.map(({ cause_code }) => cause_code)).toEqual([
      'header_mismatch',
      'json_mismatch',
      'resource_bad_format',
      null,
    ])
    const [memo, all] = [outcomes[3]?.memo as { kept: { data: string } }, json(outcomes as never)]
    for (const text of [all, JSON.stringify(lines)])
      expect(text).not.toMatch(/eyJ|c2lnbmF0|ZXlK|s3cr3t/)
    expect(inflated(memo.kept.data)).toContain('***')
    expect(inflated(memo.kept.data)).not.toContain('eyJ')
    // Another token makes no other page.
    issuer.answer = { access_token: `${TOKEN}2` }
    const again = await check(content(), settings, { memo: outcomes[3]?.memo ?? null })
    expect(again.details).toMatchObject({ changed: false })
  })

  it('that stays at the first origin, and the client secret at the token endpoint', async () => {
    await using issuer = await tokenServer()
    const seen: unknown[] = []
    await using other = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401).end()
    })
    await using target = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(302, { location: other.origin }).end()
    })
    const shared = createSharedState()
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    for (let checks = 0; checks < 2; checks++)
      expect((await check(http(), settings, { shared })).cause_code).toBe('http_status')
    expect(seen).toEqual(['Bearer token-1', undefined, 'Bearer token-1', undefined])
    expect(issuer.asked).toHaveLength(1)
    const location = `${other.origin}/token`
    issuer.reply = (response) => response.writeHead(307, { location }).end()
    await check(http(), settings)
    expect(seen).toHaveLength(4)
  })
})

describe('settings', () => {
  const problems = (checker: AnyChecker, settings: JsonObject): unknown => {
    try {
      return parseSettings(checker, { url: 'https://a.test/', ...settings })
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      return error.fields
    }
  }
  const oauth = { ...CLIENT, token_url: 'https://login.example/' }

  it.each([http(), content(), resources()] as readonly AnyChecker[])(
    'of $type are refused where they cannot work, and dropped where nothing is set',
    (checker) => {
      expect(problems(checker, { oauth })).toMatchObject({ oauth })
      expect(problems(checker, { oauth: { scope: null } })).not.toHaveProperty('oauth')
      const needed = 'required: oauth needs it'
      expect(problems(checker, { oauth: { scope: 'a' } })).toEqual({
        'oauth.token_url': needed,
        'oauth.client_id': needed,
        'oauth.client_secret': needed,
      })
      const other = checker.type === 'resources' ? { secret: 's' } : { auth: { user: 'u' } }
      for (const [settings, field, text] of [
        [{ oauth, ...other }, 'token_url', `${Object.keys(other)[0] ?? ''} is set as well`],
        [
          { oauth: { ...oauth, token_url: 'https://u:p@a.test' } },
          'token_url',
          'user and password',
        ],
        [{ oauth: { ...oauth, token_url: 'ftp://a.test' } }, 'token_url', 'http:// or https://'],
        [{ oauth: { ...oauth, scope: 'a  b' } }, 'scope', 'words of ASCII'],
        [{ oauth: { ...oauth, scope: 'a"' } }, 'scope', 'words of ASCII'],
        [
          { oauth: { ...oauth, client_id: 'x'.repeat(1025) } },
          'client_id',
          'out_of_range: 1..1024',
        ],
        [{ oauth: { ...oauth, auth_method: 'none' } }, 'auth_method', 'one of client_secret_basic'],
      ] as const) {
        expect(problems(checker, settings as JsonObject), text).toEqual({
          [`oauth.${field}`]: expect.stringContaining(text) as string,
        })
      }
    },
  )

  it('have one header of credentials', () => {
    expect(problems(http(), { oauth, headers: { AUTHORIZATION: 'x' } })).toEqual({
      'oauth.token_url': 'invalid: headers.authorization is set as well',
    })
  })
})
