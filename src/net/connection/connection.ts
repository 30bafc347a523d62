/**
 * A stream socket with bounded reads. The socket is read on demand: TCP flow control stops a peer
 * that sends without end, and memory stays bounded.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { Clock } from '../../clock.ts'
import { hostPort } from './endpoint.ts'
import { toFailure } from '../explain.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection, ConnectOptions, ReadOptions, TlsOptions } from '../net.ts'
import { waitFor } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'

/** Default of `ReadOptions.max`. */
const READ_LIMIT_BYTES = 4096

/** Short pieces, such as records of TLS with one byte each, of which Node passes on 22,000 in one turn. */
const SHORT_BYTES = 16
const TURN_PIECES = 64

const LF = 0x0a
const CR = 0x0d

export interface ConnectionParts extends Pick<
  Connection,
  'socket' | 'remote' | 'attempts' | 'tls'
> {
  /** For error texts. */
  readonly target: Pick<ConnectOptions, 'host' | 'port'>
  readonly signal: StopSignal
  readonly clock: Pick<Clock, 'timer'>
  /** Runs the TLS handshake over this socket and returns the secured connection. */
  readonly secure: (options: TlsOptions) => Promise<Connection>
}

export function createConnection(parts: ConnectionParts): Connection {
  const { socket, remote, attempts, tls, target, signal, clock } = parts
  const inbox = createInbox()
  let broken: Error | undefined
  let secured: Connection | undefined
  let pieces = 0
  const name = (): string => hostPort(target.host, target.port)
  socket.on('error', (error: Error) => (broken ??= error))

  /** Waits for bytes; `false` at the end of the stream. */
  async function fill(): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted()
      // Without a length, Node 26 returns what one packet brought, earlier versions all of it.
      const chunk = socket.read(socket.readableLength || undefined) as Buffer | null
      if (chunk !== null) {
        inbox.push(chunk)
        if (chunk.length < SHORT_BYTES && ++pieces % TURN_PIECES === 0)
          await nextTurn(clock, signal)
        return true
      }
      if (socket.readableEnded) return false
      if (broken !== undefined) throw lost(broken, name())
      if (socket.destroyed) throw closedEarly(name())
      await changed(socket, signal)
    }
  }

  async function readLine({
    max = READ_LIMIT_BYTES,
    plausible,
  }: ReadOptions = {}): Promise<string> {
    for (let searched = 0; ;) {
      const end = inbox.indexOf(LF, searched)
      if (end > max || (end < 0 && inbox.size() > max)) throw tooLong(name(), max)
      if (end >= 0) {
        const line = inbox.take(end + 1)
        return line.toString('latin1', 0, line[end - 1] === CR ? end - 1 : end)
      }
      searched = inbox.size()
      const strange = plausible !== undefined && searched > 0
      if (strange && !plausible(inbox.peek(max).toString('latin1'))) throw otherProtocol(name())
      if (!(await fill())) throw closedEarly(name())
    }
  }

  async function readUntil(
    enough: (gathered: Buffer) => boolean,
    { max = READ_LIMIT_BYTES, orEnd = false }: ReadOptions = {},
  ): Promise<Buffer> {
    for (;;) {
      const { length } = inbox.peek(max)
      if (length > 0 && enough(inbox.peek(max))) return inbox.take(length)
      if (length >= max) throw tooLong(name(), max)
      if (await fill()) continue
      if (orEnd) return inbox.take(length)
      throw closedEarly(name())
    }
  }

  return {
    socket,
    remote,
    attempts,
    tls,
    readLine,
    readUntil,
    buffered: () => inbox.size() + socket.readableLength,
    write: (data) =>
      waitFor<void>(signal, ({ resolve, reject }) => {
        socket.write(data, (cause) => {
          if (cause === undefined || cause === null) return resolve()
          reject(new CheckFailure('send_failed', `${name()} did not take the data`, { cause }))
        })
        return () => undefined
      }),
    async upgrade(options = {}) {
      if (inbox.size() + socket.readableLength === 0) return (secured = await parts.secure(options))
      socket.destroy()
      const text = `${name()} sent data in clear between its consent to TLS and the handshake`
      throw new CheckFailure('protocol_error', text, { phase: 'starttls' })
    },
    end() {
      if (secured !== undefined) return secured.end()
      return waitFor<void>(signal, ({ resolve }) => {
        const gone = (): void => resolve()
        socket.once('close', gone).end(gone)
        return () => void socket.off('close', gone)
      })
    },
    close() {
      if (secured === undefined) socket.destroy()
      else secured.close()
    },
  }
}

/** What arrives until then waits in the socket, which stops reading. */
function nextTurn(clock: Pick<Clock, 'timer'>, signal: StopSignal): Promise<void> {
  return waitFor<void>(signal, ({ resolve }) => {
    const timer = clock.timer(0, () => resolve())
    return () => timer.cancel()
  })
}

/** Resolves when there are new bytes, an end or an error to examine. */
function changed(socket: Socket, signal: StopSignal): Promise<void> {
  const events = ['readable', 'end', 'error', 'close'] as const
  return waitFor<void>(signal, ({ resolve }) => {
    const look = (): void => resolve()
    for (const event of events) socket.on(event, look)
    return () => {
      for (const event of events) socket.off(event, look)
    }
  })
}

function closedEarly(name: string, cause?: unknown): CheckFailure {
  const how = cause === undefined ? 'closed' : 'reset'
  return new CheckFailure('closed_early', `${name} ${how} the connection too early`, { cause })
}

/**
 * A reset during an exchange counts as an end of the stream; any other error here comes from TLS.
 */
function lost(error: Error, name: string): CheckFailure {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' || code === 'EPIPE'
    ? closedEarly(name, error)
    : toFailure(error, { phase: null, target: name })
}

function otherProtocol(name: string): CheckFailure {
  return new CheckFailure('protocol_error', `${name} does not speak the protocol`)
}

function tooLong(name: string, max: number): CheckFailure {
  return new CheckFailure('too_long', `${name} sent more than ${max} bytes where less is expected`)
}

/** Shared empty buffer: many connections are never read from. */
const NOTHING = Buffer.alloc(0)

interface Inbox {
  /** Number of buffered bytes. */
  size(): number
  push(bytes: Uint8Array): void
  indexOf(byte: number, from: number): number
  /** The first bytes without removing them, at most `max`; valid until the next call. */
  peek(max: number): Buffer
  /** Removes and returns a copy of the first `count` bytes. */
  take(count: number): Buffer
}

function createInbox(): Inbox {
  let room = NOTHING
  /** Offset of the first byte: moving the rest up after every line would cost quadratic time. */
  let start = 0
  let length = 0
  return {
    size: () => length,
    push(bytes) {
      const needed = length + bytes.length
      if (start + needed > room.length) {
        // If half of the buffer is free, moving the bytes up frees as much as it copies.
        const roomy = 2 * needed <= room.length ? room : Buffer.alloc(Math.max(256, 2 * needed))
        room.copy(roomy, 0, start, start + length)
        room = roomy
        start = 0
      }
      room.set(bytes, start + length)
      length = needed
    },
    indexOf(byte, from) {
      return room.subarray(start, start + length).indexOf(byte, from)
    },
    peek(max) {
      return room.subarray(start, start + Math.min(length, max))
    },
    take(count) {
      const taken = Buffer.from(room.subarray(start, start + Math.min(count, length)))
      start += taken.length
      length -= taken.length
      return taken
    },
  }
}
