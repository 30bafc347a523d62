/**
 * Clients of `pg` whose server cannot end the process: the driver parses in event listeners, where what it throws is
 * caught by nobody, and what it has Node read of a certificate can end the process by itself.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readWithoutUsages } from '../../net/connection/peer-certificate.ts'
import type { PgOwnClient } from './driver.ts'

type Config = object & { readonly ssl?: { readonly checkServerIdentity?: unknown } }
type ClientOf<C> = new (config: Config) => C

type Guarded = PgOwnClient & { readonly connection?: PgConnection }

interface PgConnection {
  on(event: 'sslconnect', listener: () => void): unknown
  readonly ssl: unknown
  /** Plain until `sslconnect`. */
  readonly stream: TLSSocket
}

/** A `checkServerIdentity` of the host reads of the certificate what it likes. */
export function guardedClient(Client: ClientOf<PgOwnClient>): ClientOf<PgOwnClient> {
  // A pool calls it with `new`.
  function create(config: Config): PgOwnClient {
    const client = new Client(config) as Guarded
    const { connection } = client
    if (!connection?.ssl) {
      if (connection !== undefined) guardReading(connection.stream)
      return client
    }
    connection.on('sslconnect', () => {
      if (!config.ssl?.checkServerIdentity) readWithoutUsages(connection.stream)
      guardReading(connection.stream)
    })
    return client
  }
  return create as unknown as ClientOf<PgOwnClient>
}

function guardReading(stream: Socket): void {
  const emit = stream.emit.bind(stream)
  const judge = messageJudge()
  stream.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    try {
      if (event === 'data') judge(args[0] as Buffer)
      return emit(event, ...args)
    } catch (cause) {
      const text = `It sent what the driver cannot read: ${(cause as Error).message}`
      stream.destroy(Object.assign(new Error(text, { cause }), { code: 'EPROTO' }))
      return true
    }
  }
}

const HEAD_BYTES = 5
const [ERROR, NOTICE, REQUEST, READY] = [0x45, 0x4e, 0x52, 0x5a]

/**
 * Of a login, whose server has proved nothing yet; SCRAM has four requests. For some the driver keeps the thread pool
 * busy, also behind the end of the connection, and reads each in one turn.
 */
const MAX_REQUESTS = 4
const MAX_LOGIN_BYTES = 64 * 1024

/**
 * Takes what arrives, piece by piece. The driver never returns from an error or a notice whose list of fields has no
 * end: the end of the last field, and a zero.
 *
 * @throws Error
 */
function messageJudge(): (chunk: Buffer) => void {
  let head: Buffer = Buffer.alloc(0)
  /** Of the body. */
  let left = 0
  let last: readonly number[] | undefined
  let [requests, login_bytes] = [0, 0]
  let ready = false

  function begin(): void {
    const [letter] = head
    left = head.readUInt32BE(1) - (HEAD_BYTES - 1)
    if (left < 0) throw new Error('A message of an impossible length')
    if (letter === REQUEST && ++requests > MAX_REQUESTS) throw new Error('A login without end')
    ready ||= letter === READY
    if (!ready && (login_bytes += HEAD_BYTES + left) > MAX_LOGIN_BYTES)
      throw new Error(`A login of more than ${MAX_LOGIN_BYTES} bytes`)
    last = letter === ERROR || letter === NOTICE ? [0] : undefined
    if (left === 0) end()
    head = head.subarray(0, 0)
  }

  function end(): void {
    if (last !== undefined && (last.length < 2 || last.some((byte) => byte !== 0)))
      throw new Error('A report without an end')
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        const missing = HEAD_BYTES - head.length
        const piece = chunk.subarray(at, at + missing)
        head = missing === HEAD_BYTES ? piece : Buffer.concat([head, piece])
        at += piece.length
        if (head.length === HEAD_BYTES) begin()
        continue
      }
      const piece = chunk.subarray(at, at + left)
      at += piece.length
      left -= piece.length
      if (last !== undefined) last = [...last, ...piece.subarray(-2)].slice(-2)
      if (left === 0) end()
    }
  }
}
