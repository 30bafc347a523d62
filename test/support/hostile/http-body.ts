/**
 * Misbehaviour of web servers in the body of an answer: lengths, chunks, encodings.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { cutOff, hostile, hostileBehindTls } from './any.ts'
import { answer, endless, request } from './http.ts'
import type { HostileServer } from './rig.ts'
import { listen } from './rig.ts'

const protocol = 'http'
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const MIB = 1024 * 1024

const STALLED: HostileServer['expect'] = ['http_body_timeout']

/** A body in an encoding, with the right length on the wire. */
function encoded(encoding: string, body: Uint8Array): Buffer {
  const head = `${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** The same, made when the server first starts: bombs take a while. */
function encodedLater(does: string, encoding: string, make: () => Uint8Array): HostileServer {
  let bytes: Buffer | undefined
  return {
    name: `${protocol}: ${does}`,
    protocol,
    start: () => {
      const ready = (bytes ??= encoded(encoding, make()))
      return listen(async (peer) => {
        await request(peer)
        await peer.say(ready)
      })
    },
  }
}

const zeros = (mebibytes: number): Uint8Array => new Uint8Array(mebibytes * MIB)

const brotliBomb = (): Buffer =>
  brotliCompressSync(zeros(64), { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })

function nested(layers: number): Buffer {
  let body = gzipSync(zeros(16))
  for (let i = 1; i < layers; i++) body = gzipSync(body)
  return body
}

const CUT_OFF: readonly HostileServer[] = [
  ...cutOff(protocol, 'in the middle of a body of known length', async (peer) => {
    await request(peer)
    await peer.say(`${OK}Content-Length: 1000\r\n\r\nonly this`)
  }),
  ...cutOff(protocol, 'in the middle of a chunk', async (peer) => {
    await request(peer)
    await peer.say(`${CHUNKED}ff\r\nonly this`)
  }),
  ...cutOff(protocol, 'between two chunks', async (peer) => {
    await request(peer)
    await peer.say(`${CHUNKED}2\r\nhi\r\n`)
  }),
  hostile({
    protocol,
    does: 'goes silent in the body',
    expect: STALLED,
    async script(peer) {
      await request(peer)
      await peer.say(`${OK}Content-Length: 1000\r\n\r\nonly this`)
    },
  }),
  hostile({
    protocol,
    does: 'drips its body',
    expect: STALLED,
    async script(peer) {
      await request(peer)
      await peer.say(`${OK}Content-Length: 1000000\r\n\r\n`)
      await peer.drip('b'.repeat(1_000_000))
    },
  }),
  hostileBehindTls({
    protocol,
    does: 'closes without a TLS goodbye in the middle of the body',
    ends: 'closes',
    async script(peer) {
      await request(peer)
      await peer.say(`${OK}Content-Length: 1000\r\n\r\nonly this`)
      peer.vanish()
    },
  }),
]

const LENGTHS: readonly HostileServer[] = [
  answer('promises more than it sends', `${OK}Content-Length: 99\r\n\r\nhi`, STALLED),
  answer('sends more than it promised', `${OK}Content-Length: 2\r\n\r\nhi there, and more`),
  answer('gives two lengths', `${OK}Content-Length: 2\r\nContent-Length: 9\r\n\r\nhi there!`),
  answer('gives a negative length', `${OK}Content-Length: -1\r\n\r\nhi`),
  answer('gives a length that is no number', `${OK}Content-Length: two\r\n\r\nhi`),
  answer('gives a length of 20 digits', `${OK}Content-Length: ${'9'.repeat(20)}\r\n\r\nhi`),
  answer('gives a length of 9 PB', `${OK}Content-Length: 9007199254740991\r\n\r\nhi`, STALLED),
  answer(
    'gives a length and chunks',
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  ),
  answer('has a body with 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nhi'),
  answer('has a body with 304', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nhi'),
  endless('sends a body without end', `${OK}\r\n`, 'b'.repeat(16_384)),
]

const CHUNKS: readonly HostileServer[] = [
  endless('sends chunks without end', CHUNKED, `4000\r\n${'c'.repeat(16_384)}\r\n`),
  endless('sends chunks of one byte without end', CHUNKED, '1\r\nc\r\n'.repeat(1000)),
  answer('sends no last chunk', `${CHUNKED}2\r\nhi\r\n`, STALLED),
  answer('gives a chunk size that is no number', `${CHUNKED}zz\r\nhi\r\n`),
  answer('gives a negative chunk size', `${CHUNKED}-2\r\nhi\r\n`),
  answer('gives a chunk size of 16 EB', `${CHUNKED}ffffffffffffffff\r\nhi\r\n`),
  answer('gives a chunk size of 40 digits', `${CHUNKED}${'f'.repeat(40)}\r\nhi\r\n`),
  answer('sends a chunk that is longer than its size', `${CHUNKED}2\r\nhi there\r\n0\r\n\r\n`),
  endless('extends its chunk size without end', `${CHUNKED}2;`, 'e'.repeat(16_384)),
  endless('sends trailers without end', `${CHUNKED}0\r\n`, `X-T: ${'t'.repeat(1000)}\r\n`),
  answer('encodes its transfer in a way nobody knows', `${OK}Transfer-Encoding: rot13\r\n\r\nuv`),
]

const ENCODINGS: readonly HostileServer[] = [
  encodedLater('sends a gzip bomb (128 MiB in 130 KB)', 'gzip', () => gzipSync(zeros(128))),
  encodedLater('sends a gzip bomb in 8 layers', 'gzip'.concat(', gzip'.repeat(7)), () => nested(8)),
  encodedLater('sends a brotli bomb', 'br', brotliBomb),
  encodedLater('sends a deflate bomb', 'deflate', () => deflateSync(zeros(64))),
  answer('calls plain text gzip', encoded('gzip', Buffer.from('<html>hi</html>'))),
  answer('calls random bytes brotli', encoded('br', randomBytes(1000))),
  answer('calls gzip deflate', encoded('deflate', gzipSync('hi'))),
  answer('sends half of a gzip stream', encoded('gzip', gzipSync('h'.repeat(1e5)).subarray(0, 60))),
  answer(
    'sends rubbish behind a gzip stream',
    encoded('gzip', Buffer.concat([gzipSync('hi'), randomBytes(50)])),
  ),
  answer('sends an empty gzip stream', encoded('gzip', new Uint8Array())),
  answer('encodes in a way nobody knows', encoded('x-own, rot13', Buffer.from('uv'))),
  answer('names 1000 encodings', encoded('gzip, '.repeat(999) + 'gzip', gzipSync('hi'))),
  answer(
    'names a charset nobody knows',
    `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x-\xff\r\nContent-Length: 2\r\n\r\nhi`,
  ),
]

export const HTTP_BODY: readonly HostileServer[] = [...CUT_OFF, ...LENGTHS, ...CHUNKS, ...ENCODINGS]
