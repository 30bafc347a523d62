/**
 * Records of TLS that no library sends on request: they are written on the socket below it, with the keys of its
 * handshake (RFC 8446, 7).
 *
 * @module
 */

import { createCipheriv, createHmac } from 'node:crypto'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { certificates } from '../certificates.ts'

export interface Content {
  readonly type: 'handshake' | 'application'
  readonly bytes: Uint8Array
}

/** What fits into one record of NewSessionTicket (4.6.1): a second of life, one byte of ticket each. */
export const TICKETS: readonly Content[] = [
  {
    type: 'handshake',
    bytes: Buffer.concat(
      Array<Buffer>(800).fill(Buffer.from('0400000e0000000100000001000001070000', 'hex')),
    ),
  },
]

/** New keys for this side, and a request for new ones of the other (4.6.3). */
export const KEY_UPDATES: readonly Content[] = Array<Content>(500).fill({
  type: 'handshake',
  bytes: Buffer.of(24, 0, 0, 1, 1),
})

/** `text` byte by byte. */
export function singly(text: string): readonly Content[] {
  return Array.from(text, (letter) => ({ type: 'application', bytes: Buffer.from(letter) }))
}

/** Completes handshakes of TLS 1.3, then sends these records, once or as long as the client takes them. */
export function recordServer(
  records: readonly Content[],
  { endless }: { endless: boolean },
): Server {
  return createServer((raw) => {
    raw.on('error', () => undefined)
    let secret = Buffer.alloc(0)
    const tls = new TLSSocket(over(raw), {
      isServer: true,
      ...{ key: certificates().good.key, cert: certificates().good.chain },
      ...{ minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' },
    })
    tls.on('error', () => undefined).resume()
    tls.on('keylog', (line: Buffer) => {
      const [label, , hex = ''] = line.toString().trim().split(' ')
      if (label === 'SERVER_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex')
    })
    tls.once('secure', () => {
      // The tickets that OpenSSL sends itself are written by then.
      setImmediate(() => {
        const seal = sealing(secret, SENT_BY_OPENSSL)
        const send = (): void => {
          if (raw.destroyed) return
          raw.write(Buffer.concat(records.map(seal)), () => {
            if (endless) setImmediate(send)
          })
        }
        send()
      })
    })
  })
}

/** Records behind the handshake: two tickets. */
const SENT_BY_OPENSSL = 2

/** What the library writes goes to the socket, which still takes records of others. */
function over(raw: Socket): Duplex {
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => void raw.write(chunk, () => done()),
  })
  raw.on('data', (bytes) => stream.push(bytes)).on('close', () => stream.destroy())
  return stream
}

const TYPES = { handshake: 22, application: 23 } as const

/** Encrypts records with AES-128-GCM, the first one as number `from` (5.2, 5.3). */
function sealing(secret: Buffer, from: number): (content: Content) => Buffer {
  let [traffic, at] = [secret, from]
  let { key, iv } = keysOf(traffic)
  return ({ type, bytes }) => {
    const inner = Buffer.concat([bytes, Buffer.of(TYPES[type])])
    const header = Buffer.of(23, 3, 3, (inner.length + 16) >> 8, (inner.length + 16) & 255)
    const nonce = Buffer.from(iv)
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ at) >>> 0, 8)
    at += 1
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header)
    const sealed = [header, cipher.update(inner), cipher.final(), cipher.getAuthTag()]
    if (type === 'handshake' && bytes[0] === 24) {
      traffic = expand(traffic, 'traffic upd', 32)
      ;({ key, iv } = keysOf(traffic))
      at = 0
    }
    return Buffer.concat(sealed)
  }
}

function keysOf(secret: Buffer): { readonly key: Buffer; readonly iv: Buffer } {
  return { key: expand(secret, 'key', 16), iv: expand(secret, 'iv', 12) }
}

/** HKDF-Expand-Label of one block (7.1). */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.of(0, length, name.length), name, Buffer.of(0, 1)])
  return createHmac('sha256', secret).update(info).digest().subarray(0, length)
}

/** Begins a new handshake of TLS 1.2 as soon as one is complete. */
export function renegotiatingServer(): Server {
  const { key, chain: cert } = certificates().good
  return createTlsServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
    const again = (): void => {
      if (!socket.destroyed) socket.renegotiate({}, () => undefined)
    }
    socket.on('error', () => undefined).on('secure', () => setImmediate(again))
    socket.resume()
    again()
  })
}
