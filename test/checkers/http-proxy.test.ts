import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { content } from '../../src/checkers/content/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { hostileTo } from '../support/hostile/farm.ts'
import { serve } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'
import { httpProxy, socksProxy } from '../support/test-proxies.ts'
import type { TestProxy } from '../support/test-proxies.ts'

const { good } = certificates()
const LOGIN = 'zoë:s3cret'
const withLogin = ({ url }: TestProxy): string => url.replace('://', '://zo%C3%AB:s3cret@')

const PROXIES = [
  ['http', () => httpProxy({ login: LOGIN })],
  ['https', () => httpProxy({ login: LOGIN, tls: good })],
  ['socks5', () => socksProxy({ login: LOGIN })],
] as const

describe.each(PROXIES)('through a proxy: %s', (scheme, start) => {
  it('reaches a target over TLS, end to end, and a plain one', async () => {
    await using proxy = await start()
    await using secure = await serve((_, response) => response.end('secure'), good)
    await using plain = await serve((_, response) => response.end('plain'))
    const settings = { proxy: withLogin(proxy), ip_family: 'ipv4' } as const
    const url = secure.origin.replace('127.0.0.1', 'localhost')
    const outcome = await check(http(), { ...settings, url, keyword_present: 'secure' })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { tls: { authorized: true } } })
    expect(outcome.phases).toMatchObject({ proxy_ms: expect.any(Number) as number })
    expect(outcome.phases).not.toHaveProperty('connect_ms')
    expect(outcome.phases.tls_ms).toBeGreaterThan(0)
    const second = await check(http(), { ...settings, url: plain.origin, keyword_present: 'plain' })
    expect(second.cause_text).toBe(null)
    expect(proxy.asked).toEqual(
      scheme === 'socks5'
        ? [`localhost:${secure.port}`, `127.0.0.1:${plain.port}`]
        : [`CONNECT localhost:${secure.port}`, `${plain.origin}/`],
    )
    await expect.poll(() => proxy.open).toBe(0)
  })

  it('names what the proxy did, and never its password', async () => {
    await using proxy = await start()
    const dead = await closedPort()
    const wrong = proxy.url.replace('://', '://u:wr0ng@')
    for (const [url, address, code, verdict] of [
      [`https://127.0.0.1:${dead}/`, wrong, 'proxy_auth', 'unknown'],
      [`https://127.0.0.1:${dead}/`, proxy.url, 'proxy_auth', 'unknown'],
      [`http://127.0.0.1:${dead}/`, wrong, 'proxy_auth', 'unknown'],
      [`https://127.0.0.1:${dead}/`, withLogin(proxy), 'proxy_target_unreachable', 'fail'],
      [`http://127.0.0.1:${dead}/`, withLogin(proxy), 'proxy_target_unreachable', 'fail'],
      [`https://a.test/`, `${scheme}://127.0.0.1:${dead}`, 'proxy_unreachable', 'unknown'],
    ] as const) {
      const outcome = await check(http(), { url, proxy: address })
      expect([outcome.cause_code, outcome.verdict], address).toEqual([code, verdict])
      expect(outcome.phase).toBe('proxy')
      expect(JSON.stringify(outcome)).not.toMatch(/wr0ng|s3cret/)
    }
  })
})

it('a proxy that hangs is proxy_timeout', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  for (const proxy of [`http://127.0.0.1:${port}`, `socks5://127.0.0.1:${port}`]) {
    const outcome = await check(http(), { url: 'https://a.test/', proxy }, { timeout_ms: 300 })
    expect([outcome.cause_code, outcome.phase]).toEqual(['proxy_timeout', 'proxy'])
  }
  server.close()
})

it('content and resources go through it, too', async () => {
  await using proxy = await httpProxy()
  await using page = await serve((_, response) =>
    response.setHeader('content-type', 'text/plain').end('a page'),
  )
  await using agent = await serve((_, response) => response.end('{"cpu":1,"ram":1,"disk":1}'))
  expect((await check(content(), { url: page.origin, proxy: proxy.url })).verdict).toBe('ok')
  expect((await check(resources(), { url: agent.origin, proxy: proxy.url })).verdict).toBe('ok')
  expect(proxy.asked).toEqual([`${page.origin}/`, `${agent.origin}/`])
})

describe('what strangers may not reach', () => {
  const strangers = { policy: targetPolicy('public'), strangers: true }
  const hosts = { 'inner.example': ['10.0.0.1'], 'outer.example': ['192.0.2.1'] }

  it('is no proxy with a private address, by name or number', async () => {
    await using proxy = await httpProxy()
    const url = 'https://outer.example/'
    const allowed = {
      ...strangers,
      policy: ({ address }: { address: string }) =>
        address === '10.0.0.1' || address === '127.0.0.1' ? 'private' : undefined,
    }
    for (const address of [proxy.url, 'http://inner.example:3128', 'socks5://10.0.0.1:1080']) {
      const outcome = await check(http(), { url, proxy: address }, { ...allowed, hosts })
      expect(outcome.cause_code).toBe('connect_blocked')
    }
    expect(proxy.asked).toEqual([])
  })

  it('is no private target behind a proxy, by name or number', async () => {
    await using proxy = await httpProxy()
    const policy = ({ address }: { address: string }) =>
      address.startsWith('10.') ? 'private' : undefined
    for (const url of ['https://inner.example/', 'http://inner.example/', 'https://10.0.0.1/']) {
      const outcome = await check(
        http(),
        { url, proxy: proxy.url },
        { policy, strangers: true, hosts },
      )
      expect(outcome.cause_code, url).toBe('connect_blocked')
    }
    expect(proxy.asked).toEqual([])
  })

  it('is the metadata of a cloud, for anybody', async () => {
    await using proxy = await httpProxy()
    const settings = { url: 'http://169.254.169.254/latest/', proxy: proxy.url }
    const outcome = await check(http(), settings, { policy: targetPolicy('open') })
    expect(outcome.cause_code).toBe('connect_blocked')
    expect(proxy.asked).toEqual([])
  })
})

it('moves credentials of the proxy to secrets, and refuses what is no proxy', () => {
  const url = 'https://a.test/'
  expect(
    parseSettings(http(), { url, proxy: 'SOCKS5://u:p%40ss@Proxy.Example:1080' }),
  ).toMatchObject({
    proxy: 'socks5://proxy.example:1080',
    proxy_auth: { user: 'u', pass: 'p@ss' },
  })
  for (const proxy of [
    'ftp://a:1',
    'http://a',
    'http://a:0',
    'http://a:80/x',
    'a:80',
    'http://:80',
  ]) {
    expect(() => parseSettings(http(), { url, proxy }), proxy).toThrow(/proxy/)
  }
  const proxy_auth = { user: 'a:b' }
  expect(() => parseSettings(http(), { url, proxy_auth })).toThrow(/colon/)
})

const TIMEOUT_MS = 300

describe.each(['http', 'socks5'])('a hostile proxy: %s', (scheme) => {
  it.each(hostileTo('any').filter(({ secure }) => secure !== true))('$name', async ({ start }) => {
    const hostile = await start()
    try {
      const settings = { url: 'https://a.test/', proxy: `${scheme}://127.0.0.1:${hostile.port}` }
      const outcome = await check(http(), settings, { timeout_ms: TIMEOUT_MS })
      expect(outcome.cause_code).toMatch(/^proxy_/)
      expect(outcome.duration_ms).toBeLessThan(TIMEOUT_MS + 8000)
      expect(hostile.faults()).toEqual([])
    } finally {
      await hostile.close()
    }
  })
})
