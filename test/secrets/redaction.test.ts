import { describe, expect, it } from 'vitest'
import { escapeBytes } from '../../src/fields/escapes.ts'
import { formsOfSecrets } from '../../src/fields/secrets.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { redaction } from '../../src/secrets/redaction.ts'

const fields = {
  user: field.text({ description: 'User' }),
  pass: field.secret({ description: 'Password' }),
  headers: field.headers({ description: 'Headers' }),
}
const cutter = (settings: object) => redaction(formsOfSecrets(fields, settings as never))

const base64 = (text: string) => Buffer.from(text).toString('base64')
const base64url = (text: string) => Buffer.from(text).toString('base64url')

/** Letters, then signs that every encoding writes in another way. */
const PASSWORDS = ['correct-Horse', `p"a'ss & <wörd>/+%?:@1`, '?leading', 'ünïcode…', "it's~(so)*!"]

const code = (char: string, radix = 10): string => char.charCodeAt(0).toString(radix)

const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }

const FORMS: Readonly<Record<string, (pass: string) => string>> = {
  'as it is': (pass) => pass,
  'in capitals': (pass) => pass.toUpperCase(),
  'in small letters': (pass) => pass.toLowerCase(),
  'base64 of user:pass': (pass) => base64(`me:${pass}`),
  'base64url of user:pass': (pass) => base64url(`me:${pass}`),
  'AUTH PLAIN': (pass) => base64(`\0me\0${pass}`),
  'AUTH PLAIN with an identity': (pass) => base64(`me\0me\0${pass}`),
  'base64, aligned': (pass) => base64(`abc${pass}xyz`),
  'base64, one byte before': (pass) => base64(`a${pass}xy`),
  'base64, two bytes before': (pass) => base64(`ab${pass}`),
  'percent-encoded': (pass) => encodeURIComponent(pass),
  'percent-encoded in small letters': (pass) =>
    encodeURIComponent(pass).replace(/%../g, (octet) => octet.toLowerCase()),
  'of a form': (pass) => new URLSearchParams({ pass }).toString().slice('pass='.length),
  'of a query': (pass) => {
    const url = new URL('http://h/')
    url.search = `?${pass}`
    return url.search.slice(1)
  },
  'of user info': (pass) => {
    const url = new URL('http://h/')
    url.password = pass
    return url.password
  },
  JSON: (pass) => JSON.stringify(pass).slice(1, -1),
  'JSON with escaped slashes': (pass) => JSON.stringify(pass).slice(1, -1).replaceAll('/', '\\/'),
  'JSON in ASCII': (pass) =>
    JSON.stringify(pass)
      .slice(1, -1)
      .replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  HTML: (pass) =>
    pass
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  'HTML of Go': (pass) =>
    pass.replace(
      /[&<>"'+]/g,
      (c) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt' }[c] ?? `#${code(c)}`};`,
    ),
  'HTML of Mustache': (pass) =>
    pass
      .replace(/[&<>"'`=/]/g, (c) => `&${NAMED[c] ?? `#x${code(c, 16).toUpperCase()}`};`)
      .replaceAll('&#x27;', '&#39;'),
  'HTML of Handlebars': (pass) =>
    pass.replace(/[&<>"'`=]/g, (c) => `&${NAMED[c] ?? `#x${code(c, 16).toUpperCase()}`};`),
  'HTML of PHP': (pass) => pass.replace(/[&<>"']/g, (c) => `&${NAMED[c] ?? `#0${code(c)}`};`),
  'JSON of Go and Rails': (pass) =>
    JSON.stringify(pass)
      .slice(1, -1)
      .replace(/[&<>]/g, (c) => `\\u00${code(c, 16)}`),
  'JSON of PHP with all its flags': (pass) =>
    JSON.stringify(pass)
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replace(/[&<>"']/g, (c) => `\\u00${code(c, 16).toUpperCase()}`)
      .replaceAll('/', '\\/'),
  'JSON of .NET': (pass) =>
    pass.replace(
      /[&<>"'+`\x7f-\uffff]/g,
      (c) => `\\u${code(c, 16).toUpperCase().padStart(4, '0')}`,
    ),
  hex: (pass) => Buffer.from(pass).toString('hex'),
  'hex in capitals': (pass) => Buffer.from(pass).toString('hex').toUpperCase(),
  'the name in a normalized JSONPath': (pass) =>
    JSON.stringify(pass).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'"),
  'the bytes of UTF-8, quoted': (pass) => escapeBytes(Buffer.from(pass).toString('latin1'), 500),
  'Latin-1, quoted': (pass) => escapeBytes(Buffer.from(pass, 'latin1').toString('latin1'), 500),
  'JSON, quoted': (pass) =>
    escapeBytes(Buffer.from(JSON.stringify(pass).slice(1, -1)).toString('latin1'), 500),
  'UTF-8 read as Latin-1': (pass) => Buffer.from(pass).toString('latin1'),
}

describe.each(Object.entries(FORMS))('a password in the form: %s', (_name, write) => {
  it.each(PASSWORDS)('%s', (pass) => {
    const form = write(pass)
    const shown = cutter({ user: 'me', pass })(`535 no: ${form} (go away)`)
    expect(shown).toContain('***')
    // What encodings do not touch, and the pieces between, are gone with it.
    for (let at = 0; at + 8 <= form.length; at++)
      expect(shown).not.toContain(form.slice(at, at + 8))
    expect(shown).toMatch(/^535 no: .*\(go away\)$/s)
  })
})

it('a text that was cut off inside a secret shows nothing of its beginning', () => {
  const cut = cutter({ user: 'me', pass: 'a-long-password' })
  for (const said of ['no: a-long-pa', 'no: a-long-p…', '"no: a-long-pass…"']) {
    expect(cut(said)).not.toContain('a-long')
  }
  expect(cut(`no: ${base64('\0me\0a-long-password').slice(0, 12)}…`)).toBe('no: ***…')
  expect(cut('no: a-lo')).toBe('no: a-lo')
})

it('a piece that was cut off inside a secret shows nothing of it where the text goes on', () => {
  const cut = cutter({ user: 'me', pass: 'a-long-password' })
  expect(cut('The server said "535 a-long-pass…" to the login (try "a-long-p…")')).toBe(
    'The server said "535 ***…" to the login (try "***…")',
  )
  const token = base64('\0me\0a-long-password')
  expect(cut(`"${token.slice(0, 15)}…" is no coding`)).toBe('"***…" is no coding')
  expect(cut('a-lo… and a-long-way… from here')).toBe('a-lo… and a-long-way… from here')
  expect(cut(`${'a-long… '.repeat(3)}x`)).toBe(`${'***… '.repeat(3)}x`)
})

it('a piece that begins inside a secret, behind an ellipsis, shows nothing of it', () => {
  const cut = cutter({ user: 'me', pass: 'Kx81qZ77Lm55Vt29Rw03' })
  expect(cut('- …Z77Lm55Vt29Rw03 101 calls\n+ …qZ77Lm55Vt29Rw03 102 calls')).toBe(
    '- …*** 101 calls\n+ …*** 102 calls',
  )
  expect(cut('the key …m55Vt29Rw…, and …7Lm55Vt')).toBe('the key …***…, and …***')
  expect(cut('…Vt29Rw03 and Kx81qZ77L…')).toBe('…*** and ***…')
  const token = base64('\0me\0Kx81qZ77Lm55Vt29Rw03').replace(/=*$/, '')
  expect(cut(`…${token.slice(9)} was said`)).toBe('…*** was said')
  expect(cut('…9Rw03 and …calls of Rw03')).toBe('…9Rw03 and …calls of Rw03')
})

it('a piece of a secret that repeats itself is found behind what looks like it', () => {
  const cut = cutter({ pass: 'abcabcabcabc-secret-abcabcabc' })
  expect(cut('no: abcabc or abcabcabcabc-se…')).toBe('no: abcabc or ***…')
  expect(cut('…et-abcabcabc or abcabc is')).toBe('…*** or abcabc is')
  const same = cutter({ pass: 'a'.repeat(3000) })
  expect(same(`${'b'.repeat(20)}${'a'.repeat(2999)}…`)).toBe(`${'b'.repeat(20)}***…`)
  expect(same(`…${'a'.repeat(2999)}b`)).toBe('…***b')
})

it('a text that was cut inside a letter of a secret shows nothing of it', () => {
  const cut = cutter({ pass: 'a-lóng-pässword' })
  const said = Buffer.from('no: a-lóng-pä').subarray(0, -1).toString('utf8')
  expect(cut(said)).toBe('no: ***\ufffd')
})

it('of a text of very many ellipses only what was searched is shown', () => {
  const cut = cutter({ user: 'me', pass: 'a-long-password' })
  for (const filling of ['a filling ', 'a-long-pas']) {
    const shown = cut(`${`${filling}…`.repeat(80)} a-long-pass… and -password`)
    expect(shown).not.toContain('a-long')
    expect(shown).toMatch(/^(?:a filling …){64}|^(?:\*\*\*…){64}/)
    expect(shown).toMatch(/… \(the rest is not shown\)$/)
    expect(cut(shown)).toBe(shown)
  }
  const contents = `${'Page…'.repeat(200)} the end`
  expect(cut(contents)).toBe(contents)
  const many = 'a filling …'.repeat(80)
  expect(redaction([])(many)).toBe(many)
})

it('a header of several words that was cut off shows none of them, though each is a secret as well', () => {
  const cut = cutter({ headers: { 'X-Tok': 'several words of secrecy here' } })
  expect(cut('$.a is "xx several words of secrecy h…", expected "ok"')).toBe(
    '$.a is "xx ***…", expected "ok"',
  )
  expect(cut('of secrecy: several words of secrecy here')).toBe('of ***: ***')
})

describe('a short secret', () => {
  it('is cut out where it stands by itself, and never inside a word', () => {
    const cut = cutter({ user: 'me', pass: 'er' })
    expect(cut('The server said: no er, "er", er. Error 5er')).toBe(
      'The server said: no ***, "***", ***. Error 5er',
    )
    expect(cutter({ pass: '1' })('1 of 12 at 10.0.0.1')).toBe('*** of 12 at 10.0.0.***')
    expect(cutter({ pass: 'ß' })('ß ßa aß')).toBe('*** ßa aß')
    expect(cutter({ pass: '$-' })('a $- b')).toBe('a *** b')
  })

  it('is found in a login', () => {
    const cut = cutter({ user: 'admin', pass: 'x' })
    expect(cut(`Basic ${base64('admin:x')}`)).not.toContain(base64('admin:x').slice(0, -2))
    expect(cut(`AUTH PLAIN ${base64('\0admin\0x')}`)).not.toContain('AGFkbWlu')
  })

  it('of four characters is cut out anywhere', () => {
    expect(cutter({ pass: 'abcd' })('xabcdx')).toBe('x***x')
    expect(cutter({ pass: 'abc' })('xabcx abc')).toBe('xabcx ***')
  })
})

it('of the value of a header the token, the cookies and the password in it are secrets as well', () => {
  const headers = {
    Authorization: `Basic ${base64('me:pa55')}`,
    'X-Auth': 'Bearer tok-en-1',
    Cookie: 'sid=session-1; theme="dark-one"',
    Accept: 'text/html',
  }
  const cut = cutter({ headers })
  for (const secret of ['pa55', 'tok-en-1', 'session-1', 'dark-one', base64('me:pa55')]) {
    expect(cut(`it is ${secret}.`)).toBe('it is ***.')
  }
  expect(cut('it is text/html')).toBe('it is text/html')
})

it('the time it takes is bounded, whatever headers are set', () => {
  const headers = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`X-${n}`, `${n}abcdef;`.repeat(900).slice(0, 8000)]),
  )
  const forms = formsOfSecrets(fields, { headers })
  expect(forms.size).toBeLessThan(1500)
})
