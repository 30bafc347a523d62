/** Which cookies of a chain of redirects are kept, and where they are sent. */
import { describe, expect, it } from 'vitest'
import { createCookieJar } from '../../../src/net/http/cookies.ts'

const NOW = Date.UTC(2026, 0, 1)
const SHOP = 'https://shop.example/a/b/c'

/** A jar into which these lines were put, from one address. */
async function jarOf(lines: readonly string[], from = SHOP) {
  const jar = createCookieJar()
  await jar.store(new URL(from), lines, NOW)
  return { jar, sent: (to = from) => jar.header(new URL(to)) }
}
const sent = async (line: string, to = SHOP, from = SHOP) => (await jarOf([line], from)).sent(to)

describe('a cookie', () => {
  it.each([
    ['a=1', 'a=1'],
    [' a = 1 ; x', 'a=1'],
    ['a=1=2', 'a=1=2'],
    ['a=', 'a='],
    ['a', undefined],
    ['=1', undefined],
    [' =1', undefined],
    ['', undefined],
  ])('%j is sent as %j', async (line, header) => {
    expect(await sent(line)).toBe(header)
  })

  it('has 4096 characters at most', async () => {
    expect(await sent(`a=${'x'.repeat(4094)}`)).toHaveLength(4096)
    expect(await sent(`a=${'x'.repeat(4095)}`)).toBeUndefined()
  })

  it.each([
    ['', '/a/b', true],
    ['', '/a/b/', true],
    ['', '/a/b/d', true],
    ['', '/a/bc', false],
    ['', '/a', false],
    ['', '/d/a/b', false],
    ['; Path=/a/b/', '/a/b/d', true],
    ['; Path=/a/b/', '/a/b', false],
    ['; Path=/', '/d', true],
    ['; path = /d ', '/d/e', true],
    ['; Path=/d', '/a/b', false],
    ['; Path=d/', '/a/b', true],
    ['; Path=d/', '/d/', false],
    ['; Path=/d=e', '/d=e', true],
  ])('with %j goes to the path %s: %s', async (path, to, is) => {
    expect(await sent(`a=1${path}`, `https://shop.example${to}`)).toBe(is ? 'a=1' : undefined)
  })

  it('of an address at the top goes everywhere', async () => {
    for (const from of ['https://shop.example/', 'https://shop.example/x'])
      expect(await sent('a=1', 'https://shop.example/d', from)).toBe('a=1')
  })

  it('goes to no other host without a domain, and to no host that only ends alike', async () => {
    expect(await sent('a=1', 'https://www.shop.example/a/b')).toBeUndefined()
    expect(await sent('a=1; Domain=shop.example', 'https://myshop.example/a/b')).toBeUndefined()
    expect(await sent('a=1; Domain=example', 'https://shop.example/a/b')).toBeUndefined()
    // No name of the DNS either, so that no list of suffixes says anything of it.
    const long = 'x'.repeat(64)
    expect(
      await sent(`a=1; Domain=${long}`, `https://b.${long}/`, `https://a.${long}/`),
    ).toBeUndefined()
  })

  it('of a host in digits, or with some, has a domain where that is one', async () => {
    for (const host of ['1.shop.example', 'www.shop.example.1a', 'shop2.example1'])
      expect(await sent(`a=1; Domain=${host}`, `https://x.${host}/`, `https://y.${host}/`)).toBe(
        'a=1',
      )
  })

  it('of a host that begins with digits may go to its domain, and of a suffix to nobody', async () => {
    const to = 'https://2.shop.example/'
    expect(await sent('a=1; Domain=shop.example', to, 'https://1.shop.example/')).toBe('a=1')
    const suffix = 'https://github.io/'
    expect(await sent('a=1; Domain=github.io', suffix, 'https://one.github.io/')).toBeUndefined()
  })

  it('is one of its name, path and domain: the last', async () => {
    const { sent } = await jarOf(['a=1', 'b=2', 'a=3', 'a=4; Path=/', 'a=5; Domain=shop.example'])
    expect(sent()).toBe('a=5; b=2; a=4')
  })

  it('with the longest path comes first', async () => {
    const { sent } = await jarOf(['a=1; Path=/', 'b=2; Path=/a/b', 'c=3; Path=/a'])
    expect(sent()).toBe('b=2; c=3; a=1')
  })

  it('with the beginning of a prefix elsewhere in its name needs nothing', async () => {
    for (const name of ['x__Secure-a', 'x__Host-a'])
      expect(await sent(`${name}=1`)).toBe(`${name}=1`)
  })
})

describe('a jar', () => {
  it('takes fifty, and changes those that it has', async () => {
    const lines = Array.from({ length: 51 }, (_, n) => `c${n}=x`)
    const { jar, sent } = await jarOf(lines)
    expect(sent()?.split('; ')).toHaveLength(50)
    expect(sent()).not.toContain('c50=')
    await jar.store(new URL(SHOP), ['c0=y'], NOW)
    expect(sent()).toContain('c0=y')
  })

  it('has another version after each change, and after nothing else', async () => {
    const { jar } = await jarOf([])
    const versions = [jar.version()]
    for (const line of [
      ...['a=1', 'a=1', 'a=2', 'a=2; Domain=shop.example', 'a=2; Domain=shop.example; Secure'],
      ...['a=1; Max-Age=0', 'a=1; Max-Age=0', '=x', 'a=1; Domain=other.example'],
    ]) {
      await jar.store(new URL(SHOP), [line], NOW)
      versions.push(jar.version())
    }
    expect(versions).toEqual([0, 1, 1, 2, 3, 4, 5, 5, 5, 5])
  })
})

describe('the end of a cookie', () => {
  it.each([
    ['Max-Age=10', true],
    ['Max-Age=-10', false],
    ['Max-Age=00', false],
    ['Max-Age=x0', true],
    ['Max-Age=x0; Expires=1 Jan 1970 00:00:00', false],
    ['Max-Age=0x; Expires=1 Jan 1970 00:00:00', false],
    ['Max-Age=0x', true],
    ['Max-Age=', true],
    ['Expires=Thu, 01 Jan 2026 00:00:00 GMT', false],
    ['Expires=Thu,01 Jan 1970 00:00:00 GMT', false],
    ['Expires=on 1 Jan 1970 00:00:00 GMT', true],
    ['Expires=5 of 01 Jan 1970 00:00:00 GMT', true],
  ])('by %s leaves it: %s', async (attribute, kept) => {
    expect(await sent(`a=1; ${attribute}`)).toBe(kept ? 'a=1' : undefined)
  })
})
