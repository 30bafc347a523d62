/** What is done to valid requests: to their values, their JSON, their headers, their address, their bytes. */

import fc from 'fast-check'
import { bodyBytes } from './shot.ts'
import type { Shot } from './shot.ts'
import { nasty, nastyText, placesOf, withAt } from './values.ts'

export type Mutation = (shot: Shot) => Shot

/** A mutation of any kind; those that spoil the bytes are for {@link spoilt}. */
export function mutations(otherKey: string): fc.Arbitrary<Mutation> {
  return fc.oneof(
    { weight: 12, arbitrary: values },
    { weight: 4, arbitrary: jsonTexts },
    { weight: 5, arbitrary: headers(otherKey) },
    { weight: 5, arbitrary: addresses },
  )
}

const named = (name: string, change: (shot: Shot) => Shot | undefined): Mutation => {
  return (shot) => {
    const changed = change(shot)
    return changed === undefined ? shot : { ...changed, damage: [...shot.damage, name] }
  }
}

const at = <T>(list: readonly T[], n: number): T => list[n % list.length] as T

const onJson = (name: string, change: (json: unknown) => unknown): Mutation =>
  named(name, (shot) =>
    shot.body !== undefined && 'json' in shot.body
      ? { ...shot, body: { json: change(shot.body.json) } }
      : undefined,
  )

const values: fc.Arbitrary<Mutation> = fc
  .record({
    what: fc.constantFrom('replace', 'replace', 'drop', 'wrap', 'add', 'swap'),
    first: fc.nat(1000),
    second: fc.nat(1000),
    value: nasty,
    name: fc.oneof(nastyText, fc.constantFrom('auth', 'auth.user', 'id', 'state', 'token', 'type')),
  })
  .map(({ what, first, second, value, name }) =>
    onJson(`value ${what}`, (json) => {
      const places = placesOf(json)
      const place = at(places, first)
      if (what === 'drop') return place.length === 0 ? {} : withAt(json, place, () => undefined)
      if (what === 'wrap')
        return withAt(json, place, (old) => (first % 2 ? [old] : { [name]: old }))
      if (what === 'add') {
        return withAt(json, place, (old) => Object.fromEntries([...entriesOf(old), [name, value]]))
      }
      if (what === 'swap') {
        let other: unknown
        withAt(json, at(places, second), (old) => (other = old))
        return withAt(json, place, () => other)
      }
      return withAt(json, place, () => value)
    }),
  )

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

const onText = (name: string, change: (text: Buffer) => Buffer): Mutation =>
  named(name, (shot) =>
    shot.body === undefined
      ? undefined
      : { ...shot, body: { bytes: change(bodyBytes(shot.body)) } },
  )

const text = (ascii: string): Buffer => Buffer.from(ascii)
const around = (open: string, depth: number, close: string): Buffer =>
  text(open.repeat(depth) + close.repeat(depth))

const jsonTexts: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom<Mutation>(
    onText('name twice', (json) => Buffer.concat([text('{"name":"a",'), json.subarray(1)])),
    onText('byte order mark', (json) => Buffer.concat([text('\ufeff'), json])),
    onText('something behind', (json) => Buffer.concat([json, text('{}')])),
    onText('much white space', (json) => Buffer.concat([Buffer.alloc(200_000, 0x20), json])),
    onText('comments', (json) => Buffer.concat([text('/* a */'), json])),
    onText('UTF-16', (json) => Buffer.from(json.toString(), 'utf16le')),
    onText('empty', () => text('')),
    onText('deep lists', () => around('[', 100_000, ']')),
    onText('deep objects', () => around('{"a":', 40_000, '}')),
    onText('deep in a field', () => text(`{"tags":${around('[', 50_000, ']').toString()}}`)),
    onText('10 000 names', () => manyNames((n) => `k${n}`)),
    onText('10 000 forbidden names', () => manyNames(() => '__proto__')),
    onText('too large', () => Buffer.alloc(300_000, 0x20)),
    onText('a list', (json) => Buffer.concat([text('['), json, text(']')])),
    named('in chunks', (shot) =>
      shot.body === undefined ? undefined : { ...shot, chunked: true },
    ),
  ),
  fc
    .tuple(fc.nat(), fc.constantFrom(0, 0x22, 0x2c, 0x5c, 0x7b, 0x80, 0xc3, 0xed, 0xff))
    .map(([where, byte]) =>
      onText('a byte', (json) => {
        const changed = Buffer.from(json)
        if (changed.length > 0) changed[where % changed.length] = byte
        return changed
      }),
    ),
  fc.nat().map((where) => onText('cut', (json) => json.subarray(0, where % (json.length + 1)))),
)

function manyNames(name: (n: number) => string): Buffer {
  return text(`{${Array.from({ length: 10_000 }, (_, n) => `"${name(n)}":${n}`).join()}}`)
}

const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'application/merge-patch+json;charset="UTF-8"'],
  ['Content-Type', `application/${'a+'.repeat(2000)}json`],
  ['Content-Type', ';;;,'],
  ['Content-Encoding', 'gzip'],
  ['Accept', 'text/plain'],
  ['Accept', 'text/plain;q=0, */*;q=nonsense,,,'],
  ['Accept-Encoding', 'gzip, br'],
  ['Expect', '100-continue'],
  ['Expect', 'nonsense'],
  ['Connection', 'close'],
  ['Connection', 'upgrade'],
  ['Upgrade', 'websocket'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Host', 'u:p@evil.example'],
  ['Host', 'not a host'],
  ['Host', ''],
  ['Origin', 'null'],
  ['X-Request-Id', '<script>'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'a b'],
  ['Idempotency-Key', 'x'.repeat(256)],
  ['Idempotency-Key', '\xe4'],
  ['If-Match', '"1", "2", W/"3", ***'],
  ['If-Match', '"'.repeat(5000)],
  ['If-Match', '"999999999999999.a"'],
  ['If-None-Match', ','.repeat(5000)],
  ['Authorization', 'Bearer'],
  ['Authorization', `Bearer ${'a'.repeat(600)}`],
  ['Authorization', `Bearer${' '.repeat(5000)}a`],
  ['Authorization', 'Basic YTpi'],
  ['Authorization', 'Bearer \xff\xfe'],
  ['Range', 'bytes=0-1'],
  ['X-Long', 'x'.repeat(12_000)],
  ['X-Too-Long', 'x'.repeat(20_000)],
  ['__proto__', 'a'],
  ['Cookie', 'a=b'.repeat(1000)],
]

const headers = (otherKey: string): fc.Arbitrary<Mutation> =>
  fc
    .record({
      header: fc.constantFrom(...HEADERS, ['Authorization', `Bearer ${otherKey}`] as const),
      way: fc.constantFrom('instead', 'instead', 'besides', 'without'),
    })
    .map(({ header, way }) => {
      const [name] = header
      return named(`header ${way}: ${name}`, (shot) => {
        const same = ([other]: readonly [string, string]): boolean =>
          other.toLowerCase() === name.toLowerCase()
        const kept = way === 'besides' ? shot.headers : shot.headers.filter((one) => !same(one))
        return { ...shot, headers: way === 'without' ? kept : [...kept, header] }
      })
    })

const IDS = [
  ...['0', '-1', '1.0', '1e3', '01', '+1', 'NaN', 'Infinity', '0x1', '%31', '%2531', '1%00', '%'],
  ...[
    '9007199254740991',
    '9007199254740993',
    '99999999999999999999',
    '%F0%9F%98%80',
    '%ff',
    '..',
    '',
  ],
  ...['.', '%2e%2e', '%2f', '1;a', '1/', '*', '__proto__', '%0d%0aX:1', "'"],
]

const addresses: fc.Arbitrary<Mutation> = fc.oneof(
  fc
    .constantFrom(
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'CONNECT',
    )
    .map((method) => named(`method ${method}`, (shot) => ({ ...shot, method }))),
  fc
    .constantFrom(...IDS)
    .map((id) => named('id', (shot) => ({ ...shot, path: shot.path.replace(/\{[^}]*\}/, id) }))),
  fc
    .constantFrom(
      '/',
      '//',
      '/.',
      '/../monitors',
      '/%2e%2e/me',
      '/x',
      '%',
      ';a=1',
      '\\',
      '#a',
      '?',
      '/pause/',
    )
    .map((more) => named('path', (shot) => ({ ...shot, path: shot.path + more }))),
  fc
    .constantFrom('/', '/.', '/x/..', '//host', 'http://u:p@evil.example', 'http://[::1', '/%61')
    .map((before) => named('path', (shot) => ({ ...shot, path: before + shot.path }))),
  fc.tuple(nastyText, fc.nat(), fc.boolean()).map(([value, where, raw]) =>
    named('parameter', (shot) => {
      const [name = 'q'] = at(
        [...shot.query, 'q=', 'limit=', 'from=', 'msg=', 'rid='],
        where,
      ).split('=')
      const whole = value.replace(/\p{Surrogate}/gu, '')
      const escaped = raw ? encodeURI(whole) : encodeURIComponent(whole)
      return { ...shot, query: [...shot.query, `${name}=${escaped.slice(0, 7000)}`] }
    }),
  ),
  fc
    .tuple(fc.constantFrom('tag', 'status', 'type', 'limit', 'a'), fc.integer({ min: 1, max: 300 }))
    .map(([name, times]) =>
      named('many parameters', (shot) => ({
        ...shot,
        query: [...shot.query, ...Array<string>(times).fill(`${name}=up,down,a`)],
      })),
    ),
  fc
    .constantFrom(
      'cursor=x',
      'cursor=bW9uaXRvcnM6OTk5',
      'cursor=cmVzdWx0czox',
      'limit=1e2',
      'days=0',
      'from=9e99',
      'to=1e308',
      'from=-1',
      'from=2026-02-30',
      'open=2',
      'wait=1',
      '%',
      '&&&',
      '=',
      '[]=1',
      'q[$ne]=1',
      '%00=%00',
      'tag=,',
    )
    .map((one) => named('parameter', (shot) => ({ ...shot, query: [...shot.query, one] }))),
)

/** What happens to bytes on their way. */
export const spoilt: fc.Arbitrary<Mutation> = fc.oneof(
  bytes('flip', (all, where, byte) => {
    all[where] = byte
    return all
  }),
  bytes('cut', (all, where) => all.subarray(0, where)),
  bytes('lose', (all, where, n) =>
    Buffer.concat([all.subarray(0, where), all.subarray(where + n)]),
  ),
  bytes('double', (all, where, n) =>
    Buffer.concat([all.subarray(0, where + n), all.subarray(where)]),
  ),
  bytes('insert', (all, where, byte) =>
    Buffer.concat([all.subarray(0, where), Buffer.from([byte, 13, 10]), all.subarray(where)]),
  ),
  // Node itself writes a second `100 Continue` behind the head of its answer when that is ready before the first.
  bytes('twice', (all) =>
    /\r\nexpect:/i.test(all.toString('latin1')) ? all : Buffer.concat([all, all]),
  ),
  bytes('HTTP/1.0', (all) => replaced(all, 'HTTP/1.1', 'HTTP/1.0')),
  bytes('no version', (all) => replaced(all, ' HTTP/1.1', '')),
  bytes('bare line feeds', (all) => replaced(all, '\r\n', '\n')),
  bytes('two lengths', (all) =>
    replaced(all, '\r\n', '\r\nContent-Length: 5\r\nContent-Length: 6\r\n'),
  ),
  bytes('length and chunks', (all) =>
    replaced(all, '\r\n', '\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
  ),
  bytes('chunks without end', (all) =>
    replaced(
      all,
      /\r\nContent-Length: \d+\r\n\r\n/i,
      '\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n',
    ),
  ),
  bytes('chunks of nonsense', (all) =>
    replaced(
      all,
      /\r\nContent-Length: \d+\r\n\r\n/i,
      '\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ),
  ),
  bytes('negative length', (all) => replaced(all, /Content-Length: \d+/i, 'Content-Length: -1')),
  bytes('huge length', (all) =>
    replaced(all, /Content-Length: \d+/i, 'Content-Length: 99999999999'),
  ),
  bytes('many headers', (all) => replaced(all, '\r\n', `\r\n${'a: b\r\n'.repeat(2500)}`)),
  bytes('folded header', (all) => replaced(all, '\r\n', '\r\nX-A: a\r\n b\r\n')),
  bytes('a TLS greeting', () => Buffer.from('160301020001000001fc0303', 'hex')),
)

function bytes(
  name: string,
  change: (all: Buffer, where: number, n: number) => Buffer,
): fc.Arbitrary<Mutation> {
  return fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([where, n]) =>
    named(`bytes: ${name}`, (shot) => ({
      ...shot,
      spoil: (all) => change(Buffer.from(all), where % Math.max(1, all.length), n),
    })),
  )
}

function replaced(all: Buffer, what: string | RegExp, by: string): Buffer {
  return Buffer.from(all.toString('latin1').replace(what, by), 'latin1')
}
