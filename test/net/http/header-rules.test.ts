/** Header fields of requests and responses, and what a redirect changes of them. */
import { describe, expect, it } from 'vitest'
import {
  bodyBytes,
  hasHeader,
  http2Headers,
  isNamed,
  joined,
  valuesOf,
  wireHeaders,
  without,
} from '../../../src/net/http/headers.ts'
import type { HeaderPair, HopRequest } from '../../../src/net/http/headers.ts'
import { isRedirect, isSameParty, nextRequest } from '../../../src/net/http/redirect.ts'
import { asFailure } from './rules.ts'

const PAIRS: readonly HeaderPair[] = [
  ['Accept', 'a'],
  ['X-Id', '1'],
  ['ACCEPT', 'b'],
]

describe('a field', () => {
  it('is found by its name, however it is written', () => {
    expect(valuesOf(PAIRS, 'accept')).toEqual(['a', 'b'])
    expect(valuesOf(PAIRS, 'accepts')).toEqual([])
    expect([hasHeader(PAIRS, 'x-id'), hasHeader(PAIRS, 'x-ip'), hasHeader([], 'x-id')]).toEqual([
      ...[true, false, false],
    ])
    expect([isNamed('ETag', 'etag'), isNamed('ETag', 'etags'), isNamed('ETag', 'atag')]).toEqual([
      ...[true, false, false],
    ])
    expect(without(PAIRS, (name) => name === 'accept')).toEqual([['X-Id', '1']])
  })

  it('that comes again is a list', () => {
    expect(joined(PAIRS)).toEqual({ accept: 'a, b', 'x-id': '1' })
  })

  it.each([
    ...['Age', 'Authorization', 'Content-Length', 'Content-Type', 'ETag', 'Expires', 'From'],
    ...['Host', 'If-Modified-Since', 'If-Unmodified-Since', 'Last-Modified', 'Location'],
    ...['Max-Forwards', 'Proxy-Authorization', 'Referer', 'Retry-After', 'Server', 'User-Agent'],
  ])('%s counts once', (name) => {
    const twice: readonly HeaderPair[] = [
      [name, 'first'],
      [name, 'second'],
    ]
    expect(joined(twice)).toEqual({ [name.toLowerCase()]: 'first' })
  })
})

const request = (more: Partial<HopRequest> = {}): HopRequest => ({
  ...{ url: new URL('https://shop.example/a?b=c'), method: 'GET', headers: PAIRS, body: undefined },
  ...more,
})

describe('a request of HTTP/1.1', () => {
  it('begins with its host and how the connection ends', () => {
    expect(wireHeaders(request(), undefined)).toEqual([
      ...['host', 'shop.example', 'connection', 'close'],
      ...['Accept', 'a', 'X-Id', '1', 'ACCEPT', 'b'],
    ])
    const named = request({ headers: [['Host', 'other.example']] })
    expect(wireHeaders(named, undefined, 'keep-alive')).toEqual([
      ...['host', 'other.example', 'connection', 'keep-alive'],
    ])
  })

  it.each<[string, Uint8Array | undefined, string | undefined]>([
    ['GET', undefined, undefined],
    ['DELETE', undefined, undefined],
    ['POST', undefined, '0'],
    ['PUT', undefined, '0'],
    ['PATCH', undefined, '0'],
    ['GET', Buffer.from('abc'), '3'],
    ['POST', Buffer.alloc(0), '0'],
  ])('%s with the body %s announces the length %s', (method, body, length) => {
    const wire = wireHeaders(request({ method, headers: [] }), body)
    expect(wire.slice(4)).toEqual(length === undefined ? [] : ['content-length', length])
    const { 'content-length': announced } = http2Headers(request({ method, headers: [] }), body)
    expect(announced).toBe(length)
  })

  it('has its body as bytes', () => {
    expect(bodyBytes({ body: 'ü' })).toEqual(Buffer.from([0xc3, 0xbc]))
    const bytes = Buffer.from('a')
    expect(bodyBytes({ body: bytes })).toBe(bytes)
    expect(bodyBytes({ body: undefined })).toBeUndefined()
  })
})

describe('a request of HTTP/2', () => {
  it('has pseudo headers, and the others in lower case', () => {
    expect({ ...http2Headers(request(), undefined) }).toEqual({
      ...{ ':method': 'GET', ':scheme': 'https', ':authority': 'shop.example', ':path': '/a?b=c' },
      ...{ accept: ['a', 'b'], 'x-id': '1' },
    })
    const thrice = ['1', '2', '3'].map((value): HeaderPair => ['x-a', value])
    expect(http2Headers(request({ headers: thrice }), undefined)['x-a']).toEqual(['1', '2', '3'])
  })

  it('has none that belong to the connection, and each that is no list once', () => {
    const names = ['Connection', 'HTTP2-Settings', 'Keep-Alive', 'Proxy-Connection', 'TE']
    const headers = [...names, 'Transfer-Encoding', 'Upgrade'].map((name): HeaderPair => [
      name,
      'x',
    ])
    const wire = http2Headers(
      request({ headers: [...headers, ['Host', 'h'], ['Referer', '1'], ['Referer', '2']] }),
      undefined,
    )
    expect(Object.keys(wire)).toEqual([':method', ':scheme', ':authority', ':path', 'referer'])
    expect([wire[':authority'], wire['referer']]).toEqual(['h', '1'])
  })
})

describe('a redirect', () => {
  const SECRETS: readonly HeaderPair[] = [
    ...([['Authorization', 'x']] as const),
    ...([['X-Tok', 'x']] as const),
    ...([['Accept', 'a']] as const),
    ...([['Host', 'shop.example']] as const),
    ...([['Origin', 'https://shop.example']] as const),
    ...([['Referer', 'https://shop.example/secret?a=b']] as const),
    ...([['Content-Type', 'text/plain']] as const),
  ]
  const next = (location: string | undefined, status = 302, more: Partial<HopRequest> = {}) =>
    nextRequest(request({ headers: SECRETS, ...more }), status, location)
  const names = ({ headers }: HopRequest) => headers.map(([name]) => name)

  it('is one of five statuses', () => {
    const all = Array.from({ length: 100 }, (_, n) => 300 + n)
    expect(all.filter(isRedirect)).toEqual([301, 302, 303, 307, 308])
  })

  it('to the same origin keeps everything', () => {
    const identity = {} as NonNullable<HopRequest['identity']>
    const { url, headers, ...rest } = next('/b', 302, { identity })
    expect([url.href, headers, rest.identity]).toEqual([
      'https://shop.example/b',
      SECRETS,
      identity,
    ])
  })

  it('to another one leaves behind what is secret, and shortens where it comes from', () => {
    const followed = next('https://other.example/', 302, { identity: {} as never })
    expect(names(followed)).toEqual(['Accept', 'Referer', 'Content-Type'])
    expect(followed.headers[1]).toEqual(['Referer', 'https://shop.example/'])
    expect(followed.identity).toBeUndefined()
    const odd = next('https://other.example/', 302, { headers: [['Referer', 'no address']] })
    expect(odd.headers).toEqual([['Referer', 'no address']])
    const similar = next('https://other.example/', 302, {
      headers: [['Accept', 'https://shop.example/secret']],
    })
    expect(similar.headers).toEqual([['Accept', 'https://shop.example/secret']])
  })

  it.each([
    ['https://a.example/', 'https://a.example/x', true],
    ['https://a.example/', 'https://b.example/', false],
    ['http://a.example/', 'https://a.example/', true],
    ['https://a.example/', 'http://a.example/', false],
    ['http://a.example/', 'https://b.example/', false],
    ['http://a.example:8080/', 'https://a.example/', false],
    ['http://a.example/', 'https://a.example:8443/', false],
    ['http://a.example:8080/', 'http://a.example:8081/', false],
    ['http://a.example:8080/', 'http://a.example/', false],
  ])('from %s to %s stays with the same party: %s', (from, to, same) => {
    expect(isSameParty(new URL(from), new URL(to))).toBe(same)
  })

  it.each([
    ['POST', 301, 'GET'],
    ['POST', 302, 'GET'],
    ['POST', 303, 'GET'],
    ['POST', 307, 'POST'],
    ['POST', 308, 'POST'],
    ['PUT', 301, 'PUT'],
    ['PUT', 302, 'PUT'],
    ['PUT', 303, 'GET'],
    ['HEAD', 303, 'HEAD'],
    ['GET', 303, 'GET'],
    ['GET', 301, 'GET'],
  ])('of %s with the status %d is followed by %s', (method, status, wanted) => {
    const followed = next('/b', status, { method, body: 'text' })
    const kept = wanted === method
    expect([followed.method, followed.body]).toEqual([wanted, kept ? 'text' : undefined])
    expect(names(followed).includes('Content-Type')).toBe(kept)
    expect(names(followed)).toContain('Accept')
  })

  it('loses login and fragment of its address, and keeps bytes beyond ASCII', () => {
    expect(next('https://u:p@shop.example/x#y').url.href).toBe('https://shop.example/x')
    expect(next('/caf\u00e9\u0080\u00ff').url.pathname).toBe('/caf%E9%80%FF')
  })

  it.each([
    [undefined, 'The redirect has no Location'],
    [' ', 'The redirect has no Location'],
    ['ftp://a.example/', 'The redirect leads to ftp:, which is not followed'],
    ['http://a.example:0/?token=x', 'The redirect leads to http://a.example:0/?token=***: port 0'],
    [
      'http://[x?token=secret\nmore',
      'The redirect leads to something that is not an address: "http://[x?…"',
    ],
    [
      `http://[${'x'.repeat(99)}`,
      `The redirect leads to something that is not an address: "http://[${'x'.repeat(72)}"`,
    ],
  ])('to %s is invalid', (location, message) => {
    expect(asFailure(() => next(location))).toEqual({
      ...{ code: 'http_redirect_invalid', message, phase: 'first_byte' },
    })
  })

  it('to a page over plain HTTP is followed', () => {
    expect(next('http://shop.example/').url.href).toBe('http://shop.example/')
  })
})
