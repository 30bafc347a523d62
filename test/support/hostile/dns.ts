/**
 * Misbehaviour of name servers, over UDP and over TCP (RFC 1035, 4).
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import type { SharedCause } from '../../../src/checkers/causes.ts'
import { CUT_OFF_CAUSES, endingAfter, ENDINGS } from './any.ts'
import type { Peer } from './peer.ts'
import type { HostileServer, Script, UdpScript } from './rig.ts'
import { listenBoth } from './rig.ts'

const protocol = 'dns'
const QR = 0x8000
const TC = 0x0200

interface AnswerShape {
  readonly flags?: number
  readonly counts?: readonly [questions: number, answers: number, authorities: number, more: number]
  /** Default: the question of the client. */
  readonly question?: Uint8Array
  readonly records?: readonly Uint8Array[]
  /** Added to the client's id. */
  readonly idOff?: number
}

/** An answer to a query, right but for what is asked otherwise. */
export function dnsAnswer(query: Buffer, shape: AnswerShape = {}): Buffer {
  const { flags = QR | 0x0400, records = [], idOff = 0 } = shape
  const question = shape.question ?? questionOf(query)
  const counts = shape.counts ?? [1, records.length, 0, 0]
  const head = Buffer.alloc(12)
  head.writeUInt16BE((query.readUInt16BE(0) + idOff) & 0xffff, 0)
  head.writeUInt16BE(flags, 2)
  counts.forEach((count, i) => head.writeUInt16BE(count, 4 + 2 * i))
  return Buffer.concat([head, question, ...records])
}

/** Names in queries are never compressed: labels up to the empty one, then type and class. */
function questionOf(query: Buffer): Buffer {
  let end = 12
  while (end < query.length && query[end] !== 0) end += 1 + (query[end] ?? 0)
  return query.subarray(12, end + 5)
}

/** `length` lies where it is given. */
function record(name: Uint8Array, type: number, data: Uint8Array, length = data.length): Buffer {
  const middle = Buffer.alloc(10)
  middle.writeUInt16BE(type, 0)
  middle.writeUInt16BE(1, 2)
  middle.writeUInt32BE(60, 4)
  middle.writeUInt16BE(length, 8)
  return Buffer.concat([name, middle, data])
}

const pointer = (to: number): Buffer => Buffer.of(0xc0 | (to >> 8), to & 0xff)
const text = (words: string): Buffer => Buffer.concat([Buffer.of(words.length), Buffer.from(words)])
const QNAME = pointer(12)
const ADDRESS = Buffer.of(127, 0, 0, 1)

function row(
  does: string,
  udp: UdpScript,
  rest: { readonly tcp?: Script; readonly expect?: readonly SharedCause[] } = {},
): HostileServer {
  const { tcp = sameOverTcp(udp), expect } = rest
  return {
    name: `${protocol}: ${does}`,
    protocol,
    start: () => listenBoth({ udp, tcp }),
    ...(expect && { expect }),
  }
}

function framed(message: Uint8Array, length = message.length): Buffer {
  return Buffer.concat([Buffer.of(length >> 8, length & 0xff), message])
}

async function hearQuery(peer: Peer): Promise<Buffer> {
  const length = (await peer.hearBytes(2)).readUInt16BE()
  return peer.hearBytes(length)
}

function sameOverTcp(udp: UdpScript): Script {
  return async (peer) => {
    for (;;) {
      for (const answer of udp(await hearQuery(peer))) await peer.say(framed(answer))
    }
  }
}

const one =
  (shape: AnswerShape | ((query: Buffer) => AnswerShape)): UdpScript =>
  (query) => [dnsAnswer(query, typeof shape === 'function' ? shape(query) : shape)]

/** Where the first record begins. */
const afterQuestion = (query: Buffer): number => 12 + questionOf(query).length

const NAMES: readonly HostileServer[] = [
  row(
    'answers with a name that points to itself',
    one((query) => ({ records: [record(pointer(afterQuestion(query)), 1, ADDRESS)] })),
    { expect: ['protocol_error'] },
  ),
  row(
    'answers with two names that point to each other',
    one((query) => {
      const at = afterQuestion(query)
      const first = Buffer.concat([pointer(at + 2), pointer(at)])
      return { counts: [1, 2, 0, 0], records: [record(first, 1, ADDRESS)] }
    }),
    { expect: ['protocol_error'] },
  ),
  row(
    'answers with a name that points behind the end',
    one({ records: [record(pointer(0x3fff), 1, ADDRESS)] }),
    { expect: ['protocol_error'] },
  ),
  row(
    'answers with a label of a reserved kind',
    one({ records: [record(Buffer.of(0x80, 1, 0), 1, ADDRESS)] }),
  ),
  row(
    'answers with a name of 60 KB',
    one({ records: [record(Buffer.alloc(60_000, '\x01a'), 1, ADDRESS)] }),
  ),
  row('answers with a CNAME to the name itself', one({ records: [record(QNAME, 5, QNAME)] })),
  row(
    'answers with 1000 CNAMEs in a chain',
    one({
      records: Array.from({ length: 1000 }, (_, i) =>
        record(
          i === 0 ? QNAME : Buffer.concat([text(`c${i}`), Buffer.of(0)]),
          5,
          Buffer.concat([text(`c${i + 1}`), Buffer.of(0)]),
        ),
      ),
    }),
  ),
  row(
    'answers for another name only',
    one({ records: [record(Buffer.concat([text('other'), Buffer.of(0)]), 1, ADDRESS)] }),
  ),
]

const HEADERS: readonly HostileServer[] = [
  row('answers under another id', one({ idOff: 1, records: [record(QNAME, 1, ADDRESS)] }), {
    expect: ['dns_timeout', 'timeout'],
  }),
  row('answers under every id but the right one', (query) =>
    Array.from({ length: 500 }, (_, i) => dnsAnswer(query, { idOff: i + 1 })),
  ),
  row(
    'answers another question',
    one({
      question: Buffer.from('\x05other\x04test\0\0\x01\0\x01', 'latin1'),
      records: [record(QNAME, 1, ADDRESS)],
    }),
    { expect: ['dns_timeout', 'timeout', 'protocol_error'] },
  ),
  row('answers without a question', one({ question: Buffer.alloc(0), counts: [0, 0, 0, 0] })),
  row('sends the query back', (query) => [query]),
  row('says that its answer is cut off, over TCP too', one({ flags: QR | TC })),
  row('fails (SERVFAIL)', one({ flags: QR | 2 }), { expect: ['dns_server_failure'] }),
  row('refuses (REFUSED)', one({ flags: QR | 5 }), { expect: ['dns_refused'] }),
  row('does not understand (FORMERR)', one({ flags: QR | 1 })),
  row('answers with a code nobody knows', one({ flags: QR | 14 })),
  row(
    'sends the client elsewhere without end',
    one({ counts: [1, 0, 1, 0], records: [record(QNAME, 2, QNAME)] }),
  ),
  row('says nothing', () => [], { expect: ['dns_timeout', 'timeout'] }),
]

const LENGTHS: readonly HostileServer[] = [
  row('sends an empty datagram', () => [Buffer.alloc(0)], {
    tcp: (peer) => peer.say(framed(Buffer.alloc(0))),
  }),
  row('sends 5 bytes', (query) => [dnsAnswer(query).subarray(0, 5)]),
  row('sends the head of an answer only', (query) => [dnsAnswer(query).subarray(0, 12)]),
  row('announces 65535 answers and sends none', one({ counts: [1, 65_535, 0, 0] })),
  row('announces 65535 questions', one({ counts: [65_535, 0, 0, 0] })),
  row(
    'sends data that is longer than the answer',
    one({ records: [record(QNAME, 1, ADDRESS, 65_535)] }),
  ),
  row('sends an address of 3 bytes', one({ records: [record(QNAME, 1, Buffer.of(127, 0, 0))] })),
  row(
    'sends a text whose strings are longer than it',
    one({ records: [record(QNAME, 16, Buffer.of(200, 97))] }),
  ),
  row('sends random bytes', (query) => [Buffer.concat([query.subarray(0, 2), randomBytes(200)])]),
  row(
    'sends 4000 addresses',
    one({ records: Array.from({ length: 4000 }, () => record(QNAME, 1, ADDRESS)) }),
  ),
  row('sends each answer 500 times', (query) =>
    Array.from({ length: 500 }, () => dnsAnswer(query, { records: [record(QNAME, 1, ADDRESS)] })),
  ),
]

/** Over UDP these ask for TCP. */
const overTcp = (does: string, tcp: Script, expect?: readonly SharedCause[]): HostileServer =>
  row(`over TCP, ${does}`, one({ flags: QR | TC }), { tcp, ...(expect && { expect }) })

const TCP: readonly HostileServer[] = [
  overTcp('goes silent', async (peer) => void (await hearQuery(peer)), ['dns_timeout', 'timeout']),
  overTcp('announces 65535 bytes and sends 10', async (peer) => {
    await hearQuery(peer)
    await peer.say(framed(Buffer.alloc(10), 65_535))
  }),
  overTcp('announces 0 bytes', async (peer) => {
    await hearQuery(peer)
    await peer.say(framed(Buffer.alloc(100), 0))
  }),
  overTcp('sends half a length', async (peer) => {
    await hearQuery(peer)
    await peer.say(Buffer.of(0))
  }),
  overTcp('drips its answer', async (peer) => {
    const query = await hearQuery(peer)
    await peer.drip(
      framed(dnsAnswer(query, { records: Array<Buffer>(3000).fill(record(QNAME, 1, ADDRESS)) })),
    )
  }),
  overTcp('sends answers without end', async (peer) => {
    const query = await hearQuery(peer)
    await peer.flood(framed(dnsAnswer(query, { idOff: 1 })))
  }),
]

const halfAnAnswer = async (peer: Peer): Promise<void> => {
  const query = await hearQuery(peer)
  await peer.say(framed(dnsAnswer(query), 200))
}

const CUT_OFF: readonly HostileServer[] = ENDINGS.map((ends) => ({
  ...overTcp(`${ends} after half an answer`, endingAfter(halfAnAnswer, ends), CUT_OFF_CAUSES[ends]),
  ends,
}))

export const DNS: readonly HostileServer[] = [...NAMES, ...HEADERS, ...LENGTHS, ...TCP, ...CUT_OFF]
