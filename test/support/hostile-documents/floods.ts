/**
 * What databases send without end: the greeting and whatever the client waits for first, then the flood.
 *
 * @module
 */

import type { Saying } from './server.ts'

export interface HostileFlood extends Pick<Saying, 'says' | 'greets' | 'flood'> {
  readonly name: string
  readonly type: 'mysql' | 'postgres'
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Protocol 10: a length of three bytes, a number, the payload. */
function packet(number: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = number & 0xff
  return Buffer.concat([head, payload])
}

/** CLIENT_PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, CONNECT_WITH_DB. */
const GREETING = packet(
  0,
  Buffer.concat([
    latin1('\x0a8.0.99\0'),
    Buffer.of(7, 0, 0, 0),
    latin1('saltsalt\0'),
    Buffer.of(0x09, 0x82, 0x21, 0x02, 0x00, 0x08, 0x00, 21),
    Buffer.alloc(10),
    latin1('moresaltmore\0mysql_native_password\0'),
  ]),
)
const OK = Buffer.of(0, 0, 0, 2, 0, 0, 0)
const COLUMN = Buffer.concat([
  ...['def', '', '', '', 'a', ''].map((text) =>
    Buffer.concat([Buffer.of(text.length), latin1(text)]),
  ),
  Buffer.of(0x0c, 0x21, 0, 20, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0),
])
const RESULT = Buffer.concat([
  packet(1, Buffer.of(1)),
  packet(2, COLUMN),
  packet(3, Buffer.of(0xfe, 0, 0, 2, 0)),
])

/** Numbered as a server does it; the numbers begin anew after 256. */
function packets(from: number, payload: Uint8Array): Buffer {
  return Buffer.concat(Array.from({ length: 2048 }, (_, n) => packet(from + n, payload)))
}

const mysql = (does: string, query: Uint8Array, flood: Uint8Array): HostileFlood => ({
  name: `mysql: ${does}`,
  type: 'mysql',
  greets: true,
  says: [GREETING, packet(2, OK), query],
  flood,
})

/** A letter, a length that counts itself, a body. */
function message(letter: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body as string, 'latin1')
  const head = Buffer.alloc(5, letter)
  head.writeUInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

const many = (bytes: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes))

const LOGGED_IN = message('R', Buffer.alloc(4))
const READY = Buffer.concat([LOGGED_IN, message('K', Buffer.alloc(8, 1)), message('Z', 'I')])
const ROW_OF_A = message('T', latin1('\0\x01a\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0'))

const postgres = (does: string, says: readonly Uint8Array[], flood: Buffer): HostileFlood => ({
  name: `postgres: ${does}`,
  type: 'postgres',
  says,
  flood: many(flood),
})

export const hostileFloods: readonly HostileFlood[] = [
  mysql('rows of a letter without end', RESULT, packets(4, Buffer.of(1, 0x61))),
  mysql('empty rows without end', RESULT, packets(4, Buffer.of(0xfb))),
  mysql('columns without end', packet(1, Buffer.of(0xfc, 0xff, 0xff)), packets(2, COLUMN)),
  mysql('errors without end', Buffer.alloc(0), packets(1, latin1('\xff\x28\x04#42000x'))),
  mysql('results without end', Buffer.alloc(0), packets(1, Buffer.of(0, 0, 0, 0x0a, 0, 0, 0))),
  mysql('empty packets without end', Buffer.alloc(0), packets(1, Buffer.alloc(0))),
  postgres('notices without end', [LOGGED_IN], message('N', 'SNOTICE\0Mx\0\0')),
  postgres('parameters without end', [LOGGED_IN], message('S', 'a\0b\0')),
  postgres('notifications without end', [READY], message('A', '\0\0\0\x01a\0b\0')),
  postgres('rows without end', [READY, ROW_OF_A], message('D', '\0\x01\0\0\0\x01a')),
  postgres('rows without columns', [READY, ROW_OF_A], message('D', '\0\0')),
  postgres('errors without end', [READY], message('E', 'SERROR\0C42601\0Mx\0\0')),
  postgres('ends of queries without end', [READY], message('Z', 'I')),
  postgres(
    'results without end',
    [READY],
    Buffer.concat([message('C', 'SELECT 1\0'), message('Z', 'I')]),
  ),
]
