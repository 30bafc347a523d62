import { describe, expect, it } from 'vitest'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { content } from '../../src/checkers/content/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { createSharedState } from '../../src/engine/checks/shared-state.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { serve } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'
import { httpProxy, socksProxy } from '../support/test-proxies.ts'
import { api, tokenServer } from '../support/token-server.ts'

const CLIENT = { client_id: 'watch', client_secret: 's3cr3t' }
const basic = (user: string, pass: string): string =>
  `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`

describe('the request of a token', () => {
  it('has the client in the header, encoded as in a form, and what is asked for in the body', async () => {
    await using issuer = await tokenServer()
    await using target = await api(() => issuer.token)
    const oauth = {
      token_url: `${issuer.url}?tenant=1`,
      client_id: 'wa:tch é',
      client_secret: 'p@ss w+rd',
      scope: 'orders:read users',
      audience: 'https://api.example/',
    }
    const outcome = await check(http(), { url: target.origin, oauth })
    expect(outcome.cause_text).toBe(null)
    expect(target.seen).toEqual(['Bearer token-1'])
    expect(issuer.asked).toMatchObject([
      {
        method: 'POST',
        url: '/token?tenant=1',
        headers: {
          authorization: basic('wa%3Atch+%C3%A9', 'p%40ss+w%2Brd'),
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials&scope=orders%3Aread+users&audience=https%3A%2F%2Fapi.example%2F',
      },
    ])
  })

  it('has the client in the body where that is wanted', async () => {
    await using issuer = await tokenServer()
    await using target = await api(() => issuer.token)
    const oauth = { token_url: issuer.url, ...CLIENT, auth_method: 'client_secret_post' } as const
    expect((await check(http(), { url: target.origin, oauth })).verdict).toBe('ok')
    expect(issuer.asked[0]?.body).toBe(
      'grant_type=client_credentials&client_id=watch&client_secret=s3cr3t',
    )
    expect(issuer.asked[0]?.headers).not.toHaveProperty('authorization')
  })

  it('goes over TLS that is verified, whatever the target may do', async () => {
    const { good, selfSigned } = certificates()
    await using issuer = await tokenServer(good)
    await using stranger = await tokenServer(selfSigned)
    await using target = await api(() => issuer.token)
    const to = (token_url: string) =>
      check(http(), {
        url: target.origin,
        ignore_tls_errors: true,
        oauth: { ...CLIENT, token_url },
      })
    expect((await to(issuer.url)).cause_text).toBe(null)
    expect(await to(stranger.url)).toMatchObject({
      verdict: 'unknown',
      cause_code: 'oauth_unreachable',
      phase: 'oauth',
      cause_text: expect.stringContaining('self-signed') as string,
    })
    expect(stranger.asked).toEqual([])
  })

  it.each([
    ['http', httpProxy],
    ['socks5', socksProxy],
  ])('goes through the proxy of the monitor: %s', async (_scheme, start) => {
    await using proxy = await start()
    await using issuer = await tokenServer(certificates().good)
    await using target = await api(() => issuer.token)
    const oauth = { ...CLIENT, token_url: issuer.url }
    const outcome = await check(http(), { url: target.origin, proxy: proxy.url, oauth })
    expect(outcome.cause_text).toBe(null)
    expect(proxy.asked).toHaveLength(2)
    expect(proxy.asked[0]).toContain(`127.0.0.1:${issuer.server.port}`)
  })

  it('is no part of what is measured of the target', async () => {
    await using issuer = await tokenServer(certificates().good)
    await using target = await api(() => issuer.token)
    const { phases, remote_ip, details } = await check(http(), {
      url: target.origin,
      oauth: { ...CLIENT, token_url: issuer.url },
    })
    expect(phases).toHaveProperty('oauth_ms')
    expect(phases).not.toHaveProperty('tls_ms')
    expect(remote_ip).toBe('127.0.0.1')
    expect(details['hops']).toHaveLength(1)
    const failed = await check(http(), {
      url: target.origin,
      oauth: { ...CLIENT, token_url: `http://127.0.0.1:${await closedPort()}/` },
    })
    expect(failed).toMatchObject({ remote_ip: null, details: {} })
  })
})

describe('a token', () => {
  it('is one for all checks of a grant, of whatever types, and of one account alone', async () => {
    await using issuer = await tokenServer()
    await using target = await api(() => 'token-1')
    const shared = createSharedState()
    const oauth = { ...CLIENT, token_url: issuer.url }
    const settings = { url: target.origin, oauth }
    const run = (checker: AnyChecker, account_id = 1) =>
      check(checker, settings, { shared, account_id })
    const types: readonly AnyChecker[] = [http(), http(), content(), resources()]
    const together = await Promise.all(types.map((checker) => run(checker)))
    expect(together.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'ok'])
    const later = await run(http())
    expect(later.phases).not.toHaveProperty('oauth_ms')
    expect(issuer.asked).toHaveLength(1)
    await run(http(), 2)
    expect(issuer.asked).toHaveLength(2)
    for (const other of [{ scope: 'x' }, { audience: 'x' }, { client_secret: 'x' }]) {
      await check(http(), { ...settings, oauth: { ...oauth, ...other } }, { shared, account_id: 1 })
    }
    expect(issuer.asked).toHaveLength(5)
  })

  it('is kept until a minute before its end', async () => {
    const clock = simulatedClock()
    await using issuer = await tokenServer()
    await using target = await api(() => issuer.token)
    const shared = createSharedState()
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    const asked = async (): Promise<number> => {
      const outcome = await check(http(), settings, { shared, clock })
      expect(outcome.cause_text).toBe(null)
      return issuer.asked.length
    }
    for (const [answer, kept_sec] of [
      [{ expires_in: 3600 }, 3540],
      [{ expires_in: '120' }, 90],
      [{ expires_in: null }, 240],
      [{ expires_in: -5 }, 0],
      [{ expires_in: 1e15 }, 86_340],
    ] as const) {
      issuer.answer = answer
      await clock.advance(100_000_000)
      const before = await asked()
      if (kept_sec > 0) {
        await clock.advance(kept_sec * 1000 - 1)
        expect(await asked(), JSON.stringify(answer)).toBe(before)
        await clock.advance(1)
      }
      expect(await asked(), JSON.stringify(answer)).toBe(before + 1)
    }
  })

  it('that was revoked is replaced once, in the same check', async () => {
    await using issuer = await tokenServer()
    let right = 'token-1'
    await using target = await api(() => right)
    const shared = createSharedState()
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    const run = () => check(http(), settings, { shared })
    await run()
    right = 'token-2'
    expect((await run()).verdict).toBe('ok')
    expect(target.seen).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2'])
    right = 'none'
    expect(await run()).toMatchObject({ cause_code: 'http_status', details: { status: 401 } })
    expect(issuer.asked).toHaveLength(3)
    // A target that refuses whatever it gets does not make every check ask for a token.
    for (let checks = 0; checks < 5; checks++) await run()
    expect(issuer.asked).toHaveLength(3)
    const expected = { ...settings, expected_status: '401' }
    expect((await check(http(), expected, { shared: createSharedState() })).verdict).toBe('ok')
  })

  it('outlives the check that asked for it no longer than that: another one asks again', async () => {
    await using issuer = await tokenServer()
    await using target = await api(() => issuer.token)
    const shared = createSharedState()
    const settings = { url: target.origin, oauth: { ...CLIENT, token_url: issuer.url } }
    const stop = new AbortController()
    issuer.reply = (response) => {
      issuer.reply = undefined
      stop.abort(new Error('stopped'))
      response.destroy()
    }
    const first = check(http(), settings, { shared, signal: stop.signal })
    const second = check(http(), settings, { shared })
    expect((await first).verdict).toBe('unknown')
    expect((await second).cause_text).toBe(null)
    expect(issuer.asked).toHaveLength(2)
  })

  it('of fifty grants of an account is kept, and no account loses one for another', async () => {
    await using issuer = await tokenServer()
    await using target = await serve((_, response) => response.end())
    const shared = createSharedState()
    const asked = async (account_id: number, client: number): Promise<number> => {
      const oauth = { token_url: issuer.url, client_id: `c${client}`, client_secret: 's' }
      await check(http(), { url: target.origin, oauth }, { shared, account_id })
      return issuer.asked.length
    }
    await asked(2, 0)
    for (let client = 0; client < 51; client++) await asked(1, client)
    expect(await asked(1, 50)).toBe(52)
    expect(await asked(1, 1)).toBe(52)
    expect(await asked(2, 0)).toBe(52)
    expect(await asked(1, 0)).toBe(53)
  })
})
