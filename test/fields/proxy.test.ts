import { describe, expect, it } from 'vitest'
import { parseProxy, proxyField } from '../../src/fields/proxy.ts'
import { judge } from './table.ts'

const SCHEME = 'http://, https:// or socks5:// and host:port are expected'
const PORT = 'host:port is expected'
const PATH = 'a proxy has no path'

describe('the address of a proxy', () => {
  it.each([
    ['http://proxy.example:3128', 'http://proxy.example:3128'],
    ['HTTPS://Proxy.Example:443/', 'https://proxy.example:443'],
    ['Socks5://10.0.0.1:1080', 'socks5://10.0.0.1:1080'],
    ['socks5://[::1]:1080', 'socks5://[::1]:1080'],
    ['http://proxy.example:80', 'http://proxy.example:80'],
    ['socks5://proxy.example:65535', 'socks5://proxy.example:65535'],
  ])('%s is %s', (text, url) => {
    expect(parseProxy(text)).toEqual({ ok: true, url })
  })

  it.each([
    ['http://me:a%40b@proxy.example:3128', { user: 'me', pass: 'a@b' }],
    ['http://me@proxy.example:3128', { user: 'me', pass: '' }],
    ['http://:word@proxy.example:3128', { user: '', pass: 'word' }],
    ['http://a%3Ab:word@proxy.example:3128', { user: 'a:b', pass: 'word' }],
  ])('may have a login: %s', (text, auth) => {
    expect(parseProxy(text)).toEqual({ ok: true, url: 'http://proxy.example:3128', auth })
  })

  it.each([
    ['', SCHEME],
    ['proxy.example:3128', SCHEME],
    ['ftp://proxy.example:21', SCHEME],
    ['socks4://proxy.example:1080', SCHEME],
    ['see http://proxy.example:3128', SCHEME],
    ['http://proxy.example', PORT],
    ['http://proxy.example:0', PORT],
    ['http://proxy.example:65536', PORT],
    ['http://proxy.example:3128/x', PORT],
    ['http://proxy example:3128', PORT],
    ['http://proxy\\example:3128', PORT],
    ['http://:3128', PORT],
    ['http://proxy.example/x:3128', PATH],
    ['http://proxy.example:1?x:3128', PATH],
    ['http://proxy.example:1#x:3128', PATH],
    ['http://%zz:word@proxy.example:3128', 'user and password are not percent-encoded'],
  ])('is not %j', (text, problem) => {
    expect(parseProxy(text)).toEqual({ ok: false, problem })
  })
})

describe('the field of a proxy', () => {
  const field = proxyField('The way out')

  it('stores the address in one spelling, and one with a login as it is written', () => {
    expect(judge(field, ' HTTP://Proxy.Example:3128/ ')).toBe('http://proxy.example:3128')
    const login = 'HTTP://me:word@Proxy.Example:3128'
    expect(judge(field, login)).toBe(login)
  })

  it('says what is wrong', () => {
    expect(judge(field, 'proxy.example')).toBe(`invalid: ${SCHEME}`)
    expect(judge(field, `http://${'a'.repeat(300)}:1`)).toBe('out_of_range: 1..300 characters')
  })

  it('tells a client its bounds, and asks for the secrets again after a change', () => {
    expect(field.info).toEqual({
      kind: 'string',
      destination: 'value',
      min: 1,
      max: 300,
      description: 'The way out',
      example: 'http://proxy.example:3128',
    })
  })
})
