/**
 * PostgreSQL: the server accepts the login and answers, or one query returns enough rows.
 *
 * @module watchpost/checkers/postgres
 */

import { checkOptions } from '../../options.ts'
import { defineChecker } from '../checker.ts'
import type { DriverSource } from '../sql/run.ts'
import { sqlDefinition } from '../sql/fields.ts'
import { driverOption, runSql } from '../sql/run.ts'
import { logIn } from './login.ts'
import type { PostgresDriver } from './session.ts'
import { POSTGRES_STATEMENTS } from './statement.ts'

export type {
  OneQuery,
  PostgresClient,
  PostgresCommands,
  PostgresDriver,
  PostgresOptions,
} from './session.ts'

export interface PostgresCheckerOptions {
  /** pg, or a function that returns it. Default: imported on first use. */
  readonly driver?: DriverSource<PostgresDriver> | undefined
}

export const postgres = (options: PostgresCheckerOptions = {}) => {
  checkOptions('postgres', options, { driver: driverOption })
  const { driver } = options
  return defineChecker({
    type: 'postgres',
    title: 'PostgreSQL',
    description:
      'Logs in to a PostgreSQL server or a pooler and pings it, or runs one query and counts its rows.',
    ...(driver === undefined ? { driver: 'pg' } : {}),
    ...sqlDefinition(POSTGRES_STATEMENTS, { port: 5432, database: 'the one named like the user' }),

    async run(ctx, settings) {
      const session = await logIn(ctx, settings, driver)
      return runSql(ctx, session, { ...settings, dialect: POSTGRES_STATEMENTS })
    },
  })
}
