/**
 * Logs in to a PostgreSQL server.
 *
 * @module
 */

import type { CheckContext } from '../checker.ts'
import { reached } from '../reached.ts'
import { shown } from '../sql/causes.ts'
import type { DriverSource } from '../sql/driver.ts'
import { driverFrom } from '../sql/driver.ts'
import type { SqlSettings } from '../sql/fields.ts'
import type { SqlSession } from '../sql/run.ts'
import type { PostgresDriver } from './session.ts'
import { postgresSession } from './session.ts'
import { secured } from './tls.ts'
import { postgresWire } from './wire.ts'

/**
 * Returns a session that is ready for statements. @throws CheckFailure if the server is unreachable
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
  ctx.measure(reached(plain))
  const connection = await secured(ctx, plain, settings.tls)
  ctx.measure(reached(connection))
  const wire = postgresWire(connection, { user, pass, database })
  const session = await postgresSession(ctx, { driver, wire, settings })
  if (wire.server_version !== undefined) {
    ctx.measure({ server_version: shown(wire.server_version, 100) })
  }
  return session
}
