/**
 * Encodes DNS queries and decodes answers. Nothing from the server is trusted: a message that does
 * not match the query is ignored, one that matches and cannot be decoded is malformed.
 *
 * @module
 */

import type { Answer, DecodedPacket, Packet, RecordType } from 'dns-packet'
import { CheckFailure } from '../failure.ts'
import { isLaborious } from './decoding-cost.ts'
import { recordText, packetType, rcodeName, typeName } from './records.ts'
import type { DnsType } from './records.ts'

/** Advertised UDP payload size: not fragmented on usual paths (RFC 9715). */
const UDP_PAYLOAD_BYTES = 1232

/** AD and CD in the header of a query (RFC 4035, 3.2). */
const AUTHENTIC_DATA = 0x20
const CHECKING_DISABLED = 0x10

const HEADER_BYTES = 12
/** Type and class of a question. */
const QUESTION_TAIL_BYTES = 4
const RESPONSE_BIT = 0x8000

/**
 * The part of dns-packet that is used, declared here, so that users of our types do not need its
 * types.
 */
export interface Codec {
  readonly RECURSION_DESIRED: number
  readonly encode: (packet: object) => Buffer
  readonly decode: ((bytes: Buffer) => object) & { readonly bytes: number }
}

export interface Question {
  /** Canonical; see `parseDnsName`. */
  readonly name: string
  readonly type: DnsType
  /** RD: recursion desired. */
  readonly recursion: boolean
  /** AD and CD; default not set. */
  readonly validated?: boolean | undefined
  readonly unchecked?: boolean | undefined
}

export interface DnsRecord {
  readonly name: string
  /** `A`, `MX`, …; `TYPE<number>` for a type without a name here. */
  readonly type: string
  readonly value: string
  /** Seconds. */
  readonly ttl: number
}

export interface Reply {
  readonly rcode: string
  /** AA, TC, AD, RA of the header. */
  readonly authoritative: boolean
  readonly truncated: boolean
  readonly authenticated: boolean
  readonly recursion_available: boolean
  /** The answer section, in the server's order. */
  readonly records: readonly DnsRecord[]
}

async function loadCodec(): Promise<Codec> {
  return import('dns-packet')
}

/** {@link loadCodec}, called once: every dynamic import passes through the module loader. */
export function codecLoader(): CodecLoader {
  let codec: Codec | undefined
  return (loading) => codec ?? loading(loadCodec).then((loaded) => (codec = loaded))
}

/** `loading` excludes the load time from all measurements. */
export type CodecLoader = (
  loading: (work: () => Promise<Codec>) => Promise<Codec>,
) => Codec | Promise<Codec>

export function encodeQuery(
  codec: Codec,
  { name, type, recursion, validated = false, unchecked = false }: Question,
  { id, edns }: { readonly id: number; readonly edns: boolean },
): Buffer {
  const opt = { type: 'OPT', name: '.', udpPayloadSize: UDP_PAYLOAD_BYTES, flags: 0, options: [] }
  return codec.encode({
    type: 'query',
    id,
    flags:
      (recursion ? codec.RECURSION_DESIRED : 0) |
      (validated ? AUTHENTIC_DATA : 0) |
      (unchecked ? CHECKING_DISABLED : 0),
    questions: [{ name, type: packetType(type) as RecordType, class: 'IN' }],
    additionals: edns ? [opt as unknown as Answer] : [],
  } satisfies Packet)
}

/** Of a message without a question: it reports an error, and is short. */
const MAX_UNASKED_BYTES = 512

/**
 * Whether to decode a datagram: decoding takes milliseconds, and a server may send thousands with other questions. One
 * that is too short to tell is decoded.
 */
export function mayAnswer(bytes: Buffer, query: Buffer): boolean {
  const end = query.indexOf(0, HEADER_BYTES) + 1 + QUESTION_TAIL_BYTES
  if (bytes.length < end) return true
  const questions = bytes.readUInt16BE(4)
  if (questions === 0) return bytes.length <= MAX_UNASKED_BYTES
  const asked = (of: Buffer): string => of.toString('latin1', HEADER_BYTES, end).toLowerCase()
  return (
    questions === 1 &&
    bytes.readUInt16BE(0) === query.readUInt16BE(0) &&
    asked(bytes) === asked(query)
  )
}

/**
 * `undefined` if the message does not answer this query: another id, not a response, or another
 * question.
 *
 * @throws CheckFailure `dns_malformed`
 */
export function decodeReply(
  codec: Codec,
  bytes: Buffer,
  { id, question, server }: { id: number; question: Question; server: string },
): Reply | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return undefined
  if ((bytes.readUInt16BE(2) & RESPONSE_BIT) === 0) return undefined
  try {
    if (pointersInARow(bytes) > MAX_POINTERS) throw new RangeError('names that lead round about')
    if (isLaborious(bytes)) throw new RangeError('names, types or texts that are too many')
    const packet = codec.decode(bytes) as DecodedPacket
    // The decoder reads fixed-size fields without checking the end of the message.
    if (codec.decode.bytes > bytes.length) throw new RangeError('records that go on behind its end')
    const rcode = rcodeOf(packet)
    if (!answers(packet, question, rcode)) return undefined
    return {
      rcode,
      authoritative: packet.flag_aa,
      truncated: packet.flag_tc,
      authenticated: packet.flag_ad,
      recursion_available: packet.flag_ra,
      records: (packet.answers ?? []).map(toRecord),
    }
  } catch (cause) {
    const text = `${server} sent an answer that cannot be read`
    throw new CheckFailure('dns_malformed', text, { phase: 'resolve', cause })
  }
}

/**
 * A compressed name ends with a pointer to an earlier name (RFC 1035, 4.1.4); legitimate encoders
 * do not chain many pointers.
 */
const MAX_POINTERS = 8
const POINTER_BITS = 0xc0
/** Pointers have 14 bits. */
const POINTABLE_BYTES = 0x4000

/**
 * The longest chain of pointers. Without a limit, three thousand names that each pass through eight
 * thousand pointers would block the decoder.
 */
function pointersInARow(bytes: Buffer): number {
  const end = Math.min(bytes.length - 1, POINTABLE_BYTES)
  const rows = new Uint16Array(Math.max(0, end))
  let most = 0
  for (let at = HEADER_BYTES; at < end; at++) {
    if ((bytes[at] ?? 0) < POINTER_BITS) continue
    const to = bytes.readUInt16BE(at) - (POINTER_BITS << 8)
    const row = to < at ? (rows[to] ?? 0) + 1 : 1
    rows[at] = row
    most = Math.max(most, row)
  }
  return most
}

/** A server that could not parse the question may leave it out of its error response. */
function answers({ questions = [] }: DecodedPacket, asked: Question, rcode: string): boolean {
  if (questions.length === 0) return rcode !== 'NOERROR' && rcode !== 'NXDOMAIN'
  const [first, ...more] = questions
  return (
    more.length === 0 &&
    first?.name.toLowerCase() === asked.name &&
    first.class === 'IN' &&
    typeName(first.type) === asked.type
  )
}

function rcodeOf({ flags = 0, additionals = [] }: DecodedPacket): string {
  const opt = additionals.find((record) => record.type === 'OPT')
  return rcodeName(((opt?.extendedRcode ?? 0) << 4) | (flags & 15))
}

function toRecord(answer: Answer): DnsRecord {
  const { name, type, ttl = 0, data } = answer as Extract<Answer, { data: unknown }>
  return { name: name.toLowerCase(), type: typeName(type), value: recordText(type, data), ttl }
}

/**
 * Loads the DNS package at start. If a process has run out of file descriptors, Node 20 fails to
 * find the package and caches that failure until a restart.
 */
export async function preloadCodec(): Promise<void> {
  // A missing package is reported when it is needed.
  await Promise.allSettled([loadCodec()])
}
