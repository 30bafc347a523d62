/**
 * One query over TCP (RFC 7766) or TLS (RFC 7858), each message prefixed with its length.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection } from '../net.ts'
import { waitFor } from '../timing/wait.ts'
import { noAnswer } from './udp.ts'
import type { StopSignal } from '../timing/stop.ts'

const LENGTH_BYTES = 2
const MAX_FRAME_BYTES = LENGTH_BYTES + 0xffff

export interface StreamExchange<T> {
  readonly connect: () => Promise<Connection>
  /** `host:port` for error texts. */
  readonly server: string
  readonly message: Uint8Array
  /** Reads a message; `undefined` for one that is not the answer. */
  readonly read: (message: Buffer) => T | undefined
  readonly patience_ms: number
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
  /** Starts timing after the connection is established; the returned function stops it. */
  readonly timed: () => () => void
}

/**
 * @throws CheckFailure `dns_timeout`, `dns_malformed`, `connect_…`, `tls_…`, `closed_early`; the
 * signal's reason
 */
export function exchangeStream<T>(options: StreamExchange<T>): Promise<T> {
  const { clock, patience_ms, server } = options
  return waitFor<T>(options.signal, ({ resolve, reject }) => {
    let connection: Connection | undefined
    let over = false
    const timer = clock.timer(patience_ms, () => reject(noAnswer(server)))
    const ask = async (): Promise<T> => {
      const opened = await options.connect()
      connection = opened
      if (over) opened.close()
      const timed = options.timed()
      return converse(opened, options).finally(timed)
    }
    ask().then(resolve, reject)
    return () => {
      over = true
      timer.cancel()
      connection?.close()
    }
  })
}

async function converse<T>(connection: Connection, options: StreamExchange<T>): Promise<T> {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(options.message.length)
  await connection.write(Buffer.concat([length, options.message]))
  const frame = await connection.readUntil(isWhole, { max: MAX_FRAME_BYTES })
  const answer = options.read(frame.subarray(LENGTH_BYTES, LENGTH_BYTES + frame.readUInt16BE()))
  if (answer !== undefined) return answer
  // On a stream connection no third party can inject messages, so a mismatch is the server's fault.
  const text = `${options.server} answered another question than ours`
  throw new CheckFailure('dns_malformed', text, { phase: 'resolve' })
}

function isWhole(gathered: Buffer): boolean {
  return (
    gathered.length >= LENGTH_BYTES && gathered.length >= LENGTH_BYTES + gathered.readUInt16BE()
  )
}
