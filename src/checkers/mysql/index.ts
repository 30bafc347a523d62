/**
 * MySQL and MariaDB: the server accepts the login and answers, or one query returns enough rows.
 *
 * @module watchpost/checkers/mysql
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { defineChecker } from '../checker.ts'
import { unusedCertificate } from '../client-certificate.ts'
import { SQL_CAUSES } from '../sql/causes.ts'
import type { DriverSource } from '../sql/run.ts'
import { refineSql, sqlFields, sqlTarget } from '../sql/fields.ts'
import { runSql, SQL_HIGHLIGHTS, SQL_MEASUREMENTS } from '../sql/run.ts'
import { logIn } from './login.ts'
import type { MysqlDriver } from './session.ts'
import { MYSQL_STATEMENTS } from './statement.ts'

export type { MysqlConnection, MysqlDriver, MysqlOptions, MysqlQuery } from './session.ts'

export interface MysqlCheckerOptions {
  /**
   * mysql2 (not `mysql2/promise`), or a function that returns it. Default: imported on first use.
   */
  readonly driver?: DriverSource<MysqlDriver> | undefined
}

export const mysql = (options: MysqlCheckerOptions = {}) => {
  checkOptions('mysql', options, {
    driver: option.eitherOf(
      'the package, or a function that gets it,',
      option.object,
      option.callback,
    ),
  })
  const { driver } = options
  return defineChecker({
    type: 'mysql',
    title: 'MySQL / MariaDB',
    description:
      'Logs in to a MySQL or MariaDB server and pings it, or runs one query and counts its rows.',
    ...(driver === undefined ? { driver: 'mysql2' } : {}),
    fields: sqlFields({ port: 3306, database: 'none' }),
    causes: SQL_CAUSES,
    figures: ['rows'],
    measurements: { errno: 'Number of the error', ...SQL_MEASUREMENTS },
    highlights: SQL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },

    refine: refineSql(MYSQL_STATEMENTS),
    unused: (settings) => (settings.tls === 'off' ? unusedCertificate(settings, 'tls is off') : {}),
    target: sqlTarget,

    async run(ctx, settings) {
      const session = await logIn(ctx, settings, driver)
      return runSql(ctx, session, { ...settings, dialect: MYSQL_STATEMENTS })
    },
  })
}
