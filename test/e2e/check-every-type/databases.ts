/**
 * mysql against MariaDB, postgres against PostgreSQL.
 *
 * @module
 */

import { expect } from 'vitest'
import { mariadbServer, startMariadb } from '../../support/servers/mariadb.ts'
import type { MariadbOptions } from '../../support/servers/mariadb.ts'
import { postgresServer, startPostgres, startupMessage } from '../../support/servers/postgres.ts'
import type { PostgresOptions } from '../../support/servers/postgres.ts'
import type { TestCertificate } from '../../support/certificates.ts'
import type { CertificateKind } from '../../support/servers/tls-files.ts'
import type { Bench, BrokenRow } from './bench.ts'
import { RIGHT, WRONG } from './trial.ts'

const LOGIN = { host: 'localhost', user: 'u', pass: RIGHT, database: 'app', tls: 'verify' } as const
const THREE_ROWS = { query: 'SELECT * FROM items', expect_rows_min: 3 } as const
const AUTHORIZED = { tls: { authorized: true } }
const VERSION = expect.stringMatching(/^\d+\.\d+/) as string

/** What both find in a server or a database that is not as it should be. */
const commonRows = <
  O extends { certificate?: CertificateKind | TestCertificate; tls?: string },
  P extends string,
>(
  type: string,
): readonly BrokenRow<O, P>[] => {
  const bad = (certificate: CertificateKind) => ({ server: { certificate } as O })
  return [
    [type, 'the server is stopped', 'connect_refused', 'connect', { stopped: true }],
    [type, 'the password is wrong', 'auth_failed', 'auth', { settings: { pass: WRONG } }],
    [type, 'the user does not exist', 'auth_failed', 'auth', { settings: { user: 'nobody' } }],
    [
      type,
      'the database does not exist',
      'db_database_missing',
      'auth',
      { settings: { database: 'no_such_database' } },
    ],
    [type, 'the certificate has expired', 'tls_expired', 'starttls', bad('expired')],
    [
      type,
      'the certificate is for another host',
      'tls_name_mismatch',
      'starttls',
      bad('wrongHost'),
    ],
    [type, 'the certificate is self-signed', 'tls_self_signed', 'starttls', bad('selfSigned')],
    [
      type,
      'TLS is required and not offered',
      'tls_unsupported',
      'starttls',
      { server: { tls: 'off' } as O },
    ],
    [
      type,
      'the table does not exist',
      'db_query_failed',
      'query',
      { settings: { query: 'SELECT * FROM no_such_table' } },
    ],
    [
      type,
      'the column does not exist',
      'db_query_failed',
      'query',
      { settings: { query: 'SELECT no_such_column FROM items' } },
    ],
    [
      type,
      'the query returns too few rows',
      'db_rows_too_few',
      'query',
      { settings: { ...THREE_ROWS, expect_rows_min: 4 } },
    ],
    [
      type,
      'the user may not read the table',
      'db_query_failed',
      'query',
      {
        server: { withoutRights: true } as unknown as O,
        settings: {
          ...THREE_ROWS,
          ...(type === 'mysql' ? { database: undefined, query: 'SELECT * FROM app.items' } : {}),
        },
      },
    ],
  ]
}

export const mariadb: Bench<MariadbOptions, 'mysql'> = {
  need: mariadbServer,
  start: startMariadb,
  settings: {
    mysql: ({ mysql }) => ({ ...LOGIN, port: mysql }),
    tcp: ({ mysql }) => ({ host: 'localhost', port: mysql, banner_regex: 'MariaDB' }),
  },
  healthy: [
    [
      'mysql',
      'a ping over TLS',
      {
        phases: ['resolve', 'connect', 'greeting', 'starttls', 'auth', 'query'],
        details: { server_version: VERSION, ...AUTHORIZED },
      },
    ],
    [
      'mysql',
      'a query',
      {
        phases: ['resolve', 'connect', 'greeting', 'starttls', 'auth', 'query'],
        details: { rows: 3 },
      },
      { settings: THREE_ROWS },
    ],
    [
      'mysql',
      'a login in clear',
      {
        phases: ['resolve', 'connect', 'greeting', 'auth', 'query'],
        details: { server_version: VERSION },
      },
      { settings: { tls: 'off' } },
    ],
  ],
  broken: [
    ...commonRows<MariadbOptions, 'mysql'>('mysql'),
    [
      'mysql',
      'the user may come from elsewhere only',
      'db_host_denied',
      'greeting',
      { server: { userHost: '192.0.2.1' } },
    ],
    ['mysql', 'the user is locked', 'auth_failed', 'auth', { server: { userLocked: true } }],
    [
      'mysql',
      'the password has expired',
      'auth_failed',
      'query',
      { server: { passwordExpired: true }, settings: THREE_ROWS },
    ],
    [
      'mysql',
      'no login is taken in clear',
      'auth_failed',
      'auth',
      { server: { tls: 'required' }, settings: { tls: 'off' } },
    ],
    [
      'mysql',
      'the first statement does not come to its end',
      'query_timeout',
      'query',
      { server: { slowLoginSec: 30 }, timeout_ms: 1500 },
    ],
    [
      'mysql',
      'the query does not come to its end',
      'query_timeout',
      'query',
      { settings: { query: 'SELECT SLEEP(30)' }, timeout_ms: 1500 },
    ],
    [
      'mysql',
      'the server stops the query',
      'query_timeout',
      'query',
      { server: { maxStatementSec: 0.2 }, settings: { query: 'SELECT SLEEP(30)' } },
    ],
    [
      'mysql',
      'the server is full',
      'db_too_many_connections',
      'greeting',
      { server: { maxConnections: 10 }, crowd: { port: 'mysql', count: 11, until: /MariaDB/ } },
    ],
  ],
}

const POSTGRES_PHASES = ['resolve', 'connect', 'greeting', 'starttls', 'auth', 'query'] as const

export const postgres: Bench<PostgresOptions, 'postgres'> = {
  need: postgresServer,
  start: startPostgres,
  settings: { postgres: ({ postgres: port }) => ({ ...LOGIN, port }) },
  healthy: [
    [
      'postgres',
      'a ping over TLS',
      { phases: POSTGRES_PHASES, details: { server_version: VERSION, ...AUTHORIZED } },
    ],
    [
      'postgres',
      'a query',
      { phases: POSTGRES_PHASES, details: { rows: 3 } },
      { settings: THREE_ROWS },
    ],
    [
      'postgres',
      'a login in clear',
      { phases: ['resolve', 'connect', 'auth', 'query'], details: { server_version: VERSION } },
      { settings: { tls: 'off' } },
    ],
    [
      'postgres',
      'a login by md5',
      { phases: POSTGRES_PHASES, details: AUTHORIZED },
      { server: { auth: 'md5' } },
    ],
  ],
  broken: [
    ...commonRows<PostgresOptions, 'postgres'>('postgres'),
    ['postgres', 'no rule lets us in', 'db_host_denied', 'auth', { server: { auth: 'none' } }],
    ['postgres', 'a rule rejects us', 'db_host_denied', 'auth', { server: { auth: 'reject' } }],
    [
      'postgres',
      'no login is taken in clear',
      'db_host_denied',
      'auth',
      { server: { tls: 'required' }, settings: { tls: 'off' } },
    ],
    [
      'postgres',
      'the user may not log in',
      'auth_failed',
      'auth',
      { server: { userLocked: true } },
    ],
    [
      'postgres',
      'the server is starting up',
      'db_starting_up',
      'auth',
      { server: { startingUp: true } },
    ],
    [
      'postgres',
      'the query does not come to its end',
      'query_timeout',
      'query',
      { settings: { query: 'SELECT pg_sleep(30)' }, timeout_ms: 1500 },
    ],
    [
      'postgres',
      'the server stops the query',
      'query_timeout',
      'query',
      { server: { statementTimeoutMs: 200 }, settings: { query: 'SELECT pg_sleep(30)' } },
    ],
    [
      'postgres',
      'the server is full',
      'db_too_many_connections',
      'auth',
      {
        server: { maxConnections: 1 },
        crowd: {
          port: 'postgres',
          count: 1,
          say: startupMessage({ user: 'postgres', database: 'app' }),
          until: /Z[^]{5}$/,
        },
      },
    ],
  ],
}
