/**
 * Adapts a connection to the socket interface that client libraries expect.
 *
 * Libraries destroy the socket and remove all its listeners when they finish. Here that affects
 * only the adapter stream: the connection itself stays guarded, bounded, and is closed with the
 * check.
 *
 * @module
 */

import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { CheckFailure } from '../failure.ts'
import type { Connection } from '../net.ts'

/** Passed on in one turn of the event loop: the peers of many connections may all answer at the same moment. */
const CHUNK_BYTES = 4096

export interface AsSocketOptions {
  /** Yields to the event loop between chunks that arrived together. */
  readonly rest: () => Promise<void>
  /** Passes bytes on in turns that many connections share. Default: at once. */
  readonly inTurns?: ((steps: Generator<void, void>) => Promise<void>) | undefined
  /**
   * Text that the library reads before the server's bytes: a greeting that was already consumed.
   */
  readonly first?: string
  /**
   * Maximum bytes that the library may read; beyond it the read fails with `too_long`. Default 32
   * KiB.
   */
  readonly max?: number
}

/**
 * Runs `work` with a stream on the connection; do not read from the connection meanwhile. If the
 * connection fails, throws that failure instead of the library's error.
 */
export async function asSocket<T>(
  connection: Connection,
  { rest, inTurns, first = '', max = 32 * 1024 }: AsSocketOptions,
  work: (stream: Socket) => Promise<T>,
): Promise<T> {
  let broken: unknown
  let left = max
  let greeting = first
  let more = false

  async function pump(): Promise<void> {
    try {
      if (more) await rest()
      const bytes = await connection.readUntil(() => true, { max: CHUNK_BYTES })
      more = bytes.length === CHUNK_BYTES
      left -= bytes.length
      if (left < 0) throw new CheckFailure('too_long', `The server said more than ${max} bytes`)
      if (inTurns === undefined) stream.push(bytes)
      else await inTurns(pushing(stream, bytes))
    } catch (error) {
      // Libraries overwrite the code of errors that pass through them, so they get a separate error
      // object.
      broken ??= error
      stream.destroy(new Error('The connection broke', { cause: error }))
    }
  }

  const stream = socketLike(
    new Duplex({
      read() {
        if (greeting === '') return void pump()
        this.push(greeting, 'latin1')
        greeting = ''
      },
      write(chunk: Buffer, _encoding, done) {
        connection.write(chunk).then(() => done(), done)
      },
    }),
    connection,
  )
  try {
    return await work(stream)
  } catch (error) {
    throw broken ?? error
  } finally {
    stream.destroy()
  }
}

/** One step: the library reads it meanwhile. */
function* pushing(stream: Duplex, bytes: Buffer): Generator<void, void> {
  stream.push(bytes)
}

/**
 * The socket methods that libraries call besides those of a stream. Timeouts are no-ops: the check
 * has its own deadline.
 */
function socketLike(stream: Duplex, { remote, tls }: Connection): Socket {
  const same = (): Duplex => stream
  Object.assign(stream, {
    setTimeout: same,
    setKeepAlive: same,
    setNoDelay: same,
    ref: same,
    unref: same,
    remoteAddress: remote.address,
    remotePort: remote.port,
    ...(tls === null ? {} : { encrypted: true, authorized: tls.authorized }),
  })
  // Ignores errors after the library has released the stream.
  stream.on('error', () => undefined)
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- imitates a socket
  return stream as Socket
}
