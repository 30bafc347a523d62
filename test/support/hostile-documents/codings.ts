/**
 * Bodies in layers, header sections and framings that are dear to take apart.
 *
 * @module
 */

import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { BODY_BYTES, filled, numbered } from './document.ts'
import type { HostilePage } from './document.ts'

const MiB = 1024 * 1024

const packed = (name: string, coding: string, make: () => Buffer): HostilePage => ({
  name: `coding: ${name}`,
  type: 'text/plain',
  coding,
  make,
})

/** Packed as often as it says; zeros shrink a thousandfold each time. */
function gzipped(times: number, bytes: number): Buffer {
  let body: Buffer = Buffer.alloc(bytes)
  for (let n = 0; n < times; n++) body = gzipSync(body, { level: 9 })
  return body
}

const CODINGS: readonly HostilePage[] = [
  packed('gzip of 256 MiB', 'gzip', () => gzipped(1, 256 * MiB)),
  packed('gzip, gzip', 'gzip, gzip', () => gzipped(2, 256 * MiB)),
  packed('gzip, gzip, gzip', 'gzip, gzip, gzip', () => gzipped(3, 256 * MiB)),
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

export const hostileAnswers: readonly HostilePage[] = [...CODINGS, ...HEADERS, ...CHUNKS]
