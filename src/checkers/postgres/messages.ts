/**
 * Messages of the PostgreSQL protocol that are parsed or built without the driver.
 *
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * @module
 */

import type { ServerError } from '../sql/causes.ts'
import { strange } from '../sql/causes.ts'

export const SSL_REQUEST = Buffer.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f)

const PROTOCOL_3 = 0x30000

/**
 * The startup message, with only user and database: poolers refuse unknown parameters, and the
 * driver would add those of the environment (PGOPTIONS, PGAPPNAME, …).
 */
export function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + body.length)
  head.writeUInt32BE(PROTOCOL_3, 4)
  return Buffer.concat([head, body])
}

/** The zero-terminated texts of a message; an unterminated rest is dropped. */
export function texts(body: Buffer): readonly string[] {
  return body.toString('utf8').split('\0').slice(0, -1)
}

/** An error or a notice. Its terminator is required: without it the driver would loop forever. */
export function readError(body: Buffer): ServerError {
  const fields = new Map<string, string>()
  let at = 0
  while (body[at] !== 0) {
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
