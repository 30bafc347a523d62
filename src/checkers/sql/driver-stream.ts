/**
 * A stream in place of the driver's socket: whole messages pass between the driver and a wire,
 * which validates each. The server can neither crash the process through the driver nor make it
 * keep the connection.
 *
 * @module
 */

import { Duplex } from 'node:stream'
import { CheckFailure } from '../../net/failure.ts'
import type { CheckContext } from '../checker.ts'

/** One protocol, in units of whole messages. */
export interface Wire {
  /** The next message of the server. */
  receive(): Promise<Buffer>
  /** Processes what the driver wrote. */
  send(bytes: Buffer): Promise<void>
  close(): void
}

export interface DriverStream {
  /** For the driver: a duplex stream with the socket methods that drivers call. */
  readonly socket: Duplex
  /** Ends the stream. {@link settle} rejects with the first reason. */
  fail(reason: unknown): void
  /** The result of the driver's work, or the reason of the stream's end if that comes first. */
  settle<T>(work: Promise<T>): Promise<T>
  /** Resolves when all written data is passed to the operating system, or cannot be. */
  finish(): Promise<void>
}

/** The driver parses each message in a turn that all checks share: thousands may have arrived together. */
export function driverStream(wire: Wire, { inTurns }: Pick<CheckContext, 'inTurns'>): DriverStream {
  let reject: (reason: unknown) => void = () => undefined
  const failed = new Promise<never>((_, rejectWith) => (reject = rejectWith))
  failed.catch(() => undefined)

  function fail(reason: unknown): void {
    reject(reason)
    // A separate error object: drivers modify the errors that pass through them.
    stream.destroy(new Error('The connection has ended'))
  }

  async function receive(): Promise<void> {
    await inTurns(passOn(stream, await wire.receive()))
  }

  const stream = new Duplex({
    read() {
      receive().catch(fail)
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

function* passOn(stream: Duplex, message: Buffer): Generator<void, void> {
  stream.push(message)
}

/** Drivers parse in event listeners; an error thrown there would end the process. */
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
    // Already connected; the driver does not choose the address.
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
