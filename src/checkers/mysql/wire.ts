/**
 * The MySQL protocol between the driver and the server, packet by packet.
 *
 * The checker handles TLS instead of the driver, which would verify an IP address against the name
 * "localhost", resume sessions, and ignore the configured root certificates. The driver sends plain
 * packets. Its login is buffered until TLS is established; the SSLRequest packet shifts the
 * sequence numbers of the login by one.
 *
 * Source: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import type { Wire } from '../sql/driver-stream.ts'
import { ANSWER_LIMITS, counter, reader } from '../sql/reader.ts'
import type { Greeting } from './greeting.ts'
import { HEAD_BYTES, notMysql } from './greeting.ts'
import { resultParts } from './result-part.ts'

/**
 * An SSLRequest is the first part of the login packet: capabilities, maximum packet size, character
 * set, 23 filler bytes.
 */
const SSL_REQUEST_BYTES = 32

const OK = 0x00
const ERROR = 0xff
const AUTH_SWITCH = 0xfe
const COM_PING = 0x0e

/** Maximum packets of a login; MySQL needs five. */
const LOGIN_LIMIT = 16

/** Maximum of a packet that is no row: the driver reads each one in one turn, and some hold two values in a byte. */
const SHORT_BYTES = 64 * 1024

export interface MysqlWire extends Wire {
  /**
   * Sends the driver's login, after a TLS upgrade by `secure` if given; returns the connection
   * used.
   */
  logIn(secure?: (plain: Connection) => Promise<Connection>): Promise<Connection>
  /** The last authentication plugin that the server requested. */
  plugin(): string | undefined
}

export function mysqlWire(plain: Connection, greeting: Greeting): MysqlWire {
  let connection = plain
  const login = deferred<Buffer>()
  const sent = deferred<undefined>()
  let state: 'greeting' | 'login' | 'command' = 'greeting'
  let plugin: string | undefined
  let shift = 0
  let expected = 0
  let loginPackets = 0
  let read = reader(plain)
  const count = counter(ANSWER_LIMITS)
  let command: number | undefined
  const parts = resultParts()

  async function transmit(packet: Buffer): Promise<void> {
    const numbered = renumber(packet, shift)
    expected = next(numbered)
    await connection.write(numbered)
  }

  async function receive(): Promise<Buffer> {
    if (state === 'greeting') {
      state = 'login'
      return greeting.packet
    }
    await sent.promise
    const head = await read(HEAD_BYTES)
    const length = head.readUIntLE(0, 3)
    count(HEAD_BYTES + length)
    if (length === 0) throw notMysql('an empty packet')
    const packet = Buffer.concat([head, await read(length)])
    // A server that closes a connection uses any sequence number.
    if (packet[HEAD_BYTES] === ERROR) packet[3] = expected
    if (packet[3] !== expected) throw notMysql('packets out of order')
    expected = next(packet)
    return state === 'login' ? ofLogin(packet) : ofCommand(packet)
  }

  function ofLogin(packet: Buffer): Buffer {
    const kind = packet[HEAD_BYTES]
    if (packet.length > SHORT_BYTES) throw tooLong()
    if (++loginPackets > LOGIN_LIMIT) throw notMysql('a login without end')
    if (kind === AUTH_SWITCH) plugin = pluginOf(packet)
    const renumbered = renumber(packet, -shift)
    if (kind === OK) {
      state = 'command'
      shift = 0
    }
    return renumbered
  }

  function ofCommand(packet: Buffer): Buffer {
    const kind = packet[HEAD_BYTES]
    // The driver accepts any packet as the answer to a ping.
    if (command === COM_PING && kind !== OK && kind !== ERROR) throw notMysql('no answer to a ping')
    command = undefined
    if (!parts.isRow(packet.subarray(HEAD_BYTES)) && packet.length > SHORT_BYTES) throw tooLong()
    return packet
  }

  return {
    receive,
    async send(bytes) {
      if (bytes.length !== HEAD_BYTES + bytes.readUIntLE(0, 3)) {
        throw new TypeError('The driver writes packets in parts')
      }
      if (!login.settled()) {
        login.resolve(bytes)
        return
      }
      if (state === 'command' && bytes[3] === 0) {
        command = bytes[HEAD_BYTES]
        parts.begin()
      }
      await transmit(bytes)
    },
    async logIn(secure) {
      const packet = await login.promise
      if (secure !== undefined) {
        await plain.write(sslRequest(packet))
        connection = await secure(plain)
        read = reader(connection)
        shift = 1
      }
      await transmit(packet)
      sent.resolve(undefined)
      return connection
    },
    plugin: () => plugin,
    close: () => connection.close(),
  }
}

function tooLong(): CheckFailure {
  const text = `The server sent more than ${SHORT_BYTES / 1024} KiB that are no row`
  return new CheckFailure('too_long', text)
}

/** MariaDB uses only the capabilities of this packet, so they must be those of the login. */
function sslRequest(login: Buffer): Buffer {
  const request = Buffer.from(login.subarray(0, HEAD_BYTES + SSL_REQUEST_BYTES))
  request.writeUIntLE(SSL_REQUEST_BYTES, 0, 3)
  return request
}

function renumber(packet: Buffer, by: number): Buffer {
  if (by === 0) return packet
  const copy = Buffer.from(packet)
  copy[3] = ((packet[3] ?? 0) + by) & 0xff
  return copy
}

function next(packet: Buffer): number {
  return ((packet[3] ?? 0) + 1) & 0xff
}

/** Without a name it is the authentication of MySQL 4.0. */
function pluginOf(packet: Buffer): string {
  const name = packet.subarray(HEAD_BYTES + 1)
  const end = name.indexOf(0)
  return name.length === 0 ? 'mysql_old_password' : name.toString('latin1', 0, end < 0 ? 64 : end)
}

interface Deferred<T> {
  readonly promise: Promise<T>
  settled(): boolean
  resolve(value: T): void
}

function deferred<T>(): Deferred<T> {
  let settled = false
  let settle: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => (settle = resolve))
  return {
    promise,
    settled: () => settled,
    resolve(value) {
      settled = true
      settle(value)
    },
  }
}
