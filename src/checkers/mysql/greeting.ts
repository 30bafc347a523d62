/**
 * The first packet of a MySQL or MariaDB server: its greeting, or an error instead.
 *
 * Source:
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html
 *
 * @module
 */

import type { Connection } from '../../net/net.ts'
import type { ServerError } from '../sql/causes.ts'
import { strange } from '../sql/causes.ts'
import { readExactly } from '../sql/reader.ts'

/**
 * Greetings take about 100 bytes, errors at most 512 characters; a longer packet is another
 * protocol.
 */
const GREETING_LIMIT_BYTES = 65_535

export const HEAD_BYTES = 4
const ERROR = 0xff
const PROTOCOL_10 = 10
/** CLIENT_SSL and CLIENT_PROTOCOL_41, in the lower two bytes of the capabilities. */
const SSL = 0x0800
const PROTOCOL_41 = 0x0200

export interface Greeting {
  /** The packet with its header, unchanged. */
  readonly packet: Buffer
  readonly server_version: string
  readonly tls: boolean
}

/** @throws CheckFailure `protocol_error`, `closed_early` */
export async function readGreeting(connection: Connection): Promise<Greeting | ServerError> {
  const head = await readExactly(connection, HEAD_BYTES)
  const length = head.readUIntLE(0, 3)
  if (head[3] !== 0 || length === 0 || length > GREETING_LIMIT_BYTES) {
    throw notMysql('its first packet is no greeting')
  }
  const payload = await readExactly(connection, length)
  if (payload[0] === ERROR) return readError(payload)
  if (payload[0] !== PROTOCOL_10) throw notMysql(`its version is ${payload[0]}, not 10`)

  const end = payload.indexOf(0, 1)
  // After the version: connection id, eight bytes of salt, a zero byte.
  const capabilities = end + 1 + 4 + 8 + 1
  if (end < 0 || payload.length < capabilities + 2) throw notMysql('its greeting is cut off')
  const flags = payload.readUInt16LE(capabilities)
  if ((flags & PROTOCOL_41) === 0) throw notMysql('it is older than MySQL 4.1')
  return {
    packet: Buffer.concat([head, payload]),
    // MariaDB before 11 adds this prefix, for replicas that accept no version above 5.
    server_version: payload.toString('utf8', 1, end).replace(/^5\.5\.5-(?=.*MariaDB)/i, ''),
    tls: (flags & SSL) !== 0,
  }
}

/** An error packet: 0xff, number, `#` and SQLSTATE if present, text. */
function readError(payload: Buffer): ServerError {
  if (payload.length < 3) throw notMysql('an error without a number')
  const errno = payload.readUInt16LE(1)
  if (payload[3] !== '#'.charCodeAt(0)) return { errno, message: payload.toString('utf8', 3) }
  return {
    errno,
    sqlstate: payload.toString('latin1', 4, 9),
    message: payload.toString('utf8', 9),
  }
}

export function notMysql(what: string): Error {
  return strange('MySQL', what)
}
