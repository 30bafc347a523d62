/** What goes into an exchange, and what is told of it, beyond what the other tests say: real sockets, one server each. */
import { describe, expect, it } from 'vitest'
import { firstRequest } from '../../../src/net/http/exchange.ts'
import type { HttpRequest } from '../../../src/net/net.ts'

const first = (request: Partial<HttpRequest> = {}) =>
  firstRequest({ url: 'https://shop.example/a?b=c#d', ...request })

describe('the first request', () => {
  it('is a GET that accepts everything, packed as well', () => {
    const { url, method, headers, body, identity } = first()
    expect([url.href, method, body, identity]).toEqual([
      ...['https://shop.example/a?b=c', 'GET', undefined, undefined],
    ])
    expect(headers).toEqual([
      ['Accept', '*/*'],
      ['Accept-Encoding', 'gzip, deflate, br'],
    ])
  })

  it('has no fragment in its address, not even an empty one', () => {
    expect(first({ url: 'https://shop.example/a#' }).url.href).toBe('https://shop.example/a')
  })

  it('has what the user says instead', () => {
    const identity = {} as NonNullable<HttpRequest['identity']>
    const own = [
      ['ACCEPT', 'text/html'],
      ['accept-encoding', 'br'],
    ] as const
    const { method, headers, body, ...rest } = first({
      ...{ method: 'PUT', headers: own, body: 'text', identity },
    })
    expect([method, headers, body, rest.identity]).toEqual(['PUT', own, 'text', identity])
  })

  it('has no login in its address, and one of its own replaces any other', () => {
    expect(first({ url: 'https://u@shop.example/' }).url.href).toBe('https://shop.example/')
    expect(first({ url: 'https://:p@shop.example/' }).url.href).toBe('https://shop.example/')
    const { headers } = first({
      ...{ auth: { user: 'me', pass: 'pä:ss' } },
      headers: [['authorization', 'Bearer x'] as const, ['X-A', '1'] as const],
    })
    const basic = Buffer.from('me:pä:ss').toString('base64')
    expect(headers.filter(([name]) => /^(?:auth|x)/i.test(name))).toEqual([
      ['X-A', '1'],
      ['Authorization', `Basic ${basic}`],
    ])
  })
})
