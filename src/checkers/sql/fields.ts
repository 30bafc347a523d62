/**
 * What mysql and postgres share: settings and the rules across them, causes, measurements.
 *
 * @module
 */

import {
  clientCertificateFields,
  clientCertificateProblems,
  unusedCertificate,
} from '../client-certificate.ts'
import type { ClientCertificate } from '../client-certificate.ts'
import { field } from '../../fields/vocabulary.ts'
import { hostPort } from '../../net/connection/endpoint.ts'
import { CONNECTION_HIGHLIGHTS, CONNECTION_MEASUREMENTS } from '../connection-details.ts'
import { SQL_CAUSES } from './causes.ts'
import type { Dialect } from './statement.ts'
import { writingProblem } from './statement.ts'

/** Maximum of `expect_rows_min`. */
const ROWS_LIMIT = 1000

export interface SqlDefaults {
  readonly port: number
  /** Used if `database` is absent. */
  readonly database: string
}

const SQL_MEASUREMENTS = {
  rows: 'Rows read of the result, at most expect_rows_min or 1',
  read_only:
    'true: the login may only read; false: it may do more, see read_only_why; only with a query, and where the server says it',
  read_only_why: 'What the login may do beyond reading, at most 5; only where read_only is false',
  server_version: 'Version as the server gives it',
  sqlstate: 'SQLSTATE of the error, five characters',
  ...CONNECTION_MEASUREMENTS,
} as const

const SQL_HIGHLIGHTS = {
  server_version: { title: 'Server' },
  rows: { title: 'Rows' },
  ...CONNECTION_HIGHLIGHTS,
} as const

// The return types are inferred: the checkers derive the type of their settings from them.

/** The part of their definitions that is the same. */
export const sqlDefinition = (dialect: Dialect, defaults: SqlDefaults) =>
  ({
    fields: sqlFields(defaults),
    causes: SQL_CAUSES,
    figures: ['rows'],
    measurements: SQL_MEASUREMENTS,
    highlights: SQL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },
    refine: refineSql(dialect),
    unused: (settings: SqlSettings) =>
      settings.tls === 'off' ? unusedCertificate(settings, 'tls is off') : {},
    target: sqlTarget,
  }) as const

function sqlFields({ port, database }: SqlDefaults) {
  return {
    host: field.host({ description: 'Host name or IP address' }).required(),
    port: field.port({ description: 'TCP port' }).default(port),
    tls: field
      .oneOf(['off', 'prefer', 'require', 'verify'], {
        description:
          'off; prefer: TLS where the server offers it; require: TLS with any certificate; verify: TLS with a valid certificate for the host',
        aliases: {
          false: 'off',
          true: 'require',
          none: 'off',
          disable: 'off',
          disabled: 'off',
          preferred: 'prefer',
          required: 'require',
          'verify-full': 'verify',
          verify_identity: 'verify',
        },
        destination: ['off', 'prefer', 'require', 'verify'],
      })
      .default('prefer'),
    user: field.text({ description: 'Logs in as this user', max: 256 }).required(),
    pass: field.secret({ description: 'Password of the user', min: 0 }).default(''),
    database: field.text({
      description: `Database to log in to; where absent ${database}`,
      max: 256,
    }),
    query: field.text({
      description:
        'One statement that only reads (SELECT, WITH, VALUES, SHOW, EXPLAIN), run in a read-only transaction; where absent the check ends with the login and a ping',
      max: 10_000,
      multiline: true,
      example: 'SELECT 1',
    }),
    expect_rows_min: field.integer({
      description: 'Rows that the query must return at least; needs a query',
      min: 0,
      max: ROWS_LIMIT,
    }),
    ...clientCertificateFields,
  } as const
}

export interface SqlSettings extends ClientCertificate {
  readonly host: string
  readonly port: number
  readonly tls: 'off' | 'prefer' | 'require' | 'verify'
  readonly user: string
  readonly pass: string
  readonly database?: string | undefined
  readonly query?: string | undefined
  readonly expect_rows_min?: number | undefined
}

type Refined<S> = { readonly settings: S } | { readonly fields: Readonly<Record<string, string>> }

/** The query must be read-only, a row count needs a query, and a client certificate its key. */
function refineSql(dialect: Dialect): <S extends Partial<SqlSettings>>(settings: S) => Refined<S> {
  return (settings) => {
    const problems = {
      ...queryProblems(settings, dialect),
      ...clientCertificateProblems(settings),
    }
    return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
  }
}

function queryProblems(
  { query, expect_rows_min }: Pick<Partial<SqlSettings>, 'query' | 'expect_rows_min'>,
  dialect: Dialect,
): Readonly<Record<string, string>> {
  if (query === undefined) {
    if (expect_rows_min === undefined) return {}
    return { expect_rows_min: 'invalid: rows are those of a query, and none is set' }
  }
  const problem = writingProblem(query, dialect)
  return problem === undefined ? {} : { query: `invalid: ${problem}` }
}

/** The target as shown in lists and webhooks: `host:port`, or `host:port/database`. */
function sqlTarget({ host, port, database }: SqlSettings): string {
  return hostPort(host, port) + (database === undefined ? '' : `/${database}`)
}
