/**
 * Logs in to a MySQL or MariaDB server.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import type { CheckContext } from '../checker.ts'
import { identityOf } from '../client-certificate.ts'
import { connectionDetails } from '../connection-details.ts'
import { shown } from '../sql/causes.ts'
import type { DriverSource, SqlSession } from '../sql/run.ts'
import { driverFrom } from '../sql/run.ts'
import type { SqlSettings } from '../sql/fields.ts'
import { errorFailure } from './errors.ts'
import type { Greeting } from './greeting.ts'
import { readGreeting } from './greeting.ts'
import type { MysqlDriver } from './session.ts'
import { failureOf, mysqlClient, mysqlSession } from './session.ts'
import { mysqlWire } from './wire.ts'

/**
 * Returns a session that is ready for statements.
 *
 * @throws CheckFailure if the server is unreachable
 * or refuses the login
 */
export async function logIn(
  ctx: CheckContext,
  settings: SqlSettings,
  source: DriverSource<MysqlDriver> | undefined,
): Promise<SqlSession> {
  const driver = await driverFrom<MysqlDriver>(ctx, source, ['mysql2', () => import('mysql2')])
  const { host, port } = settings
  const connection = await ctx.net.connect({ host, port })
  ctx.measure(connectionDetails(connection))
  const greeting = await ctx.phase('greeting', () => readGreeting(connection))
  if (!('packet' in greeting)) {
    ctx.measure({ errno: greeting.errno, sqlstate: greeting.sqlstate })
    throw errorFailure(greeting, 'greeting')
  }
  ctx.measure({ server_version: shown(greeting.server_version, 100) })

  const secure = speaksTls(settings.tls, greeting)
  const wire = mysqlWire(connection, greeting)
  const login = { driver, wire, greeting, settings, secure }
  const client = mysqlClient(ctx, login)
  try {
    const upgraded = await client.stream.settle(wire.logIn(secure ? upgrade(settings) : undefined))
    ctx.measure(connectionDetails(upgraded))
    await ctx.phase('auth', () => client.stream.settle(client.connected))
  } catch (error) {
    throw failureOf(ctx, error, { wire, phase: 'auth' })
  }
  return mysqlSession(ctx, client, login)
}

function speaksTls(tls: SqlSettings['tls'], greeting: Greeting): boolean {
  if (tls === 'off' || greeting.tls) return tls !== 'off'
  if (tls === 'prefer') return false
  throw new CheckFailure('tls_unsupported', 'The server does not offer TLS', { phase: 'starttls' })
}

function upgrade(settings: SqlSettings): (plain: Connection) => Promise<Connection> {
  return (plain) =>
    plain.upgrade({ verify: settings.tls === 'verify', identity: identityOf(settings) })
}
