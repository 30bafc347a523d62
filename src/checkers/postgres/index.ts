/**
 * PostgreSQL: the server accepts the login and answers, or one query returns enough rows.
 *
 * @module watchpost/checkers/postgres
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
  checkOptions('postgres', options, {
    driver: option.eitherOf(
      'the package, or a function that gets it,',
      option.object,
      option.callback,
    ),
  })
  const { driver } = options
  return defineChecker({
    type: 'postgres',
    title: 'PostgreSQL',
    description:
      'Logs in to a PostgreSQL server or a pooler and pings it, or runs one query and counts its rows.',
    ...(driver === undefined ? { driver: 'pg' } : {}),
    fields: sqlFields({ port: 5432, database: 'the one named like the user' }),
    causes: SQL_CAUSES,
    figures: ['rows'],
    measurements: SQL_MEASUREMENTS,
    highlights: SQL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },

    refine: refineSql(POSTGRES_STATEMENTS),
    unused: (settings) => (settings.tls === 'off' ? unusedCertificate(settings, 'tls is off') : {}),
    target: sqlTarget,

    async run(ctx, settings) {
      const session = await logIn(ctx, settings, driver)
      return runSql(ctx, session, { ...settings, dialect: POSTGRES_STATEMENTS })
    },
  })
}
