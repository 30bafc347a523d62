/**
 * Bodies in layers, header sections and framings that are dear to take apart.
 *
 * @module
 */

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { BODY_BYTES, differentLetters, filled, numbered } from './document.ts'
import type { HostilePage } from './document.ts'

const MiB = 1024 * 1024

const packed = (name: string, coding: string, make: () => Buffer): HostilePage => ({
  name: `coding: ${name}`,
  type: 'text/plain',
  coding,
  make,
})

/** 256 MiB of zeros, packed once, twice, … */
const layers: Buffer[] = []

/** Packed as often as it says; zeros shrink a thousandfold each time. */
function gzipped(times: number): Buffer {
  while (layers.length < times)
    layers.push(gzipSync(layers.at(-1) ?? Buffer.alloc(256 * MiB), { level: 9 }))
  return layers[times - 1]!
}

const CODINGS: readonly HostilePage[] = [
  packed('gzip of 256 MiB', 'gzip', () => gzipped(1)),
  packed('gzip, gzip', 'gzip, gzip', () => gzipped(2)),
  packed('gzip, gzip, gzip', 'gzip, gzip, gzip', () => gzipped(3)),
  packed('gzip in brotli that unpacks to a long layer of nothing', 'gzip, br', () =>
    brotliCompressSync(filled(gzipSync(''), 64 * MiB), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    }),
  ),
  packed('gzip of 200,000 members without content', 'gzip', () =>
    filled(gzipSync(''), 200_000 * 20),
  ),
  packed('gzip of a letter a line', 'gzip', () => gzipSync(filled('a\n'))),
]

const head = (name: string, headers: readonly string[]): HostilePage => ({
  name: `headers: ${name}`,
  type: 'text/plain',
  headers,
  make: () => Buffer.from('ok'),
})

const HEADERS: readonly HostilePage[] = [
  head('12,000 of one name', Array<string>(12_000).fill('a:b')),
  head('6,000 names', [numbered(6_000, (n) => `n${n}:b`, '\r\n')]),
  head('5,000 cookies', [numbered(4_000, (n) => `Set-Cookie:${n}`, '\r\n')]),
  head('one of 60 KiB of blanks and semicolons', [`Content-Type: a/b${'; '.repeat(30_000)}x`]),
  head('a list of 10,000 codings that change nothing', [
    `Content-Encoding: ${'identity,'.repeat(6_000)}identity`,
  ]),
]

const CHUNKS: readonly HostilePage[] = [
  {
    name: 'framing: 4 MiB in chunks of a byte',
    type: 'text/plain',
    chunkBytes: 1,
    make: () => filled('a ', BODY_BYTES / 4),
  },
]

const TRAILERS: readonly HostilePage[] = [
  {
    name: 'framing: 5,000 trailers',
    type: 'text/plain',
    chunkBytes: 4096,
    trailers: numbered(5_000, (n) => `t${n}: v\r\n`),
    make: () => filled('a ', 64 * 1024),
  },
  {
    name: 'framing: extensions of a chunk of 60 KiB',
    type: 'text/plain',
    chunkBytes: 4096,
    extension: `;${'a=b;'.repeat(3_000)}c`,
    make: () => filled('a ', 16 * 1024),
  },
]

/** Led through by 302: each sets as many cookies as a header section has room for. */
export const hostileRedirects: readonly HostilePage[] = [
  head('4,000 cookies and a redirect', [
    numbered(3_500, (n) => `Set-Cookie: c${n}=1`, '\r\n'),
    'Location: on/',
  ]),
  head('500 cookies that are looked at closely, and a redirect', [
    numbered(
      500,
      (n) => `Set-Cookie: c${n}=1; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT; a; b; c`,
      '\r\n',
    ),
    'Location: on/',
  ]),
  head('a cookie of 60 KiB of semicolons and a redirect', [
    `Set-Cookie: a=b${';'.repeat(60_000)}`,
    'Location: on/',
  ]),
  head('a host of 20,000 letters to go to', [`Location: https://${differentLetters(20_000)}/`]),
  head('an address of 60 KiB to go to', [`Location: /${'%41/../'.repeat(8_000)}`]),
].map((page) => ({ ...page, status: '302 Found' }))

export const hostileAnswers: readonly HostilePage[] = [
  ...CODINGS,
  ...HEADERS,
  ...CHUNKS,
  ...TRAILERS,
]
