import { describe, expect, it } from 'vitest'
import { createCookieJar } from '../../../src/net/http/cookies.ts'

const NOW = Date.UTC(2026, 0, 1)

/** What is sent to `to` after `from` has answered with these lines. */
async function sent(lines: string | readonly string[], from: string, to = from) {
  const jar = createCookieJar()
  await jar.store(new URL(from), [lines].flat(), NOW)
  return jar.header(new URL(to))
}

describe('a cookie for a whole domain', () => {
  it.each([
    ['shop.example', 'https://www.shop.example/', 'https://pay.shop.example/'],
    ['.shop.co.uk', 'https://www.shop.co.uk/', 'https://shop.co.uk/'],
    ['a.github.io', 'https://a.github.io/', 'https://b.a.github.io/'],
    ['shop.test', 'http://shop.test/', 'http://www.shop.test/'],
  ])('of %s is sent from %s to %s', async (domain, from, to) => {
    expect(await sent(`a=1; Domain=${domain}`, from, to)).toBe('a=1')
  })

  it.each([
    ['co.uk', 'https://one.co.uk/', 'https://other.co.uk/'],
    ['github.io', 'https://one.github.io/', 'https://other.github.io/'],
    ['github.io', 'https://github.io/', 'https://other.github.io/'],
    ['com', 'https://one.com/', 'https://other.com/'],
    ['other.com', 'https://one.com/', 'https://other.com/'],
    ['0.0.1', 'http://127.0.0.1/', 'http://10.0.0.1/'],
  ])('of %s is not sent from %s to %s', async (domain, from, to) => {
    expect(await sent(`a=1; Domain=${domain}`, from, to)).toBeUndefined()
  })

  it.each(['http://intranet/', 'http://localhost/', 'https://github.io/', 'http://127.0.0.1/'])(
    'is sent back to %s itself',
    async (url) => {
      expect(await sent(`a=1; Domain=${new URL(url).hostname}`, url)).toBe('a=1')
    },
  )
})

describe('a cookie that has to be secure', () => {
  it.each([
    ['__Secure-a=1; Secure', '__Secure-a=1'],
    ['__Secure-a=1', undefined],
    ['__Host-a=1; Secure; Path=/', '__Host-a=1'],
    ['__Host-a=1; Path=/', undefined],
    ['__Host-a=1; Secure', undefined],
    ['__Host-a=1; Secure; Path=/; Domain=shop.example', undefined],
    ['__host-a=1', undefined],
  ])('%s is sent as %s', async (line, expected) => {
    expect(await sent(line, 'https://shop.example/')).toBe(expected)
  })

  it('is not taken from a connection in clear', async () => {
    const there = 'https://shop.example/'
    expect(await sent('a=1; Secure', 'http://shop.example/', there)).toBeUndefined()
  })

  it('is not sent in clear once the same value is set anew as secure', async () => {
    const lines = ['a=1', 'a=1; Secure']
    expect(await sent(lines, 'https://shop.example/', 'http://shop.example/')).toBeUndefined()
  })
})

describe('a cookie that ends', () => {
  it.each([
    'Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    'Expires=Thu, 01-Jan-1970 00:00:00 GMT',
    'Expires=Thursday, 01-Jan-70 00:00:00 GMT',
    'Expires=Wed, 31 Dec 2025 23:59:59 GMT',
    'expires=1 Jan 1970 0:00:00',
    'Max-Age=0',
    'Max-Age=-1; Expires=Fri, 01 Jan 2100 00:00:00 GMT',
  ])('by %s is gone', async (attribute) => {
    expect(await sent(['a=1', `a=1; ${attribute}`], 'http://shop.example/')).toBeUndefined()
  })

  it.each([
    'Expires=Thu, 01 Jan 2026 00:00:01 GMT',
    'Expires=0',
    'Expires=-1',
    'Expires=session',
    'Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
  ])('by %s is there', async (attribute) => {
    expect(await sent(`a=1; ${attribute}`, 'http://shop.example/')).toBe('a=1')
  })
})
