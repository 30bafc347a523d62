/**
 * MySQL and MariaDB: the server lets us in and answers, or one query returns enough rows.
 *
 * @module watchpost/checkers/mysql
 */

import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
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
import { errorFailure } from './errors.ts'
import type { Greeting } from './greeting.ts'
import { readGreeting } from './greeting.ts'
import type { MysqlDriver } from './session.ts'
import { failureOf, mysqlClient, mysqlSession } from './session.ts'
import { mysqlWire } from './wire.ts'

export type { MysqlConnection, MysqlDriver, MysqlOptions, MysqlQuery } from './session.ts'

export interface MysqlCheckerOptions {
  /** mysql2 (not `mysql2/promise`), or a function that gets it. Default: imported on first use. */
  readonly driver?: DriverSource<MysqlDriver>
}

export const mysql = ({ driver }: MysqlCheckerOptions = {}) =>
  defineChecker({
    type: 'mysql',
    title: 'MySQL / MariaDB',
    description:
      'Logs in to a MySQL or MariaDB server and pings it, or runs one query and counts its rows.',
    ...(driver === undefined ? { driver: 'mysql2' } : {}),
    fields: sqlFields({ port: 3306, database: 'none' }),
    causes: SQL_CAUSES,
    measurements: { errno: 'Number of the error', ...SQL_MEASUREMENTS },
    highlights: SQL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },

    refine: refineSql,
    target: sqlTarget,

    run: async (ctx, settings) => runSql(ctx, await logIn(ctx, settings, driver), settings),
  })

async function logIn(
  ctx: CheckContext,
  settings: SqlSettings,
  source: DriverSource<MysqlDriver> | undefined,
): Promise<SqlSession> {
  const driver = await driverFrom<MysqlDriver>(ctx, source, ['mysql2', () => import('mysql2')])
  const { host, port } = settings
  const connection = await ctx.net.connect({ host, port })
  ctx.measure(reached(connection))
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
    const upgraded = await client.stream.settle(
      wire.logIn(secure ? upgrade(settings.tls) : undefined),
    )
    ctx.measure(reached(upgraded))
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

function upgrade(tls: SqlSettings['tls']): (plain: Connection) => Promise<Connection> {
  return (plain) => plain.upgrade({ verify: tls === 'verify' })
}
