import { describe, expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { ValidationError } from '../../src/errors.ts'
import { describe as rows } from '../../src/fields/describe.ts'
import { mask } from '../../src/fields/secrets.ts'
import type { JsonObject } from '../../src/model.ts'

const url = 'https://example.com/'
const accept = (input: JsonObject) => parseSettings(http(), input)
function refuse(input: JsonObject): Readonly<Record<string, string>> {
  try {
    accept(input)
  } catch (error) {
    if (error instanceof ValidationError) return error.fields
    throw error
  }
  return {}
}

describe('the fields of http', () => {
  it('are those of the specification, in its order, patterns beside the keywords, and assertions', () => {
    expect(rows(http().fields).map(({ name }) => name)).toEqual(
      (
        'url method expected_status max_response_ms max_response_percentile max_response_checks keyword_present keyword_present_regex ' +
        'keyword_absent keyword_absent_regex size_min size_max ' +
        'number_regex number_min number_max json headers_expected certificate_days_min ' +
        'follow_redirects expected_final_url user_agent referer ' +
        'headers body content_type auth.user auth.pass oauth.token_url oauth.client_id oauth.client_secret ' +
        'oauth.scope oauth.audience oauth.auth_method ignore_tls_errors ip_family ' +
        'http_version proxy proxy_auth.user proxy_auth.pass tls_cert tls_key tls_key_pass'
      ).split(' '),
    )
  })

  it('have these defaults', () => {
    expect(accept({ url })).toEqual({
      url,
      method: 'GET',
      expected_status: '200-299',
      follow_redirects: true,
      ignore_tls_errors: false,
      ip_family: 'auto',
      http_version: '1.1',
    })
  })

  it.each([
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['http://example.com:80/a/../b#part', 'http://example.com/b'],
    ['  http://example.com/  ', 'http://example.com/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['http://example.com./', 'http://example.com./'],
    ['http://example.com/a b', 'http://example.com/a%20b'],
  ])('url %j becomes %j', (given, kept) => {
    expect(accept({ url: given }).url).toBe(kept)
  })

  it.each([
    'example.com',
    '/path',
    'ftp://example.com/',
    'javascript:alert(1)',
    'http://',
    'http://exa\tmple.com/',
    'http://example.com:0/',
    'http://[fe80::1%25eth0]/',
    `http://example.com/${'a'.repeat(2048)}`,
    '',
  ])('url %j is refused', (given) => {
    expect(refuse({ url: given }).url).toMatch(/^(invalid|out_of_range): /)
  })

  it('credentials in the address become a secret', () => {
    const settings = accept({ url: 'https://al%40ice:p%3Ass@example.com/x' })
    expect(settings).toMatchObject({
      url: 'https://example.com/x',
      auth: { user: 'al@ice', pass: 'p:ss' },
    })
    expect(JSON.stringify(mask(http().fields, settings))).not.toContain('p:ss')
  })

  it('an empty auth is none', () => {
    expect(accept({ url, auth: {} })).not.toHaveProperty('auth')
  })

  it.each([
    [{ body: 'x' }, 'body'],
    [{ body: 'x', method: 'HEAD' }, 'body'],
    [{ method: 'HEAD', keyword_present: 'x' }, 'keyword_present'],
    [{ method: 'HEAD', keyword_absent: 'x' }, 'keyword_absent'],
    [{ method: 'HEAD', keyword_present_regex: 'x' }, 'keyword_present_regex'],
    [{ method: 'HEAD', keyword_absent_regex: 'x' }, 'keyword_absent_regex'],
    [{ method: 'HEAD', size_min: 1 }, 'size_min'],
    [{ method: 'HEAD', size_max: 1 }, 'size_max'],
    [{ method: 'HEAD', number_regex: '1' }, 'number_regex'],
    [{ number_min: 1 }, 'number_min'],
    [{ number_max: 1 }, 'number_max'],
    [{ size_min: 2, size_max: 1 }, 'size_min'],
    [{ number_regex: '1', number_min: 2, number_max: 1 }, 'number_min'],
    [{ user_agent: 'x', headers: { 'user-agent': 'y' } }, 'user_agent'],
    [{ referer: 'x', headers: { Referer: 'y' } }, 'referer'],
    [{ content_type: 'x/y', headers: { 'Content-Type': 'y' } }, 'content_type'],
    [{ auth: { user: 'a' }, headers: { Authorization: 'y' } }, 'auth.user'],
    [{ 'auth.user': 'a:b' }, 'auth.user'],
    [{ method: 'TRACE' }, 'method'],
    [{ keyword_present_regex: '/(/' }, 'keyword_present_regex'],
    [{ keyword_present_regex: '(?=x)' }, 'keyword_present_regex'],
    [{ keyword_absent_regex: '/x/q' }, 'keyword_absent_regex'],
    [{ keyword_present: 'a'.repeat(1001) }, 'keyword_present'],
    [{ number_regex: '(?<=x)1' }, 'number_regex'],
    [{ expected_final_url: '/relative' }, 'expected_final_url'],
    [{ user_agent: 'снежок' }, 'user_agent'],
    [{ referer: 'a\r\nb' }, 'referer'],
    [{ body: 'x'.repeat(65_537), method: 'POST' }, 'body'],
    [{ max_response_ms: 0 }, 'max_response_ms'],
    [{ max_response_percentile: 95 }, 'max_response_percentile'],
    [{ max_response_ms: 9, max_response_percentile: 101 }, 'max_response_percentile'],
    [{ max_response_ms: 9, max_response_checks: 9 }, 'max_response_checks'],
    [{ cookie: 'a=b' }, 'cookie'],
  ])('%j is refused at %s', (given, name) => {
    expect(Object.keys(refuse({ url, ...given }))).toEqual([name])
  })

  it.each([
    { 'Content-Length': '3' },
    { connection: 'close' },
    { 'Transfer-Encoding': 'chunked' },
    { Expect: '100-continue' },
    { 'bad name': 'x' },
    { 'X-A': 'a\r\nX-B: b' },
    { 'X-A': 'a\u0000' },
    { 'X-A': '€' },
    { 'X-A': 5 },
    { Host: ['a', 'b'] },
    { Host: 'a', host: 'b' },
    'X-A: b',
  ])('headers %j are refused', (headers) => {
    expect(refuse({ url, headers }).headers).toMatch(/^invalid: /)
  })

  it.each([
    [
      '50 headers',
      {
        'X-A': Array.from({ length: 26 }, () => '1'),
        'X-B': Array.from({ length: 25 }, () => '1'),
      },
    ],
    ['50 headers', Array.from({ length: 50 }, () => ({ name: 'X-A', value: ['1', '2'] }))],
    [
      '32768 characters',
      Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`X-${n}`, 'v'.repeat(7000)])),
    ],
  ])('no more than %s are taken, however they are written', (most, headers) => {
    expect(refuse({ url, headers }).headers).toBe(
      most === '50 headers'
        ? 'out_of_range: 0..50 headers'
        : 'out_of_range: 0..32768 characters in all headers together',
    )
  })

  it('headers may be a list of names and values, and repeat', () => {
    const headers = [
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
      { name: 'Host', value: 'other.example' },
    ]
    expect(accept({ url, headers }).headers).toEqual({ 'X-A': ['1', '2'], Host: 'other.example' })
  })

  it('all headers but the harmless ones are masked', () => {
    const secret = ['X-Api-Key', 'X-Auth', 'X-Access-Key', 'X-Session-Id', 'X-Tok', 'From', 'X-A']
    const harmless = ['Accept', 'accept-language', 'User-Agent', 'Content-Type', 'Cache-Control']
    const given = Object.fromEntries([...secret, ...harmless].map((name) => [name, ['s', 't']]))
    expect(mask(http().fields, accept({ url, headers: given })).headers).toEqual({
      ...Object.fromEntries(secret.map((name) => [name, ['***', '***']])),
      ...Object.fromEntries(harmless.map((name) => [name, ['s', 't']])),
    })
  })

  it.each(['/usr/bin', '/usr/i', '/img/', '/(/', '/a.c/i', '.*', ' two  spaces '])(
    'the keyword %j is a text, whatever it looks like',
    (keyword) => {
      const given = { keyword_present: keyword, keyword_absent: keyword }
      expect(accept({ url, ...given })).toMatchObject(given)
    },
  )

  it('the final address is normalised, its star kept', () => {
    expect(accept({ url, expected_final_url: 'HTTPS://example.com*' }).expected_final_url).toBe(
      'https://example.com/*',
    )
  })

  it('shows the address without what is secret in it', () => {
    const settings = accept({ url: 'https://u:p@example.com/x?a=1&access_token=abc' })
    expect(http().target(settings as never)).toBe('https://example.com/x?a=1&access_token=***')
  })
})
