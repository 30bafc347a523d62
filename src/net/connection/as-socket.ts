/**
 * A connection in the hands of a library that wants a socket: it gets a stream that looks like one.
 *
 * What such libraries do to a socket at their end (destroy it, take all listeners off) happens to the
 * stream alone. The connection stays ours: guarded, bounded, and closed with the check.
 *
 * @module
 */

import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { CheckFailure } from '../failure.ts'
import type { Connection } from '../net.ts'

const CHUNK_BYTES = 16 * 1024

export interface AsSocketOptions {
  /** Heard by the library before anything the server says: a greeting that was read already. */
  readonly first?: string
  /** Most bytes that the library may hear; beyond it `too_long`. Default 32 KiB. */
  readonly max?: number
}

/**
 * Runs `work` with a stream on the connection, which must not be read from meanwhile. Where the
 * connection breaks, that is thrown and not what the library makes of it.
 */
export async function asSocket<T>(
  connection: Connection,
  { first = '', max = 32 * 1024 }: AsSocketOptions,
  work: (stream: Socket) => Promise<T>,
): Promise<T> {
  let broken: unknown
  let left = max
  let greeting = first

  async function pump(): Promise<void> {
    try {
      const bytes = await connection.readUntil(() => true, { max: CHUNK_BYTES })
      left -= bytes.length
      if (left < 0) throw new CheckFailure('too_long', `The server said more than ${max} bytes`)
      stream.push(bytes)
    } catch (error) {
      // Libraries write their own codes on errors that pass through them, so they get another one.
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

/** What libraries ask of a socket besides being a stream. Time limits are the check's, not theirs. */
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
  // An error after the library has let go of the stream is nobody's.
  stream.on('error', () => undefined)
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- a likeness is the point
  return stream as Socket
}
