/**
 * Logs in to a PostgreSQL server.
 *
 * @module
 */

import type { CheckContext } from '../checker.ts'
import { identityOf } from '../client-certificate.ts'
import { connectionDetails } from '../connection-details.ts'
import { shown, serverFailure } from '../sql/causes.ts'
import type { DriverSource, SqlSession } from '../sql/run.ts'
import { driverFrom } from '../sql/run.ts'
import type { SqlSettings } from '../sql/fields.ts'
import type { PostgresDriver } from './session.ts'
import { postgresSession } from './session.ts'
import { postgresWire, notPostgres, readError, SSL_REQUEST } from './wire.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import type { ServerError } from '../sql/causes.ts'
import { readExactly } from '../sql/reader.ts'
import { errorFailure, isOfServer } from './errors.ts'

/**
 * Maximum length of an error instead of the answer; before PostgreSQL 7.4 errors had no length
 * field.
 */
const ERROR_LIMIT_BYTES = 4096

/**
 * Returns a session that is ready for statements.
 *
 * @throws CheckFailure if the server is unreachable
 * or refuses the login
 */
export async function logIn(
  ctx: CheckContext,
  settings: SqlSettings,
  source: DriverSource<PostgresDriver> | undefined,
): Promise<SqlSession> {
  const driver = await driverFrom<PostgresDriver>(ctx, source, ['pg', () => import('pg')])
  const { host, port, user, pass, database = user } = settings
  const plain = await ctx.net.connect({ host, port })
  ctx.measure(connectionDetails(plain))
  const connection = await secured(ctx, plain, settings)
  ctx.measure(connectionDetails(connection))
  const wire = postgresWire(connection, { user, pass, database })
  const session = await postgresSession(ctx, { driver, wire, settings })
  const server_version = wire.server_version()
  if (server_version !== undefined) {
    ctx.measure({ server_version: shown(server_version, 100) })
  }
  return session
}

/**
 * The connection for the login: over TLS, or plain if TLS is off, or not offered and not required.
 * Plain text that the server sends after its consent is refused (CVE-2021-23222).
 *
 * @throws CheckFailure `tls_…`, `protocol_error`, `db_…`
 */
async function secured(
  ctx: CheckContext,
  connection: Connection,
  settings: SqlSettings,
): Promise<Connection> {
  const { tls } = settings
  if (tls === 'off') return connection
  const answer = await ctx.phase('greeting', async () => {
    await connection.write(SSL_REQUEST)
    const letter = (await readExactly(connection, 1)).toString('latin1')
    if (letter === 'E') throw refusal(await readRefusal(connection))
    if (letter !== 'S' && letter !== 'N') throw notPostgres('no answer to the wish for TLS')
    return letter
  })
  if (answer === 'S')
    return connection.upgrade({ verify: tls === 'verify', identity: identityOf(settings) })
  if (tls === 'prefer') return connection
  throw new CheckFailure('tls_unsupported', 'The server does not offer TLS', { phase: 'starttls' })
}

async function readRefusal(connection: Connection): Promise<ServerError> {
  const head = await readExactly(connection, 4)
  const length = head.readUInt32BE()
  if (length < 4 || length > ERROR_LIMIT_BYTES) return { message: 'an error of old form' }
  return readError(await readExactly(connection, length - 4))
}

function refusal(error: ServerError): CheckFailure {
  return isOfServer(error)
    ? errorFailure(error, 'greeting')
    : serverFailure('tls_unsupported', error, 'greeting')
}
