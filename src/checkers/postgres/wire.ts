/**
 * The PostgreSQL protocol between the driver and the server, message by message.
 *
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import type { Wire } from '../sql/driver-stream.ts'
import type { Limits } from '../sql/reader.ts'
import { ANSWER_LIMITS, counter, reader } from '../sql/reader.ts'
import type { ServerError } from '../sql/causes.ts'
import { strange } from '../sql/causes.ts'

export const SSL_REQUEST = Buffer.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f)

const PROTOCOL_3 = 0x30000

/** Type letters of all server messages. */
const LETTERS = '123ACDEGHIKNRSTVWZcdnstv'

/**
 * Types that may be long; a long message of another type indicates another protocol (same rule as
 * libpq).
 */
const LONG_LETTERS = 'ADENTVd'
const SHORT_BYTES = 30_000

const HEAD_BYTES = 5

/** PostgreSQL allows 1664; the driver looks at all of them in one turn. */
const MAX_COLUMNS = 5000

/** Limits of a login, parameters and notices included. */
const LOGIN_LIMITS: Limits = { bytes: 64 * 1024, messages: 200 }

export interface PostgresLogin {
  readonly user: string
  readonly pass: string
  readonly database: string
}

export interface PostgresWire extends Wire {
  server_version(): string | undefined
}

export function postgresWire(connection: Connection, login: PostgresLogin): PostgresWire {
  let started = false
  const read = reader(connection)
  let count = counter(LOGIN_LIMITS)
  let ready = false
  const requests = new Set<number>()
  let server_version: string | undefined

  function look(letter: string, body: Buffer): void {
    if (letter === 'E' || letter === 'N') readError(body)
    if ((letter === 'T' || letter === 'D') && body.length > 1 && body.readUInt16BE() > MAX_COLUMNS)
      throw notPostgres('more columns than a table has')
    if (letter === 'R') {
      const kind = judgeLogin(body, login.pass, connection.tls !== null)
      // For each of some kinds the driver keeps the thread pool busy, also behind the end of the check.
      if (requests.has(kind)) throw notPostgres('a login without end')
      requests.add(kind)
    }
    if (letter === 'S') {
      const [name, value] = texts(body)
      if (name === 'server_version') server_version = value
    }
    if (letter !== 'Z' || ready) return
    ready = true
    count = counter(ANSWER_LIMITS)
  }

  return {
    async receive() {
      const head = await read(HEAD_BYTES)
      const letter = head.toString('latin1', 0, 1)
      const length = head.readUInt32BE(1)
      if (!LETTERS.includes(letter) || length < 4) throw notPostgres('an unknown message')
      const long = LONG_LETTERS.includes(letter)
      if (!long && length > SHORT_BYTES) throw notPostgres('a message of impossible length')
      count(length + 1)
      const body = await read(length - 4)
      look(letter, body)
      return Buffer.concat([head, body])
    },
    async send(bytes) {
      await connection.write(started ? bytes : startup(login.user, login.database))
      started = true
    },
    server_version: () => server_version,
    close: () => connection.close(),
  }
}

const OK = 0
const CLEARTEXT = 3
const MD5 = 5
const SASL = 10
const SASL_CONTINUE = 11
const SASL_FINAL = 12

const FOREIGN_LOGINS: Readonly<Record<number, string>> = {
  2: 'Kerberos',
  7: 'GSSAPI',
  9: 'SSPI',
}

/**
 * Checks the requested authentication method, and returns its number: the driver reports unsupported ones without a
 * usable error.
 */
function judgeLogin(body: Buffer, pass: string, secure: boolean): number {
  if (body.length < 4) throw notPostgres('a login request that is cut off')
  const kind = body.readUInt32BE()
  if (kind === OK || kind === SASL_CONTINUE || kind === SASL_FINAL) return kind
  if (kind !== CLEARTEXT && kind !== MD5 && kind !== SASL) {
    throw unsupported(`a login by ${FOREIGN_LOGINS[kind] ?? `method ${kind}`}`)
  }
  if (kind === CLEARTEXT && !secure) throw unsupported('the password in clear, without TLS')
  if (kind === MD5 && body.length !== 8) throw notPostgres('a login request that is cut off')
  if (kind === SASL && !texts(body.subarray(4)).includes('SCRAM-SHA-256')) {
    throw unsupported('a SASL login other than SCRAM-SHA-256')
  }
  if (pass !== '') return kind
  const text = 'The server asks for a password, and none is set'
  throw new CheckFailure('auth_failed', text, { phase: 'auth' })
}

function unsupported(what: string): CheckFailure {
  return new CheckFailure('auth_unsupported', `The server asks for ${what}`, { phase: 'auth' })
}

/**
 * The startup message, with only user and database: poolers refuse unknown parameters, and the
 * driver would add those of the environment (PGOPTIONS, PGAPPNAME, …).
 */
function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + body.length)
  head.writeUInt32BE(PROTOCOL_3, 4)
  return Buffer.concat([head, body])
}

/** The zero-terminated texts of a message; an unterminated rest is dropped. */
function texts(body: Buffer): readonly string[] {
  return body.toString('utf8').split('\0').slice(0, -1)
}

/** PostgreSQL has 18 fields, each at most once; millions of empty ones would take a long turn. */
const MAX_FIELDS = 100

/** An error or a notice. Its terminator is required: without it the driver would loop forever. */
export function readError(body: Buffer): ServerError {
  const fields = new Map<string, string>()
  let at = 0
  for (let count = 1; body[at] !== 0; count++) {
    if (count > MAX_FIELDS) throw notPostgres('an error with too many fields')
    const end = body.indexOf(0, at)
    if (end < 0) throw notPostgres('an error without an end')
    fields.set(body.toString('latin1', at, at + 1), body.toString('utf8', at + 1, end))
    at = end + 1
  }
  return { sqlstate: fields.get('C'), message: fields.get('M') ?? '' }
}

export function notPostgres(what: string, cause?: unknown): Error {
  return strange('PostgreSQL', what, cause)
}
