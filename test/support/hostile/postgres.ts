/**
 * Misbehaviour of PostgreSQL servers (protocol 3.0: a letter, a length that counts itself, a body).
 *
 * @module
 */

import { cutOff, hostile, HTTP_ERROR } from './any.ts'
import type { Peer } from './peer.ts'
import type { HostileServer } from './rig.ts'

const protocol = 'postgres'
const SSL_REQUEST = 80877103
/** Of what a client says; more is not waited for. */
const LONGEST = 65_536

/** `length` lies where it is given. */
export function message(letter: string, body: string | Uint8Array, length?: number): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
  const head = Buffer.alloc(5, letter)
  head.writeUInt32BE(length ?? bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const authentication = (kind: number, rest: string | Uint8Array = ''): Buffer =>
  message('R', Buffer.concat([number(kind), Buffer.from(rest as string)]))

const failure = (code: string, text: string): Buffer =>
  message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)

/** What a server says that wants no password. */
export const READY = Buffer.concat([
  authentication(0),
  message('K', Buffer.alloc(8, 1)),
  message('Z', 'I'),
])

/** The first packet has no letter. */
async function hearFirst(peer: Peer): Promise<Buffer> {
  const length = (await peer.hearBytes(4)).readUInt32BE()
  return peer.hearBytes(Math.max(4, Math.min(length, LONGEST) - 4))
}

async function hearMessage(peer: Peer): Promise<Buffer> {
  const head = await peer.hearBytes(5)
  const rest = await peer.hearBytes(Math.max(0, Math.min(head.readUInt32BE(1), LONGEST) - 4))
  return Buffer.concat([head, rest])
}

/** Up to the StartupMessage; a wish for TLS before it is declined. */
async function untilStartup(peer: Peer): Promise<void> {
  const first = await hearFirst(peer)
  if (first.readUInt32BE() !== SSL_REQUEST) return
  await peer.say('N')
  await hearFirst(peer)
}

/** Up to the first query, in the simple or the extended protocol. */
async function untilQuery(peer: Peer): Promise<void> {
  await untilStartup(peer)
  await peer.say(READY)
  await hearMessage(peer)
}

const atTls = (
  does: string,
  says: string | Uint8Array,
  expect?: HostileServer['expect'],
): HostileServer =>
  hostile({
    protocol,
    does,
    ...(expect && { expect }),
    async script(peer) {
      await hearFirst(peer)
      await peer.say(says)
    },
  })

const TLS: readonly HostileServer[] = [
  atTls(
    'answers the wish for TLS with an error',
    failure('0A000', 'unsupported frontend protocol'),
  ),
  atTls('answers the wish for TLS with an error of PostgreSQL 7', 'Eunsupported\n\0'),
  atTls('answers the wish for TLS with an unknown letter', 'X'),
  atTls('consents to TLS and goes silent', 'S', ['tls_timeout', 'timeout']),
  atTls(
    'consents to TLS and goes on in plain text (CVE-2021-23222)',
    Buffer.concat([Buffer.from('S'), READY]),
    ['tls_not_tls', 'tls_handshake', 'protocol_error'],
  ),
  atTls('consents to TLS again and again', 'S'.repeat(10_000)),
  atTls('declines TLS and goes silent', 'N'),
  hostile({
    protocol,
    does: 'consents to TLS and goes silent behind the handshake',
    async script(peer) {
      await hearFirst(peer)
      await peer.say('S')
      await peer.secure()
    },
  }),
  ...cutOff(protocol, 'after its consent to TLS', async (peer) => {
    await hearFirst(peer)
    await peer.say('S')
  }),
]

const atStartup = (does: string, says: string | Uint8Array): HostileServer =>
  hostile({
    protocol,
    does,
    async script(peer) {
      await untilStartup(peer)
      await peer.say(says)
    },
  })

const LOGINS: readonly HostileServer[] = [
  hostile({
    protocol,
    does: 'goes silent after the startup',
    expect: ['auth_timeout', 'timeout'],
    script: untilStartup,
  }),
  ...cutOff(protocol, 'after the startup', untilStartup),
  ...cutOff(protocol, 'in the middle of a message', async (peer) => {
    await untilStartup(peer)
    await peer.say(authentication(0).subarray(0, 6))
  }),
  atStartup('is starting up (57P03)', failure('57P03', 'the database system is starting up')),
  atStartup('is too busy (53300)', failure('53300', 'sorry, too many clients already')),
  atStartup('sends an error without an end', message('E', 'SFATAL\0C53300\0Mno end')),
  atStartup('sends an error of 1 MB', failure('XX000', 'e'.repeat(1024 * 1024))),
  atStartup('sends an unknown message', message('?', 'what')),
  atStartup('sends a message of 2 GB', message('R', 'ab', 0x7fffffff)),
  atStartup('sends a message of a length below its own', message('R', '', 3)),
  atStartup('sends a message of length 0', message('R', '', 0)),
  atStartup('wants a login nobody knows (99)', authentication(99)),
  atStartup('wants the password in the clear', authentication(3)),
  atStartup('wants MD5 with a salt that is cut off', authentication(5, 'sa')),
  atStartup('wants SASL by a mechanism nobody knows', authentication(10, 'ROT-13\0\0')),
  atStartup('wants SASL by no mechanism', authentication(10, '\0')),
  atStartup('ends a SASL login that never began', authentication(12, 'v=AAAA')),
  atStartup('answers as HTTP', HTTP_ERROR),
  hostile({
    protocol,
    does: 'wants 100 million rounds of SCRAM',
    expect: ['auth_timeout', 'timeout', 'protocol_error'],
    script: (peer) => scram(peer, (nonce) => `r=${nonce}own,s=c2FsdA==,i=100000000`),
  }),
  hostile({
    protocol,
    does: 'wants 100,000 rounds of SCRAM 198 times',
    script: (peer) => scramAgain(peer),
  }),
  hostile({
    protocol,
    does: 'answers SCRAM under another nonce',
    script: (peer) => scram(peer, () => 'r=another,s=c2FsdA==,i=4096'),
  }),
  hostile({
    protocol,
    does: 'accepts SCRAM without proof that it knows the password',
    script: async (peer) => {
      await scram(peer, (nonce) => `r=${nonce}own,s=c2FsdA==,i=4096`)
      await hearMessage(peer)
      await peer.say(Buffer.concat([authentication(12, 'v=AAAA'), READY]))
    },
  }),
]

/** The most that the driver computes. */
export function scramAgain(peer: Peer, times = 198): Promise<void> {
  return scram(peer, (nonce) => `r=${nonce}own,s=c2FsdA==,i=100000`, times)
}

async function scram(peer: Peer, challenge: (nonce: string) => string, times = 1): Promise<void> {
  await untilStartup(peer)
  await peer.say(authentication(10, 'SCRAM-SHA-256\0\0'))
  const first = (await hearMessage(peer)).toString('latin1')
  const [, nonce = ''] = /r=([^,]*)/.exec(first) ?? []
  await peer.say(Buffer.concat(Array<Buffer>(times).fill(authentication(11, challenge(nonce)))))
}

/** One column of text named "a". */
const COLUMN = Buffer.from('\0\x01a\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0', 'latin1')
const ROW = message('D', Buffer.concat([Buffer.of(0, 1), number(1000), Buffer.alloc(1000, 'r')]))

const again = (does: string, first: Uint8Array, then: Uint8Array): HostileServer =>
  hostile({
    protocol,
    does,
    async script(peer) {
      await untilStartup(peer)
      await peer.say(first)
      await peer.flood(then)
    },
  })

const atQuery = (does: string, says: Uint8Array): HostileServer =>
  hostile({
    protocol,
    does,
    async script(peer) {
      await untilQuery(peer)
      await peer.say(says)
    },
  })

const QUERIES: readonly HostileServer[] = [
  again('sends parameters without end', authentication(0), message('S', 'a\0b\0')),
  again('sends notices without end', authentication(0), message('N', 'SNOTICE\0Mhello\0\0')),
  hostile({
    protocol,
    does: 'goes silent after the query',
    expect: ['query_timeout', 'timeout'],
    script: untilQuery,
  }),
  ...cutOff(protocol, 'after the query', untilQuery),
  atQuery('announces 65535 columns and sends none', message('T', Buffer.of(0xff, 0xff))),
  atQuery('sends rows without columns', ROW),
  atQuery('wants a copy of data', message('G', Buffer.of(0, 0, 0))),
  atQuery('is ended by its operator (57P01)', failure('57P01', 'terminating connection')),
  atQuery(
    'sends a row with a value that is longer than the row',
    Buffer.concat([
      message('T', COLUMN),
      message('D', Buffer.concat([Buffer.of(0, 1), number(0x7ffffff0)])),
    ]),
  ),
  hostile({
    protocol,
    does: 'sends rows without end',
    async script(peer) {
      await untilQuery(peer)
      await peer.say(message('T', COLUMN))
      await peer.flood(Buffer.concat(Array<Buffer>(50).fill(ROW)))
    },
  }),
]

export const POSTGRES: readonly HostileServer[] = [...TLS, ...LOGINS, ...QUERIES]
