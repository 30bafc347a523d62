/** Checks through proxies that others wrote. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { content } from '../../src/checkers/content/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import type { Outcome } from '../../src/model.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { serve } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'
import { danteServer, startDante } from '../support/servers/dante.ts'
import type { RunningServer } from '../support/servers/harness.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { squidServer, startSquid } from '../support/servers/squid.ts'

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
  expect((await through(proxy, plain.origin)).cause_text).toBeNull()
  expect((await check(content(), { url: plain.origin, proxy })).verdict).toBe('ok')

  const dead = await closedPort()
  for (const scheme of ['https', 'http']) {
    const { verdict, cause_code, phase } = await through(proxy, `${scheme}://127.0.0.1:${dead}/`)
    expect([verdict, cause_code, phase], scheme).toEqual([
      ...['fail', 'proxy_target_unreachable', 'proxy'],
    ])
  }
}

describeWithServer(squidServer, 'through Squid', () => {
  let squid: RunningServer<'http'>
  beforeAll(async () => void (squid = await startSquid({ login: 'zoë:s3cret' })))
  afterAll(() => squid.stop())

  it('reaches what it may, and names what is down', async () => {
    await reachesAll(`http://zo%C3%AB:s3cret@127.0.0.1:${squid.ports.http}`)
  })

  it('that refuses the login, which says nothing about the target', async () => {
    for (const login of ['', 'zo%C3%AB:wr0ng@'])
      for (const url of ['https://127.0.0.1:9/', 'http://127.0.0.1:9/']) {
        const outcome = await through(`http://${login}127.0.0.1:${squid.ports.http}`, url)
        expect([outcome.verdict, outcome.cause_code], `${login} ${url}`).toEqual([
          ...['unknown', 'proxy_auth'],
        ])
        expect(JSON.stringify(outcome)).not.toContain('wr0ng')
      }
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
