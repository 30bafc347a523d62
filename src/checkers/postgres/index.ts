/**
 * PostgreSQL: the server lets us in and answers, or one query returns enough rows.
 *
 * @module watchpost/checkers/postgres
 */

import type { CheckContext } from '../checker.ts'
import { defineChecker } from '../checker.ts'
import { reached } from '../reached.ts'
import { shown, SQL_CAUSES } from '../sql/causes.ts'
import type { DriverSource } from '../sql/driver.ts'
import { driverFrom } from '../sql/driver.ts'
import { refineSql, sqlFields, sqlTarget } from '../sql/fields.ts'
import type { SqlSettings } from '../sql/fields.ts'
import type { SqlSession } from '../sql/run.ts'
import { runSql, SQL_HIGHLIGHTS, SQL_MEASUREMENTS } from '../sql/run.ts'
import type { PostgresDriver } from './session.ts'
import { postgresSession } from './session.ts'
import { secured } from './tls.ts'
import { postgresWire } from './wire.ts'

export type {
  OneQuery,
  PostgresClient,
  PostgresCommands,
  PostgresDriver,
  PostgresOptions,
} from './session.ts'

export interface PostgresCheckerOptions {
  /** pg, or a function that gets it. Default: imported on first use. */
  readonly driver?: DriverSource<PostgresDriver>
}

export const postgres = ({ driver }: PostgresCheckerOptions = {}) =>
  defineChecker({
    type: 'postgres',
    title: 'PostgreSQL',
    description:
      'Logs in to a PostgreSQL server or a pooler and pings it, or runs one query and counts its rows.',
    ...(driver === undefined ? { driver: 'pg' } : {}),
    fields: sqlFields({ port: 5432, database: 'the one named like the user' }),
    causes: SQL_CAUSES,
    measurements: SQL_MEASUREMENTS,
    highlights: SQL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },

    refine: refineSql,
    target: sqlTarget,

    run: async (ctx, settings) => runSql(ctx, await logIn(ctx, settings, driver), settings),
  })

async function logIn(
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
