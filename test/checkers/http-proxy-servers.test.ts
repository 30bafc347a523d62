/** Checks, and deliveries of an engine, through proxies that others wrote. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { content } from '../../src/checkers/content/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { ntfyContact } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Outcome } from '../../src/model.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { certificates } from '../support/certificates.ts'
import { mint, sharedRoot } from './ssl/mint.ts'
import { check } from '../support/check.ts'
import { serve } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'
import { danteServer, startDante } from '../support/servers/dante.ts'
import type { RunningServer } from '../support/servers/harness.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { microsocksServer, startMicrosocks } from '../support/servers/microsocks.ts'
import { squidServer, startSquid } from '../support/servers/squid.ts'
import type { SquidServer } from '../support/servers/squid.ts'

const { good } = certificates()

/** What a check of the URL finds through the proxy. */
function through(proxy: string, url: string): Promise<Outcome> {
  return check(http(), { url, proxy, ip_family: 'ipv4', keyword_present: 'here' })
}

/** A target over TLS, a plain one, and one that is down, each through the proxy. */
async function reachesAll(proxy: string): Promise<void> {
  await using secure = await serve((_, response) => response.end('here, over TLS'), good)
  await using plain = await serve((_, response) => response.end('here, in clear'))
  const url = secure.origin.replace('127.0.0.1', 'localhost')
  const outcome = await through(proxy, url)
  expect(outcome.cause_text).toBeNull()
  expect(outcome).toMatchObject({ verdict: 'ok', details: { tls: { authorized: true } } })
  expect(outcome.phases).toMatchObject({ proxy_ms: expect.any(Number) as number })
  expect(outcome.phases.tls_ms).toBeGreaterThan(0)
  const inClear = await through(proxy, plain.origin)
  // The certificate of a proxy is none of the target.
  expect(inClear).toMatchObject({ cause_text: null, details: { tls: null } })
  expect((await check(content(), { url: plain.origin, proxy })).verdict).toBe('ok')

  const dead = await closedPort()
  for (const scheme of ['https', 'http']) {
    const { verdict, cause_code, phase } = await through(proxy, `${scheme}://127.0.0.1:${dead}/`)
    expect([verdict, cause_code, phase], scheme).toEqual([
      ...['fail', 'proxy_target_unreachable', 'proxy'],
    ])
  }
}

/** What is sent to two contacts of an engine, a webhook and a topic of ntfy, at this receiver. */
async function deliveries(proxy: string, receiver: string) {
  const guard = { allowCidrs: ['127.0.0.1/32'] }
  const engine = createEngine({
    store: memoryStore(),
    checkers: [],
    contacts: [webhookContact({ guard }), ntfyContact({ guard })],
    ca: certificates().ca,
    proxy: { url: proxy },
  })
  await engine.start()
  try {
    const to = async (contact: Parameters<typeof contacts.create>[0]) => {
      const { id } = await contacts.create(contact)
      return contacts.test(id)
    }
    const { contacts } = engine
    return [
      await to({ kind: 'webhook', name: 'hook', url: `${receiver}/hook` }),
      await to({ kind: 'ntfy', name: 'topic', server: receiver, topic: 'ops' }),
    ]
  } finally {
    await engine.stop()
  }
}

describeWithServer(squidServer, 'through Squid', () => {
  let squid: SquidServer
  beforeAll(async () => {
    const certificate = mint({ issuer: sharedRoot() })
    squid = await startSquid({ login: 'zoë:s3cret', certificate })
  })
  afterAll(() => squid.stop())

  const at = (scheme: 'http' | 'https', login = 'zo%C3%AB:s3cret@'): string =>
    `${scheme}://${login}127.0.0.1:${squid.ports[scheme]}`

  it.each(['http', 'https'] as const)(
    'reaches what it may, and names what is down: %s',
    async (scheme) => reachesAll(at(scheme)),
  )

  it.each(['http', 'https'] as const)(
    'that refuses the login, which says nothing about the target: %s',
    async (scheme) => {
      for (const login of ['', 'zo%C3%AB:wr0ng@'])
        for (const url of ['https://127.0.0.1:9/', 'http://127.0.0.1:9/']) {
          const outcome = await through(at(scheme, login), url)
          expect([outcome.verdict, outcome.cause_code], `${login} ${url}`).toEqual([
            ...['unknown', 'proxy_auth'],
          ])
          expect(JSON.stringify(outcome)).not.toContain('wr0ng')
        }
    },
  )

  it.each([
    ['whose certificate is for another name', 'proxy.test', 'https', /is for another name/],
    ['that speaks no TLS', '127.0.0.1', 'http', /does not speak TLS/],
  ] as const)('%s is not connected to', async (_, host, port, text) => {
    const proxy = `https://zo%C3%AB:s3cret@${host}:${squid.ports[port]}`
    const hosts = { 'proxy.test': ['127.0.0.1'] }
    const outcome = await check(http(), { url: 'https://127.0.0.1:9/', proxy }, { hosts })
    expect([outcome.verdict, outcome.cause_code]).toEqual(['unknown', 'proxy_unreachable'])
    expect(outcome.cause_text).toMatch(text)
    expect(JSON.stringify(outcome)).not.toContain('s3cret')
  })

  it.each(['http', 'https'] as const)('delivers to webhooks and contacts: %s', async (scheme) => {
    const received: string[] = []
    const take: Parameters<typeof serve>[0] = ({ method = '', url = '', headers }, response) => {
      received.push(`${method} ${url} ${headers['proxy-authorization'] ?? 'no login'}`)
      response.end('taken')
    }
    await using plain = await serve(take)
    await using secure = await serve(take, good)
    for (const { origin } of [plain, secure])
      expect(await deliveries(at(scheme), origin)).toMatchObject([
        ...[{ status: 'sent' }, { status: 'sent' }],
      ])
    const taken = ['POST /hook no login', 'POST / no login']
    expect(received).toEqual([...taken, ...taken])

    const refused = await deliveries(at(scheme, 'zo%C3%AB:wr0ng@'), secure.origin)
    for (const { attempts } of refused) expect(attempts).toMatchObject([{ error: 'proxy_auth' }])
    expect(JSON.stringify(refused)).not.toContain('wr0ng')
    expect(received).toHaveLength(4)
  })
})

describeWithServer(danteServer, 'through Dante', () => {
  let dante: RunningServer<'socks'>
  beforeAll(async () => void (dante = await startDante({ refuse: ['127.0.0.2/32'] })))
  afterAll(() => dante.stop())

  it('reaches what it may, and names what is down', async () => {
    await reachesAll(`socks5://127.0.0.1:${dante.ports.socks}`)
  })

  it('that does not open the way, which says nothing about the target', async () => {
    const proxy = `socks5://127.0.0.1:${dante.ports.socks}`
    const { verdict, cause_code, phase } = await through(proxy, 'http://127.0.0.2:9/')
    expect([verdict, cause_code, phase]).toEqual(['unknown', 'proxy_refused', 'proxy'])
  })
})

describeWithServer(microsocksServer, 'through MicroSocks, which asks for a login', () => {
  let proxy: RunningServer<'socks'>
  beforeAll(async () => void (proxy = await startMicrosocks('zoë:s3cret')))
  afterAll(() => proxy.stop())

  it('reaches what it may, and names what is down', async () => {
    await reachesAll(`socks5://zo%C3%AB:s3cret@127.0.0.1:${proxy.ports.socks}`)
  })

  it('that refuses the login, which says nothing about the target', async () => {
    for (const login of ['', 'zo%C3%AB:wr0ng@', 'zoe:s3cret@']) {
      const url = 'https://127.0.0.1:9/'
      const outcome = await through(`socks5://${login}127.0.0.1:${proxy.ports.socks}`, url)
      const { verdict, cause_code, phase } = outcome
      expect([verdict, cause_code, phase], login).toEqual(['unknown', 'proxy_auth', 'proxy'])
      expect(JSON.stringify(outcome)).not.toMatch(/wr0ng|s3cret/)
    }
  })

  it('delivers to webhooks and contacts', async () => {
    await using receiver = await serve((_, response) => response.end('taken'), good)
    const url = `socks5://zo%C3%AB:s3cret@127.0.0.1:${proxy.ports.socks}`
    const sent = await deliveries(url, receiver.origin)
    expect(sent).toMatchObject([{ status: 'sent' }, { status: 'sent' }])
  })
})
