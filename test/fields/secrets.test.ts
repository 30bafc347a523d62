import { describe, expect, it } from 'vitest'
import { keptSecretProblems } from '../../src/fields/destination.ts'
import {
  formsOfSecrets,
  mapSecrets,
  mask,
  secretProblems,
  stepsWithin,
  unmask,
} from '../../src/fields/secrets.ts'
import { takeUserinfo } from '../../src/fields/url.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { JsonObject } from '../../src/model.ts'
import { createSeal } from '../../src/seal.ts'

const description = 'd'
const fields = {
  url: field.url({ description, userinfo: true }),
  name: field.text({ description }),
  token: field.secret({ description }),
  headers: field.headers({ description }),
  place: field.text({ description, destination: 'value' }),
  tls: field.oneOf(['off', 'try'], { description, destination: ['off', 'try'] }),
  hosts: field.list(field.host({ description }), { description, max: 5 }),
  tags: field.list(field.text({ description }), { description, max: 5 }),
  auth: field.group(
    {
      host: field.host({ description }),
      user: field.text({ description }),
      pass: field.secret({ description }),
    },
    { description },
  ),
}

const settings = {
  url: 'https://a.example/x',
  name: 'n',
  token: 'tok',
  headers: { Accept: 'a', 'X-Key': 'k', 'X-Two': ['b', 'c'] },
  auth: { user: 'u', pass: 'p' },
}

describe('the secrets of settings', () => {
  it('are masked, and nothing else is', () => {
    expect(mask(fields, settings)).toEqual({
      ...settings,
      token: '***',
      headers: { Accept: 'a', 'X-Key': '***', 'X-Two': ['***', '***'] },
      auth: { user: 'u', pass: '***' },
    })
  })

  it('are found with their places', () => {
    const found: unknown[] = []
    mapSecrets(fields, settings, (secret, path, place) => {
      found.push([secret, path, place.field, place.isHeader, stepsWithin(place)])
      return secret
    })
    expect(found).toEqual([
      ['tok', 'token', 'token', false, []],
      ['k', 'headers.x-key', 'headers', true, ['x-key']],
      ['b', 'headers.x-two.0', 'headers', true, ['x-two']],
      ['c', 'headers.x-two.1', 'headers', true, ['x-two']],
      ['p', 'auth.pass', 'auth.pass', false, []],
    ])
  })

  it('in headers with a number at the end of their name, or with many values, keep the name', () => {
    const names: unknown[] = []
    const headers = { 'X-1.2b': 'k', 'X-Many': Array.from({ length: 11 }, () => 'k') }
    mapSecrets(fields, { headers }, (secret, _path, place) => {
      names.push(stepsWithin(place)[0])
      return secret
    })
    expect(names).toEqual(['x-1.2b', ...Array<string>(11).fill('x-many')])
  })

  it('that are masked stand for the stored ones', () => {
    const sent = mask(fields, settings)
    expect(unmask(fields, sent, settings)).toEqual(settings)
    expect(unmask(fields, { token: 'new' }, settings)).toEqual({ token: 'new' })
    expect(unmask(fields, { token: '***', auth: { pass: 'new' } }, {})).toEqual({
      token: '***',
      auth: { pass: 'new' },
    })
  })

  it('of other kinds than text are left to validation', () => {
    const odd = {
      token: 5,
      auth: 'x',
      headers: { 'X-Key': 5, 'X-Two': [1, 'c'], 'X-Three': { a: 1 } },
      stranger: 'x',
    }
    expect(mask(fields, odd)).toEqual({
      ...odd,
      headers: { 'X-Key': 5, 'X-Two': [1, '***'], 'X-Three': { a: 1 } },
    })
    expect(mask(fields, { headers: ['x'] })).toEqual({ headers: ['x'] })
    expect(mask(fields, { name: { 'X-Key': 'k' } })).toEqual({ name: { 'X-Key': 'k' } })
  })

  it('that stand for none, or look like sealed ones, are problems', () => {
    expect(secretProblems(fields, settings)).toEqual({})
    const problems = secretProblems(fields, {
      token: '***',
      headers: { 'X-Key': '***', 'X-Two': ['a', '***'] },
    })
    expect(problems).toEqual({
      token: 'required: *** stands for a stored secret, and there is none',
      headers:
        'required: "x-key": *** stands for a stored secret, and there is none; "x-two": *** stands for a stored secret, and there is none',
    })
  })

  it('that look like sealed ones cannot be stored', () => {
    const sealed = createSeal(Buffer.alloc(32, 7)).encrypt('word', 'monitor:1')
    expect(secretProblems(fields, { token: sealed })).toEqual({
      token: 'invalid: it begins like a secret that was sealed for the store',
    })
  })

  it('are redacted with the login they make', () => {
    const forms = formsOfSecrets(fields, settings)
    for (const form of ['tok', 'k', 'b', 'c', 'p', 'u:p', btoa('u:p')])
      expect(forms.has(form)).toBe(true)
    for (const form of ['a', 'n', 'u', 'n:tok']) expect(forms.has(form)).toBe(false)
  })

  it('in headers are redacted by their parts and the login of Basic', () => {
    const basic = `Basic ${btoa('me:secret-word')}`
    const forms = formsOfSecrets(fields, {
      headers: { Authorization: basic, Cookie: 'sid=123456789' },
    })
    for (const form of [
      basic,
      btoa('me:secret-word'),
      'secret-word',
      'me:secret-word',
      '123456789',
    ])
      expect(forms.has(form)).toBe(true)
  })

  it('in headers are redacted by at most 64 parts, and in every encoding up to 8 KiB, or 1445 signs', () => {
    const parts = Array.from({ length: 70 }, (_, n) => `value${String(n).padStart(3, '0')}`)
    const forms = formsOfSecrets(fields, { headers: { Cookie: parts.join('; ') } })
    expect([parts[63], parts[64]].map((part) => forms.has(part!))).toEqual([true, false])
    const of = (...secrets: readonly string[]) =>
      formsOfSecrets(fields, { token: secrets[0], auth: { pass: secrets[1] } })
    const long = `${'x'.repeat(4095)}ä`
    const longer = `${'x'.repeat(4096)}ä`
    expect(of(long, long.toUpperCase()).has(encodeURIComponent(long.toUpperCase()))).toBe(true)
    expect(of(long, longer).has(encodeURIComponent(longer))).toBe(false)
    expect(of(long, longer).has(longer)).toBe(true)
    const [signs, letters] = ['/'.repeat(1000), 'ä'.repeat(445)]
    expect(of(signs, letters).has(encodeURIComponent(letters))).toBe(true)
    expect(of(signs, `${letters}ä`).has(encodeURIComponent(`${letters}ä`))).toBe(false)
    expect(of(signs, `${letters}ä`).has(`${letters}ä`)).toBe(true)
  })
})

describe('the forms of a secret', () => {
  it('in several headers have at most 64 parts together', () => {
    const cookie = (from: number) =>
      Array.from({ length: 40 }, (_, n) => `value${String(from + n).padStart(3, '0')}`).join('; ')
    const forms = formsOfSecrets(fields, { headers: { Cookie: cookie(0), 'X-Other': cookie(100) } })
    expect(['value039', 'value123', 'value124'].map((part) => forms.has(part))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('of a client of OAuth2 are those of its login, encoded as in a form', () => {
    const client = {
      client_id: field.text({ description }),
      client_secret: field.secret({ description }),
    }
    const forms = formsOfSecrets(client, { client_id: 'a b', client_secret: 'c&d ef' })
    for (const form of ['c&d ef', 'c%26d+ef', 'a+b:c%26d+ef', btoa('a+b:c%26d+ef')])
      expect(forms.has(form)).toBe(true)
    const alone = formsOfSecrets(client, { client_id: 5, client_secret: 'word' })
    expect([...alone].filter((form) => form.includes(':'))).toEqual([])
  })

  it('of a key are its text and its lines', () => {
    const lines = [
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
      'abcdefghijklmno=',
      'short',
      'with blank in it x',
      'Key: ABCDEFGHIJKLMNOPQRST',
      'ABCDEFGHIJKLMNOPQRST: x',
    ]
    for (const end of ['\n', '\r\n']) {
      const pem = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join(end)
      const forms = formsOfSecrets(fields, { token: pem })
      expect([...forms].sort()).toEqual([pem, lines[0], lines[1]].sort())
    }
  })

  it('are also those in which a server that repeats it is quoted', () => {
    const forms = formsOfSecrets(fields, { token: 'a\u0001"ä' })
    const quoted = [
      'a\\x01"\\xc3\\xa4',
      'a\\x01"\\xe4',
      'a\\\\u0001\\\\"\\xc3\\xa4',
      'a\\\\u0001\\\\"\\xe4',
    ]
    expect(quoted.filter((form) => !forms.has(form))).toEqual([])
    expect(formsOfSecrets(fields, { token: 'plain' }).has('Stryker was here')).toBe(false)
  })
})

describe('secrets that are kept while their destination changes', () => {
  const problems = (next: JsonObject, given: JsonObject = {}, stored: JsonObject = settings) =>
    keptSecretProblems(fields, {
      stored,
      next: { ...stored, ...next },
      given: { ...next, ...given },
    })
  const asks = (what: string) =>
    `required: ${what} has changed; give the secret again for the new destination, or null to remove it`

  it.each<[string, JsonObject]>([
    ['another path', { url: 'https://a.example/y' }],
    ['another name', { name: 'm' }],
    ['more tags', { tags: ['x'] }],
  ])('are kept with %s', (_, next) => {
    expect(problems(next)).toEqual({})
  })

  it.each(['http://a.example/x', 'https://b.example/x', 'https://a.example:8443/x'])(
    'are asked for again with %s',
    (url) => {
      expect(problems({ url })).toEqual({
        token: asks('url'),
        headers: `${asks('url').replace('required: ', 'required: "x-key": ')}; ${asks('url').replace('required: ', '"x-two": ')}`,
        'auth.pass': asks('url'),
      })
    },
  )

  it('are asked for once for a header with several values', () => {
    const stored = { url: settings.url, headers: { 'X-Two': ['b', 'c'] } }
    expect(problems({ url: 'https://b.example/' }, {}, stored)).toEqual({
      headers: asks('url').replace('required: ', 'required: "x-two": '),
    })
  })

  it('are not asked for if they are given again, changed, or empty', () => {
    const stored = { url: settings.url, token: 'tok' }
    const url = 'https://b.example/'
    expect(problems({ url }, {}, stored)).toEqual({ token: asks('url') })
    expect(problems({ url }, { token: '***' }, stored)).toEqual({ token: asks('url') })
    expect(problems({ url }, { token: 'tok' }, stored)).toEqual({})
    expect(problems({ url, token: 'new' }, {}, stored)).toEqual({})
    expect(problems({ url }, {}, { ...stored, token: '' })).toEqual({})
    const empty = { token: '', auth: { host: 'a.example' } }
    expect(problems({ auth: { host: 'b.example' } }, {}, empty)).toEqual({})
    expect(problems({ url: 'https://u:tok@b.example/' }, {}, stored)).toEqual({})
    // A list is no address, though it reads like its only entry.
    const tags = ['https://u:tok@b.example/']
    expect(problems({ url, tags }, {}, stored)).toEqual({ token: asks('url') })
  })

  it('are not asked for where they are not those of the store', () => {
    const url = 'https://b.example/'
    const revision = { next: { url, token: 'new' }, given: { url } }
    for (const stored of [{ url: settings.url, token: 'tok' }, { url: settings.url }]) {
      expect(keptSecretProblems(fields, { stored, ...revision })).toEqual({})
    }
  })

  it('are asked for again with an address that is none, and with another text of a place', () => {
    const stored = { url: settings.url, token: 'tok', place: 'http://a.example/x' }
    expect(problems({ url: 'nowhere' }, {}, stored)).toEqual({ token: asks('url') })
    expect(problems({ place: 'http://a.example/y' }, {}, stored)).toEqual({ token: asks('place') })
    expect(problems({ place: 'http://a.example/x' }, {}, stored)).toEqual({})
  })

  it('follow no header but Host', () => {
    const stored = { token: 'tok', headers: { Accept: 'a', Host: 'a.example' } }
    const headers = { Accept: 'b', Host: 'a.example' }
    expect(problems({ headers }, {}, stored)).toEqual({})
  })

  it('follow the host of a group, of a list, and the Host header', () => {
    const stored = {
      token: 'tok',
      hosts: ['a.example', 'b.example'],
      headers: { Host: 'a.example' },
      auth: { host: 'a.example' },
    }
    const next = (change: JsonObject) => problems(change, {}, stored)
    expect(next({ auth: { host: 'b.example' } })).toEqual({ token: asks('auth.host') })
    expect(next({ auth: {} })).toEqual({ token: asks('auth.host') })
    expect(next({ hosts: ['b.example'] })).toEqual({})
    expect(next({ hosts: null })).toEqual({})
    expect(next({ hosts: ['b.example', 'c.example'] })).toEqual({ token: asks('hosts') })
    expect(next({ headers: { host: 'a.example' } })).toEqual({})
    expect(next({ headers: { host: 'b.example' } })).toEqual({ token: asks('headers.host') })
    expect(next({ headers: {} })).toEqual({ token: asks('headers.host') })
  })

  it('are asked for with less protection, not with more', () => {
    const stored = { token: 'tok', tls: 'try' }
    expect(problems({ tls: 'off' }, {}, stored)).toEqual({ token: asks('tls') })
    expect(problems({ tls: 'try' }, {}, { ...stored, tls: 'off' })).toEqual({})
    // What is not in the list is the best protected.
    expect(problems({ tls: 'always' }, {}, stored)).toEqual({})
    expect(problems({ tls: 'try' }, {}, { ...stored, tls: 'always' })).toEqual({
      token: asks('tls'),
    })
  })
})

describe('a login in an address', () => {
  it.each([
    ['https://a.example/', { url: 'https://a.example/' }],
    ['https://u:p@a.example/', { url: 'https://a.example/', auth: { user: 'u', pass: 'p' } }],
    ['https://u@a.example/', { url: 'https://a.example/', auth: { user: 'u', pass: '' } }],
    ['https://:p@a.example/', { url: 'https://a.example/', auth: { user: '', pass: 'p' } }],
    [
      'https://a%40b:%3A@a.example/',
      { url: 'https://a.example/', auth: { user: 'a@b', pass: ':' } },
    ],
    ['https://u:%FF@a.example/', { url: 'https://a.example/', auth: { user: 'u', pass: '%FF' } }],
  ])('%s', (address, taken) => {
    expect(takeUserinfo(address)).toEqual(taken)
  })
})
