/**
 * The client as a hostile server sees it. Every wait ends when the client goes away.
 *
 * @module
 */

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createSecureContext, TLSSocket } from 'node:tls'
import { systemClock } from '../../../src/clock.ts'
import { certificates } from '../certificates.ts'

const HEARD_LIMIT = 1024 * 1024
const DRIP_MS = 50
const FLOOD_BYTES = 16_384

export interface Peer {
  /** Resolves when the bytes are handed to the system. Text goes out as latin1. */
  say(data: string | Uint8Array): Promise<void>
  /** Waits for this in what the client says, and takes everything up to its end. */
  hear(pattern: RegExp): Promise<string>
  /** Waits for so many bytes. */
  hearBytes(count: number): Promise<Buffer>
  /** One byte at a time. */
  drip(data: string | Uint8Array, everyMs?: number): Promise<void>
  /** The same again and again, as fast as the client takes it. */
  flood(data: string | Uint8Array): Promise<never>
  pause(ms: number): Promise<void>
  /** Reads no more, so that the client's buffers fill up. */
  deafen(): void
  /** Sends what is left, then FIN. */
  close(): void
  /** RST. */
  reset(): void
  /** The server's side of a TLS handshake with the good certificate; the peer behind it. */
  secure(options?: {
    readonly minVersion?: 'TLSv1'
    readonly maxVersion?: 'TLSv1.1'
  }): Promise<Peer>
  /** Destroys the socket. */
  vanish(): void
}

const GONE = Symbol('the client has gone')

export function isGone(error: unknown): boolean {
  return error === GONE
}

/** `raw` is the TCP socket beneath a TLS one. */
export function peerOf(socket: Socket, raw: Socket = socket): Peer {
  const gone = new AbortController()
  const heard = listenTo(socket, gone)
  const say = (data: string | Uint8Array): Promise<void> => sayOn(socket, bytesOf(data))
  const pause = async (ms: number): Promise<void> => {
    await systemClock.sleep(ms, gone.signal)
    if (gone.signal.aborted) throw GONE
  }
  return {
    say,
    pause,
    hear: async (pattern) => (await heard.take(pattern)).toString('latin1'),
    hearBytes: (count) => heard.take(count),
    async drip(data, everyMs = DRIP_MS) {
      for (const byte of bytesOf(data)) {
        await say(Uint8Array.of(byte))
        await pause(everyMs)
      }
    },
    async flood(data) {
      const once = bytesOf(data)
      const chunk = Buffer.concat(
        Array<Uint8Array>(Math.ceil(FLOOD_BYTES / once.length)).fill(once),
      )
      for (;;) {
        await say(chunk)
        // The client shares our loop: what is to be seen is how it stands this, not how we keep it waiting.
        await setImmediate()
      }
    },
    deafen: () => void socket.pause(),
    close: () => void socket.end(),
    reset: () => void raw.resetAndDestroy(),
    async secure(options = {}) {
      heard.stop()
      return secured(raw, { ...options, left: heard.rest() })
    },
    vanish: () => {
      socket.destroy()
      raw.destroy()
    },
  }
}

interface Heard {
  take(wanted: RegExp | number): Promise<Buffer>
  rest(): Buffer
  stop(): void
}

function listenTo(socket: Socket, gone: AbortController): Heard {
  let buffer = Buffer.alloc(0)
  let wake: (() => void) | undefined
  const onData = (chunk: Buffer): void => {
    buffer = Buffer.concat([buffer, chunk]).subarray(-HEARD_LIMIT)
    wake?.()
  }
  socket.on('data', onData)
  socket.on('error', () => {})
  socket.once('close', () => {
    gone.abort(GONE)
    wake?.()
  })
  // What is said at the end of a stream was the last of it.
  socket.once('end', () => wake?.())

  const found = (wanted: RegExp | number): number => {
    if (typeof wanted === 'number') return buffer.length >= wanted ? wanted : -1
    const match = wanted.exec(buffer.toString('latin1'))
    return match === null ? -1 : match.index + match[0].length
  }
  return {
    async take(wanted) {
      let end = found(wanted)
      while (end < 0) {
        if (gone.signal.aborted || socket.readableEnded) throw GONE
        await new Promise<void>((resolve) => (wake = resolve))
        end = found(wanted)
      }
      const taken = buffer.subarray(0, end)
      buffer = buffer.subarray(end)
      return taken
    },
    rest: () => buffer,
    stop: () => void socket.off('data', onData),
  }
}

function sayOn(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed || socket.writableEnded) {
      reject(GONE)
      return
    }
    const onClose = (): void => reject(GONE)
    socket.once('close', onClose)
    socket.write(bytes, (error) => {
      socket.off('close', onClose)
      if (error) reject(GONE)
      else resolve()
    })
  })
}

interface SecureOptions {
  readonly left: Buffer
  readonly minVersion?: 'TLSv1'
  readonly maxVersion?: 'TLSv1.1'
}

async function secured(raw: Socket, { left, ...versions }: SecureOptions): Promise<Peer> {
  const { chain, key } = certificates().good
  const context = { cert: chain, key, ciphers: 'ALL:@SECLEVEL=0', ...versions }
  raw.pause()
  if (left.length > 0) raw.unshift(left)
  const socket = new TLSSocket(raw, {
    isServer: true,
    secureContext: createSecureContext(context),
  })
  const peer = peerOf(socket, raw)
  const failed = new Promise<never>((_, reject) => socket.once('close', () => reject(GONE)))
  await Promise.race([once(socket, 'secure').catch(() => Promise.reject(GONE)), failed])
  return peer
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'latin1') : data
}
