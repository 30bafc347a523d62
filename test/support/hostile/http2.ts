/**
 * Misbehaviour of web servers in frames of HTTP/2, over plain TCP with prior knowledge.
 *
 * @module
 */

import { hostile } from './any.ts'
import type { Peer } from './peer.ts'
import type { HostileServer } from './rig.ts'

const protocol = 'http2'

/** Types of frames (RFC 9113, 6). */
const TYPES = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
  altsvc: 10,
  unknown: 0x5a,
} as const

const END_STREAM = 1
const ACK = 1
const END_HEADERS = 4
const PADDED = 8

export function frame(
  type: keyof typeof TYPES,
  payload: Uint8Array = new Uint8Array(),
  { flags = 0, stream = 1 }: { readonly flags?: number; readonly stream?: number } = {},
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = TYPES[type]
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const CONNECTION = { stream: 0 }
const SETTINGS = frame('settings', undefined, CONNECTION)
const SETTINGS_ACK = frame('settings', undefined, { ...CONNECTION, flags: ACK })

/** RFC 7541, 5.1: an integer after `bits` bits of a prefix. */
function integer(value: number, bits: number, prefix = 0): Buffer {
  const most = 2 ** bits - 1
  if (value < most) return Buffer.of(prefix | value)
  const bytes = [prefix | most]
  let left = value - most
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return Buffer.from([...bytes, left])
}

/** A field that is not indexed (RFC 7541, 6.2.2), or that is from now on (`0x40`, 6.2.1). */
function field(name: string, value: string, kind = 0): Buffer {
  const text = (part: string) => Buffer.concat([integer(part.length, 7), Buffer.from(part)])
  return Buffer.concat([Buffer.of(kind), text(name), text(value)])
}

/** `:status` 200, in the static table. */
const STATUS_200 = Buffer.of(0x88)
const status = (code: string): Buffer => field(':status', code)

function headers(block: Uint8Array, flags = 0): Buffer {
  return frame('headers', block, { flags: END_HEADERS | flags })
}

const OK = headers(Buffer.concat([STATUS_200, field('content-type', 'text/html')]))
const FILLER = 'v'.repeat(1000)

/** A block of headers in frames of 16 KiB; without the end flag where it goes on. */
function inFrames(block: Buffer, last = END_HEADERS): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < block.length; at += 16_384) {
    const part = block.subarray(at, at + 16_384)
    const flags = at + 16_384 >= block.length ? last : 0
    parts.push(frame(at === 0 ? 'headers' : 'continuation', part, { flags }))
  }
  return Buffer.concat(parts)
}

const code = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const reset = (value: number): Buffer => frame('reset', code(value))
const goaway = (last: number, value: number): Buffer =>
  frame('goaway', Buffer.concat([code(last), code(value)]), CONNECTION)
const end = frame('data', undefined, { flags: END_STREAM })

/** Waits for the preface and the head of a request. */
async function request(peer: Peer): Promise<void> {
  await peer.hearBytes(24)
  for (;;) {
    const head = await peer.hearBytes(9)
    const length = head.readUIntBE(0, 3)
    if (length > 0) await peer.hearBytes(length)
    if (head[3] === TYPES.headers) return
  }
}

export interface HostileHttp2 extends HostileServer {
  /** Any of them is right; `null` where the answer is good. */
  readonly causes: readonly (string | null)[]
  /** What it sends without end. */
  readonly flood?: readonly [first: Buffer, again: Buffer]
}

type Causes = HostileHttp2['causes']

/** Answers with these bytes, and leaves the connection open. */
function answer(does: string, causes: Causes, ...frames: readonly Buffer[]): HostileHttp2 {
  const script = async (peer: Peer): Promise<void> => {
    await request(peer)
    await peer.say(Buffer.concat([SETTINGS, SETTINGS_ACK, ...frames]))
  }
  return { ...hostile({ protocol, does, script }), causes }
}

function endless(does: string, causes: Causes, first: Buffer, again: Buffer): HostileHttp2 {
  const script = async (peer: Peer): Promise<void> => {
    await request(peer)
    await peer.say(Buffer.concat([SETTINGS, SETTINGS_ACK, first]))
    await peer.flood(again)
  }
  const flood = [Buffer.concat([SETTINGS, SETTINGS_ACK, first]), again] as const
  return { ...hostile({ protocol, does, script }), causes, flood }
}

function acting(
  does: string,
  causes: Causes,
  act: (peer: Peer) => Promise<void> | void,
): HostileHttp2 {
  const script = async (peer: Peer): Promise<void> => {
    await request(peer)
    await act(peer)
  }
  return { ...hostile({ protocol, does, script }), causes }
}

const BROKEN = ['http_protocol_error']
const EARLY = ['closed_early']
/** nghttp2 ends the connection and does not say so; most servers then close it. */
const BROKEN_OR_SILENT = ['http_protocol_error', 'http_response_timeout']
const SILENT = ['http_response_timeout']
const STALLED = ['http_body_timeout']
const TRUNCATED = ['http_truncated']
/** On a busy machine the deadline may be first. */
const TOO_LONG = ['too_long', 'http_protocol_error', 'closed_early', 'http_response_timeout']
const HEADERS = ['http_header_limit']
const NOTHING = Buffer.alloc(0)

const CUT_OFF: readonly HostileHttp2[] = [
  acting('goes silent after the request', SILENT, () => {}),
  acting('closes after the request', EARLY, (peer) => peer.close()),
  acting('resets after the request', ['connect_reset', 'closed_early'], async (peer) => {
    await peer.pause(30)
    peer.reset()
  }),
  answer('goes silent after its settings', SILENT),
  answer('goes silent in the middle of a frame', SILENT, OK.subarray(0, 12)),
  answer('announces a block of headers and goes silent', SILENT, headers(STATUS_200).fill(0, 4, 5)),
  answer('goes silent after the headers', STALLED, OK),
  acting('closes after the headers', TRUNCATED, async (peer) => {
    await peer.say(Buffer.concat([SETTINGS, OK]))
    peer.close()
  }),
  acting('drips its headers', SILENT, async (peer) => {
    await peer.say(SETTINGS)
    await peer.drip(headers(Buffer.concat([STATUS_200, field('x-slow', FILLER)])))
  }),
  acting('drips a body', STALLED, async (peer) => {
    await peer.say(Buffer.concat([SETTINGS, OK]))
    for (;;) {
      await peer.say(frame('data', Buffer.from('x')))
      await peer.pause(50)
    }
  }),
]

const REFUSALS: readonly HostileHttp2[] = [
  answer('resets the stream: REFUSED_STREAM', EARLY, reset(7)),
  answer('resets the stream: CANCEL', EARLY, reset(8)),
  answer('resets the stream: NO_ERROR', EARLY, reset(0)),
  answer('resets the stream: INTERNAL_ERROR', EARLY, reset(2)),
  answer('resets the stream: ENHANCE_YOUR_CALM', EARLY, reset(11)),
  answer('resets the stream: HTTP_1_1_REQUIRED', ['http_version_unsupported'], reset(13)),
  answer('resets the stream with a code of its own', EARLY, reset(0xdeadbeef)),
  ...[0, 2, 8].map((value) =>
    answer(
      `resets the stream in the middle of a body (${value})`,
      TRUNCATED,
      OK,
      frame('data', Buffer.from('half a body')),
      reset(value),
    ),
  ),
  answer('resets the stream after the whole answer', [null], OK, end, reset(0)),
  answer('says goodbye before the answer, and answers', [null], goaway(1, 0), OK, end),
  answer('says goodbye and has not seen the request', EARLY, goaway(0, 0)),
  answer('says goodbye: ENHANCE_YOUR_CALM', EARLY, goaway(0, 11)),
  answer('says goodbye: PROTOCOL_ERROR', BROKEN, goaway(0, 1)),
  answer(
    'says goodbye in the middle of a body',
    ['http_truncated', 'http_body_timeout'],
    OK,
    frame('data', Buffer.from('half a body')),
    goaway(1, 2),
  ),
  answer(
    'takes no streams',
    SILENT,
    frame('settings', Buffer.from('000300000000', 'hex'), CONNECTION),
  ),
]

const FLOODS: readonly HostileHttp2[] = [
  endless('sends settings without end', TOO_LONG, NOTHING, SETTINGS),
  endless(
    'sends full settings without end',
    TOO_LONG,
    NOTHING,
    frame('settings', Buffer.from('00040000ffff'.repeat(30), 'hex'), CONNECTION),
  ),
  endless('acknowledges settings without end', TOO_LONG, NOTHING, SETTINGS_ACK),
  endless('sends pings without end', TOO_LONG, NOTHING, frame('ping', Buffer.alloc(8), CONNECTION)),
  endless(
    'answers pings without end',
    TOO_LONG,
    NOTHING,
    frame('ping', Buffer.alloc(8), { ...CONNECTION, flags: ACK }),
  ),
  endless('sends priorities without end', TOO_LONG, NOTHING, frame('priority', Buffer.alloc(5, 1))),
  endless('sends unknown frames without end', TOO_LONG, NOTHING, frame('unknown')),
  endless('opens its window without end', TOO_LONG, NOTHING, frame('window', code(1), CONNECTION)),
  endless('resets streams without end', TOO_LONG, NOTHING, frame('reset', code(8), { stream: 1 })),
  endless('says goodbye without end', TOO_LONG, NOTHING, goaway(1, 0)),
  endless(
    'sends interim answers without end',
    [...HEADERS, ...TOO_LONG],
    NOTHING,
    headers(status('103')),
  ),
  endless('sends empty data without end', [...TOO_LONG, ...TRUNCATED], OK, frame('data')),
  endless('sends padding without end', TOO_LONG, OK, padded(255)),
  endless('sends a body without end', [null, 'http_body_limit'], OK, frame('data', filled(16_384))),
  endless(
    'sends a body without end, byte by byte',
    ['too_long', 'http_body_timeout'],
    OK,
    frame('data', Buffer.from('x')),
  ),
]

function filled(length: number): Buffer {
  return Buffer.alloc(length, 'x')
}

function padded(length: number): Buffer {
  const payload = Buffer.concat([Buffer.of(length), Buffer.alloc(length)])
  return frame('data', payload, { flags: PADDED })
}

/** Fields of 4 KB that the table keeps, and then one byte for each time that it is meant again. */
function bomb(times: number): Buffer {
  const kept = field('x-bomb', 'b'.repeat(3900), 0x40)
  return Buffer.concat([STATUS_200, kept, Buffer.alloc(times, 0x80 | 62)])
}

const HEADER_BOMBS: readonly HostileHttp2[] = [
  answer('sends headers of 1 MB', [...HEADERS, ...BROKEN], inFrames(bigBlock(1000))),
  answer('sends 20 000 headers', [...HEADERS, ...BROKEN], inFrames(manyFields(20_000))),
  answer('sends headers of 63 MB in 16 KB', HEADERS, inFrames(bomb(16_000))),
  answer('sends headers of 400 MB in 100 KB', HEADERS, inFrames(bomb(100_000))),
  answer('sends 70 KB of headers', HEADERS, inFrames(bigBlock(70))),
  endless(
    'continues its headers without end',
    [...HEADERS, ...TOO_LONG],
    frame('headers', STATUS_200),
    frame('continuation', field('x-more', FILLER)),
  ),
  endless(
    'continues its headers with nothing without end',
    TOO_LONG,
    frame('headers', STATUS_200),
    frame('continuation'),
  ),
  endless(
    'sends trailers of 1 MB without end',
    [...TOO_LONG, ...TRUNCATED, null],
    OK,
    inFrames(bigBlock(1000).subarray(1)),
  ),
]

function bigBlock(fields: number): Buffer {
  return Buffer.concat([STATUS_200, ...Array<Buffer>(fields).fill(field('x-header', FILLER))])
}

function manyFields(fields: number): Buffer {
  return Buffer.concat([STATUS_200, ...Array<Buffer>(fields).fill(field('a', 'b'))])
}

const BROKEN_FRAMES: readonly HostileHttp2[] = [
  answer('sends data before headers', BROKEN_OR_SILENT, frame('data', filled(10))),
  answer('answers another request', BROKEN, frame('headers', STATUS_200, { flags: 5, stream: 3 })),
  answer('announces a frame of 16 MB', BROKEN_OR_SILENT, Buffer.from('ffffff010400000001', 'hex')),
  answer('sends headers that do not decode', BROKEN_OR_SILENT, headers(Buffer.alloc(50, 0xff))),
  answer(
    'refers to a field that nobody has sent',
    BROKEN_OR_SILENT,
    headers(Buffer.of(0x88, 0xfe)),
  ),
  answer(
    'grows the table of headers to 1 GB',
    BROKEN_OR_SILENT,
    headers(integer(2 ** 30, 5, 0x20)),
  ),
  answer('sends no status', BROKEN, headers(field('content-type', 'text/html'))),
  answer('sends two statuses', BROKEN, headers(Buffer.concat([STATUS_200, STATUS_200]))),
  answer('sends a status that is no number', BROKEN, headers(status('abc'))),
  answer('sends a status of nine digits', BROKEN, headers(status('200000000'))),
  answer('switches to another protocol (101)', [...BROKEN, ...SILENT], headers(status('101'))),
  answer(
    'sends a name in capitals',
    BROKEN,
    headers(Buffer.concat([STATUS_200, field('X-Capital', 'a')])),
  ),
  answer(
    'sends zero bytes in a header',
    [...BROKEN, ...STALLED],
    headers(Buffer.concat([STATUS_200, field('x-zero', 'a\0b')])),
  ),
  answer(
    'sends headers of a connection',
    BROKEN,
    headers(Buffer.concat([STATUS_200, field('transfer-encoding', 'chunked')])),
  ),
  answer('pushes what nobody has asked for', BROKEN, frame('push', Buffer.of(0, 0, 0, 2, 0x82))),
  answer('sets a window of 4 GB', BROKEN, settings(4, 0xffffffff)),
  answer('sets frames of 1 byte', BROKEN, settings(5, 1)),
  answer(
    'overflows its window',
    BROKEN,
    ...Array<Buffer>(3).fill(frame('window', code(2 ** 31 - 1))),
  ),
  answer('announces more than it sends', TRUNCATED, sized(100), frame('data', filled(9)), end),
  answer(
    'sends more than it announces',
    [...TRUNCATED, ...BROKEN],
    sized(3),
    frame('data', filled(90), { flags: END_STREAM }),
  ),
  answer(
    'sends a ping of one byte behind its answer',
    [null, ...BROKEN],
    OK,
    end,
    frame('ping', Buffer.of(0), CONNECTION),
  ),
  // Node ends a session at the first, and nghttp2 before 1.68.1 fails an assertion at the second (CVE-2026-27135).
  answer(
    'says goodbye with an error, and sends a ping of one byte',
    BROKEN,
    frame('goaway', Buffer.of(0, 0, 0, 0, 0, 0, 0, 1), CONNECTION),
    frame('ping', Buffer.of(0), CONNECTION),
  ),
  answer(
    'sends an alternative of no service, and a window of eight bytes',
    BROKEN,
    frame('altsvc', Buffer.alloc(12), CONNECTION),
    frame('window', Buffer.alloc(8), CONNECTION),
  ),
  answer('sends headers in the middle of a body', BROKEN, OK, frame('data', filled(9)), OK),
  acting('answers in HTTP/1.1', BROKEN, (peer) =>
    peer.say('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'),
  ),
]

function settings(id: number, value: number): Buffer {
  return frame('settings', Buffer.concat([Buffer.of(0, id), code(value)]), CONNECTION)
}

function sized(length: number): Buffer {
  return headers(Buffer.concat([STATUS_200, field('content-length', String(length))]))
}

const REDIRECTS: readonly HostileHttp2[] = [
  answer('redirects to itself', ['http_redirect_loop'], redirect('/'), end),
  answer('redirects to a file', ['http_redirect_invalid'], redirect('file:///etc/passwd'), end),
  answer('redirects with a body without end', ['http_redirect_loop'], redirect('/')),
]

function redirect(place: string): Buffer {
  return headers(Buffer.concat([status('302'), field('location', place)]))
}

export const HTTP2: readonly HostileHttp2[] = [
  ...CUT_OFF,
  ...REFUSALS,
  ...FLOODS,
  ...HEADER_BOMBS,
  ...BROKEN_FRAMES,
  ...REDIRECTS,
]
