/**
 * Misbehaviour of MySQL servers (protocol 10: packets of a three-byte length, a number and a payload).
 *
 * @module
 */

import { cutOff, hostile, HTTP_ERROR, SSH_BANNER } from './any.ts'
import type { Peer } from './peer.ts'
import type { HostileServer } from './rig.ts'

const protocol = 'mysql'

/** `length` lies where it is given. */
export function packet(number: number, payload: Uint8Array, length = payload.length): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(length, 0, 3)
  head[3] = number
  return Buffer.concat([head, payload])
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const errorPayload = (code: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(0xff, code & 0xff, code >> 8), latin1(text)])

/** CLIENT_PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, CONNECT_WITH_DB, LOCAL_FILES; TLS and SESSION_TRACK where asked for. */
export function greeting({
  tls = false,
  tracksState = false,
  version = '8.0.99-hostile',
  plugin = 'mysql_native_password',
} = {}): Buffer {
  const capabilities = 0x0200 | 0x8000 | 0x0008 | 0x0080 | 0x0001 | (tls ? 0x0800 : 0)
  const low = Buffer.alloc(2)
  low.writeUInt16LE(capabilities)
  const payload = Buffer.concat([
    latin1(`\x0a${version}\0`),
    Buffer.of(7, 0, 0, 0),
    latin1('saltsalt\0'),
    low,
    Buffer.of(0x21, 0x02, 0x00, tracksState ? 0x88 : 0x08, 0x00, 21),
    Buffer.alloc(10),
    latin1('moresaltmore\0'),
    latin1(`${plugin}\0`),
  ])
  return packet(0, payload)
}

const OK = Buffer.of(0, 0, 0, 2, 0, 0, 0)
const END_OF_ROWS = Buffer.of(0xfe, 0, 0, 2, 0)

/** One packet of the client, by its own length. */
async function hearPacket(peer: Peer): Promise<Buffer> {
  const head = await peer.hearBytes(4)
  return peer.hearBytes(head.readUIntLE(0, 3))
}

/** Up to the client's answer to the greeting. */
async function untilLogin(peer: Peer): Promise<void> {
  await peer.say(greeting())
  await hearPacket(peer)
}

/** Up to the first command; whatever the client sets up before its query gets the same treatment. */
async function untilCommand(peer: Peer): Promise<void> {
  await untilLogin(peer)
  await peer.say(packet(2, OK))
  await hearPacket(peer)
}

const column = Buffer.concat([
  ...['def', '', '', '', 'a', ''].map((text) =>
    Buffer.concat([Buffer.of(text.length), latin1(text)]),
  ),
  Buffer.of(0x0c, 0x21, 0, 20, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0),
])

const GREETINGS: readonly HostileServer[] = [
  ...[
    { does: 'is too busy (1040)', payload: errorPayload(1040, 'Too many connections') },
    {
      does: 'does not want this host (1130)',
      payload: errorPayload(1130, "Host 'x' is not allowed"),
    },
    { does: 'sends an error without number or text', payload: Buffer.of(0xff) },
    { does: 'sends an error of 60 KB', payload: errorPayload(1105, 'e'.repeat(60_000)) },
    { does: 'greets with an empty packet', payload: Buffer.alloc(0) },
    { does: 'greets in protocol 9', payload: latin1('\x093.20.0\0\x07\0\0\0saltsalt\0') },
    { does: 'greets in protocol 11 with nothing behind it', payload: Buffer.of(0x0b) },
    { does: 'greets with a version that never ends', payload: latin1('\x0a' + '8'.repeat(60_000)) },
    { does: 'greets with OK', payload: OK },
  ].map(({ does, payload }) =>
    hostile({ protocol, does, script: (peer) => peer.say(packet(0, payload)) }),
  ),
  hostile({
    protocol,
    does: 'sends half a greeting',
    expect: ['banner_timeout', 'timeout'],
    script: (peer) => peer.say(greeting().subarray(0, 20)),
  }),
  ...cutOff(protocol, 'after half a greeting', (peer) => peer.say(greeting().subarray(0, 20))),
  hostile({
    protocol,
    does: 'drips its greeting',
    expect: ['banner_timeout', 'timeout'],
    script: (peer) => peer.drip(greeting({ version: '8'.repeat(60_000) })),
  }),
  hostile({
    protocol,
    does: 'announces a greeting of 16 MB and sends it',
    async script(peer) {
      await peer.say(packet(0, Buffer.of(0x0a), 0xffffff))
      await peer.flood('8'.repeat(16_384))
    },
  }),
  hostile({
    protocol,
    does: 'announces less than it greets with',
    script: (peer) => peer.say(packet(0, greeting().subarray(4), 10)),
  }),
  hostile({
    protocol,
    does: 'gives its greeting the number 77',
    script: (peer) => peer.say(packet(77, greeting().subarray(4))),
  }),
  hostile({ protocol, does: 'greets as SSH', script: (peer) => peer.say(SSH_BANNER) }),
  hostile({ protocol, does: 'greets as HTTP', script: (peer) => peer.say(HTTP_ERROR) }),
]

const LOGINS: readonly HostileServer[] = [
  hostile({
    protocol,
    does: 'goes silent after the login',
    expect: ['auth_timeout', 'timeout'],
    script: untilLogin,
  }),
  ...cutOff(protocol, 'after the login', untilLogin),
  ...[
    { does: 'refuses the login (1045)', payload: errorPayload(1045, '#28000Access denied') },
    { does: 'answers the login with an unknown packet', payload: Buffer.of(0x42, 1, 2, 3) },
    {
      does: 'wants a login nobody knows',
      payload: latin1('\xfeown_plugin\0saltsaltsaltsaltsalt\0'),
    },
    { does: 'wants the password in the clear', payload: latin1('\xfemysql_clear_password\0\0') },
    { does: 'wants the login of MySQL 3', payload: Buffer.of(0xfe) },
    { does: 'answers the login with an empty packet', payload: Buffer.alloc(0) },
  ].map(({ does, payload }) =>
    hostile({
      protocol,
      does,
      async script(peer) {
        await untilLogin(peer)
        await peer.say(packet(2, payload))
      },
    }),
  ),
  hostile({
    protocol,
    does: 'switches between logins without end',
    async script(peer) {
      await untilLogin(peer)
      for (let number = 2; ; number += 2) {
        await peer.say(
          packet(number & 0xff, latin1('\xfemysql_native_password\0saltsaltsaltsaltsalt\0')),
        )
        await hearPacket(peer)
      }
    },
  }),
  hostile({
    protocol,
    does: 'offers TLS and answers the handshake in plain text',
    expect: ['tls_not_tls', 'tls_handshake', 'protocol_error'],
    async script(peer) {
      await peer.say(greeting({ tls: true }))
      await hearPacket(peer)
      await peer.say(packet(2, OK))
    },
  }),
  hostile({
    protocol,
    does: 'offers TLS and goes silent',
    expect: ['tls_timeout', 'timeout'],
    async script(peer) {
      await peer.say(greeting({ tls: true }))
      await hearPacket(peer)
    },
  }),
]

const QUERIES: readonly HostileServer[] = [
  hostile({
    protocol,
    does: 'goes silent after the query',
    expect: ['query_timeout', 'timeout'],
    script: untilCommand,
  }),
  ...cutOff(protocol, 'after the query', untilCommand),
  ...[
    { does: 'asks for a file of the client', payload: latin1('\xfb/etc/passwd') },
    { does: 'announces 2^64 columns', payload: Buffer.of(0xfe, ...Array<number>(8).fill(0xff)) },
    { does: 'announces columns and sends none', payload: Buffer.of(3) },
    { does: 'announces a column count that is cut off', payload: Buffer.of(0xfc) },
    { does: 'answers the query with an error (1064)', payload: errorPayload(1064, '#42000syntax') },
  ].map(({ does, payload }) =>
    hostile({
      protocol,
      does,
      async script(peer) {
        await untilCommand(peer)
        await peer.say(packet(1, payload))
      },
    }),
  ),
  hostile({
    protocol,
    does: 'sends rows without end',
    async script(peer) {
      await untilCommand(peer)
      const head = [packet(1, Buffer.of(1)), packet(2, column), packet(3, END_OF_ROWS)]
      await peer.say(Buffer.concat(head))
      const row = Buffer.concat([Buffer.of(250), Buffer.alloc(250, 'r')])
      for (let number = 4; ; number++) await peer.say(packet(number & 0xff, row))
    },
  }),
]

/** Some statements that wait give their rows when the server's own time limit ends them, and no error. */
export const MYSQL_INTERRUPTED = hostile({
  protocol,
  does: 'gives no rows of a query that its own time limit ended',
  expect: ['query_timeout'],
  async script(peer) {
    await untilLogin(peer)
    await peer.say(packet(2, OK))
    for (;;) {
      const command = (await hearPacket(peer)).toString('latin1', 1)
      if (!command.startsWith('SELECT')) {
        await peer.say(packet(1, OK))
        continue
      }
      const rows = command.includes('max_execution_time') ? [latin1('\x011')] : []
      // Longer than the limit of 1 ms.
      await new Promise((resolve) => setTimeout(resolve, 20))
      const parts = [Buffer.of(1), column, END_OF_ROWS, ...rows, END_OF_ROWS]
      await peer.say(Buffer.concat(parts.map((part, at) => packet(at + 1, part))))
    }
  },
})

/** Answers the query alone without end: whatever the client sets up before it is answered well. */
const endless = (does: string, head: readonly Buffer[], piece: Buffer): HostileServer =>
  hostile({
    protocol,
    does,
    async script(peer) {
      await untilLogin(peer)
      await peer.say(packet(2, OK))
      while (!(await hearPacket(peer)).toString('latin1', 1).startsWith('SELECT 1'))
        await peer.say(packet(1, OK))
      await peer.say(Buffer.concat(head.map((part, at) => packet(at + 1, part))))
      for (let number = head.length + 1; ; number++) await peer.say(packet(number & 0xff, piece))
    },
  })

export const mysqlRows = (size: number): HostileServer =>
  endless(
    `sends rows of ${size} bytes without end`,
    [Buffer.of(1), column, END_OF_ROWS],
    Buffer.concat([Buffer.of(0xfc, size & 0xff, size >> 8), Buffer.alloc(size, 'r')]),
  )

/** 65,535 are announced. */
export const MYSQL_COLUMNS = endless(
  'sends columns without end',
  [Buffer.of(0xfc, 0xff, 0xff)],
  column,
)

export const MYSQL: readonly HostileServer[] = [...GREETINGS, ...LOGINS, ...QUERIES]
