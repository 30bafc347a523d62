import { describe, expect, it } from 'vitest'
import { canParseUrl } from '../../src/model/url.ts'
import { parseHost, parseUrl } from '../../src/fields/url.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { judge } from './table.ts'
import { asciiName } from '../../src/net/dns/names.ts'
import { differentLetters } from '../support/hostile-documents/document.ts'

it('an address with a letter such as ü is one, however often it has been looked at', () => {
  const address = 'http://b\u00fccher.example/\u00fcber'
  const refused = Array.from({ length: 20_000 }, () => parseUrl(address)).filter(({ ok }) => !ok)
  expect(refused).toEqual([])
})

it('a relative address is one with its base only', () => {
  expect(canParseUrl('/a')).toBe(false)
  expect(canParseUrl('/a', 'http://b.example/')).toBe(true)
})

it('an address has no login unless one is asked for', () => {
  const problem = 'user and password do not belong in this address'
  expect(parseUrl('https://u:p@a.example/')).toEqual({ ok: false, problem })
  expect(parseUrl('https://u:p@a.example/', { userinfo: true })).toMatchObject({ ok: true })
})

it('an address may have blanks around it, which do not count', () => {
  const longest = `https://a.example/${'a'.repeat(2048 - 'https://a.example/'.length)}`
  expect(judge(field.url({ description: 'd' }), ` ${longest} `)).toBe(longest)
  expect(judge(field.url({ description: 'd' }), `${longest}a`)).toMatch(/^out_of_range/)
})

it('an address of other schemes says which', () => {
  const socket = field.url({ description: 'd', schemes: ['ws', 'wss'] })
  expect(judge(socket, ' wss://a.example/x ')).toBe('wss://a.example/x')
  expect(judge(socket, 'http://a.example/')).toBe('invalid: a ws:// or wss:// address is expected')
  expect(judge(field.url({ description: 'd' }), 'ws://a.example/')).toBe(
    'invalid: an http:// or https:// address is expected',
  )
})

it('a host has brackets around it or none, and at most 253 characters', () => {
  expect(parseHost('[::1]')).toBe('::1')
  for (const text of ['', '[]', 'a[b]', '[a]b', '[a', 'a]']) expect(parseHost(text)).toBeUndefined()
  const longest = `${'abcdefg.'.repeat(31)}large`
  expect(parseHost(longest)).toBe(longest)
  expect(parseHost(`${longest}.`)).toBe(longest)
  expect(parseHost(`${longest}r`)).toBeUndefined()
})

describe('a host that is longer than a name', () => {
  const long = differentLetters(255)

  it.each([
    `https://${long}/`,
    `https://user:${'x'.repeat(2000)}@${long}`,
    `https:${long}/`,
    `http:\\\\${long}\\a`,
    ` ht\ttp://${long}:80/`,
    `//${long}/a`,
    `/\n\\${long}/a`,
    `https://${'%E4%B8%80'.repeat(114)}/`,
  ])('makes no address of it: %#', (text) => {
    expect(canParseUrl(text, 'http://b.example/')).toBe(false)
  })

  it.each([
    `https://${'%E4%B8%80'.repeat(20)}.example/`,
    `https://${'x'.repeat(2000)}:${'y'.repeat(2000)}@b.example/`,
    `https://b.example/${'x'.repeat(2000)}/${long}?q=//${long}`,
    `/${long}`,
    `${'x'.repeat(2000)}/a`,
    `?q=https://${long}`,
  ])('is not what is long elsewhere: %#', (text) => {
    expect(canParseUrl(text, 'http://b.example/')).toBe(true)
  })

  it('is no name either', () => {
    expect(parseHost(long)).toBeUndefined()
    // Soft hyphens are dropped from a name: what is left of them is short.
    expect(parseHost(`a${'\u00ad'.repeat(254)}b`)).toBeUndefined()
    expect(asciiName(long)).toBe('')
    expect(asciiName('b\u00fccher.example')).toBe('xn--bcher-kva.example')
  })
})
