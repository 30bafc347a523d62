/**
 * A driver's socket that is none: whole messages go back and forth between the driver and a wire of
 * ours, which has looked at each of them. Whatever the server sends, the driver can neither bring the
 * process down with it nor hold on to the connection.
 *
 * @module
 */

import { Duplex } from 'node:stream'
import { CheckFailure } from '../../net/failure.ts'

/** One protocol, at the level of whole messages. */
export interface Wire {
  /** The next message of the server. */
  receive(): Promise<Buffer>
  /** What the driver wrote. */
  send(bytes: Buffer): Promise<void>
  close(): void
}

export interface DriverStream {
  /** For the driver: writable, readable, and with the methods of a socket that drivers call. */
  readonly socket: Duplex
  /** Ends the stream. The first reason given is what {@link settle} rejects with. */
  fail(reason: unknown): void
  /** The outcome of the driver's work, or what ended the stream where that comes first. */
  settle<T>(work: Promise<T>): Promise<T>
  /** Resolves when all that was written is handed to the system, or cannot be. */
  finish(): Promise<void>
}

export function driverStream(wire: Wire): DriverStream {
  let reject: (reason: unknown) => void = () => undefined
  const failed = new Promise<never>((_, rejectWith) => (reject = rejectWith))
  failed.catch(() => undefined)

  function fail(reason: unknown): void {
    reject(reason)
    // Not the reason itself: drivers write on the errors that pass through them.
    stream.destroy(new Error('The connection has ended'))
  }

  const stream = new Duplex({
    read() {
      wire.receive().then((message) => void stream.push(message), fail)
    },
    write(bytes: Buffer, _encoding, done) {
      wire.send(bytes).then(() => done(), fail)
    },
    destroy(error, done) {
      wire.close()
      done(error)
    },
  })
  stream.once('finish', () => stream.destroy())
  stream.on('error', () => undefined)
  catchIn(stream, (cause) => {
    const text = 'The server sent what the driver cannot read'
    fail(new CheckFailure('protocol_error', text, { cause }))
  })
  return {
    socket: socketLike(stream),
    fail,
    settle(work) {
      work.catch(() => undefined)
      return Promise.race([work, failed])
    },
    finish: () =>
      new Promise((resolve) => {
        if (stream.destroyed) return resolve()
        stream.once('close', resolve)
        stream.end()
      }),
  }
}

/** Drivers parse in their listeners; what is thrown there would be nobody's and end the process. */
function catchIn(stream: Duplex, onThrown: (error: unknown) => void): void {
  const emit = stream.emit.bind(stream)
  stream.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    try {
      return emit(event, ...args)
    } catch (error) {
      onThrown(error)
      return true
    }
  }
}

function socketLike(stream: Duplex): Duplex {
  const same = (): Duplex => stream
  return Object.assign(stream, {
    // It is connected already; where to is not the driver's to say.
    connect() {
      queueMicrotask(() => stream.emit('connect'))
      return stream
    },
    setNoDelay: same,
    setKeepAlive: same,
    setTimeout: same,
    ref: same,
    unref: same,
  })
}
