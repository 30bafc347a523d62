/**
 * MySQL and MariaDB: the server accepts the login and answers, or one query returns enough rows.
 *
 * @module watchpost/checkers/mysql
 */

import { checkOptions } from '../../options.ts'
import { defineChecker } from '../checker.ts'
import type { DriverSource } from '../sql/run.ts'
import { sqlDefinition } from '../sql/fields.ts'
import { driverOption, runSql } from '../sql/run.ts'
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
  checkOptions('mysql', options, { driver: driverOption })
  const { driver } = options
  const shared = sqlDefinition(MYSQL_STATEMENTS, { port: 3306, database: 'none' })
  return defineChecker({
    type: 'mysql',
    title: 'MySQL / MariaDB',
    description:
      'Logs in to a MySQL or MariaDB server and pings it, or runs one query and counts its rows.',
    ...(driver === undefined ? { driver: 'mysql2' } : {}),
    ...shared,
    measurements: { errno: 'Number of the error', ...shared.measurements },

    async run(ctx, settings) {
      const session = await logIn(ctx, settings, driver)
      return runSql(ctx, session, { ...settings, dialect: MYSQL_STATEMENTS })
    },
  })
}
