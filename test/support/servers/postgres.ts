/**
 * PostgreSQL with the user u/secret and the table `items` with three rows in the database `app`.
 *
 * @module
 */

import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Place, Run, RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import { END_OF_STREAM, hello } from './hello.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import { madeOnce } from './template.ts'
import type { TestCertificate } from '../certificates.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

/** Debian keeps the binaries of each major version apart. */
const DEBIAN = '/usr/lib/postgresql'

export const postgresServer: ServerNeed = {
  name: 'PostgreSQL',
  packages: 'postgresql',
  locate: () => findBinary(['postgres'], [...debianFolders(), '/usr/local/bin', '/usr/bin']),
}

export interface PostgresOptions {
  /** `required` refuses plaintext in pg_hba.conf (28000). Default `on`. */
  readonly tls?: 'on' | 'off' | 'required'
  readonly certificate?: CertificateKind | TestCertificate
  /** u may log in only over TLS with a client certificate of the test authority. */
  readonly clientCertificate?: boolean
  /** How pg_hba.conf lets u in; `reject` and `none` (no line at all) end with 28000. Default `scram-sha-256`. */
  readonly auth?: 'scram-sha-256' | 'md5' | 'password' | 'trust' | 'reject' | 'none'
  /** Connections for users; beyond it 53300. */
  readonly maxConnections?: number
  /** Statements beyond it end with 57014. */
  readonly statementTimeoutMs?: number
  /** Every transaction is read-only (25006 on writes). */
  readonly readOnly?: boolean
  /** A standby that waits for a primary it never finds: 57P03, "the database system is starting up". */
  readonly startingUp?: boolean
  /** u may not log in: 28000. */
  readonly userLocked?: boolean
  /** u may not read `items`: 42501. */
  readonly withoutRights?: boolean
  /** Further statements at creation, in the database `app`. */
  readonly sql?: readonly string[]
  /** Further settings, such as `fsync=on`. */
  readonly settings?: readonly string[]
}

export type PostgresServer = RunningServer<'postgres'>

/** SSLRequest, to which every server answers one byte: S or N. */
export const SSL_REQUEST = Buffer.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f)

const TERMINATE = Buffer.from('X\0\0\0\x04')

export function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const binary = required(postgresServer)
  return startServer({
    name: 'postgres',
    binary,
    ports: ['postgres'],
    args: (place) => argumentsOf(place, options),
    files: () => ({ hba: accessRules(options), ...tlsFiles(options.certificate) }),
    stopSignal: 'SIGINT',
    prepare: async (place, run) => {
      await freshCluster(place, run)
      const { dir } = place
      const statements = ownStatements(options)
      if (statements.length > 0) await runSql(run, { dir, database: 'app', statements })
      if (options.startingUp === true) await writeFile(`${dir}/data/standby.signal`, '')
    },
    ready: ({ ports }) => isReady(ports.postgres, options.startingUp),
  })
}

const freshCluster = madeOnce('postgres', async ({ dir }, run) => {
  const initdb = join(dirname(required(postgresServer)), 'initdb')
  const cluster = ['-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C.UTF-8']
  // Segments of the smallest size, since each server copies one.
  await run(initdb, ['-D', `${dir}/data`, ...cluster, '--wal-segsize=1'])
  const users = ["CREATE ROLE u LOGIN PASSWORD 'secret'", 'CREATE DATABASE app']
  await runSql(run, { dir, database: 'postgres', statements: users })
  const tables = [
    'CREATE TABLE items (id int PRIMARY KEY, name text)',
    "INSERT INTO items VALUES (1, 'one'), (2, 'two'), (3, 'three')",
    'GRANT SELECT ON items TO u',
  ]
  await runSql(run, { dir, database: 'app', statements: tables })
})

interface SqlRun {
  readonly dir: string
  readonly database: string
  readonly statements: readonly string[]
}

/** In single-user mode; with `-j` a statement ends with a semicolon and an empty line. */
function runSql(run: Run, { dir, database, statements }: SqlRun): Promise<void> {
  const args = ['--single', '-D', `${dir}/data`, '-c', 'fsync=off', '-j', database]
  const input = statements.map((statement) => `${statement};\n\n`).join('')
  return run(required(postgresServer), args, input)
}

/**
 * Backends answer before the start is over, with 57P03 to every login. One that lets us in has given its place to others
 * when its connection ends (`socket_close` of pqcomm.c).
 */
async function isReady(port: number, startingUp = false): Promise<void> {
  const login = startupMessage({ user: 'postgres', database: 'app' })
  const answer = startingUp
    ? await hello(port, { send: login, until: /C[0-9A-Z]{5}\0/ })
    : await hello(port, { send: Buffer.concat([login, TERMINATE]), until: END_OF_STREAM })
  const wanted = startingUp ? /C57P03\0/ : /^R/
  if (!wanted.test(answer)) throw new Error(`PostgreSQL answered ${answer}`)
}

/** The first message of protocol 3.0: pairs of names and values, each ended by a zero byte. */
export function startupMessage(parameters: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(parameters).flat()
  const body = Buffer.from(`${text.map((part) => `${part}\0`).join('')}\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + head.length)
  head.writeUInt32BE(0x30000, 4)
  return Buffer.concat([head, body])
}

function argumentsOf({ dir, ports }: Place<'postgres'>, options: PostgresOptions): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    `hba_file=${dir}/hba`,
    'superuser_reserved_connections=1',
    'max_wal_senders=0',
  ]
  if (options.tls !== 'off') {
    settings.push('ssl=on')
    if (options.clientCertificate === true) settings.push(`ssl_ca_file=${dir}/tls/ca.pem`)
    settings.push(`ssl_cert_file=${dir}/tls/chain.pem`, `ssl_key_file=${dir}/tls/key.pem`)
  }
  if (options.maxConnections !== undefined) {
    settings.push(`max_connections=${options.maxConnections + 1}`)
  }
  if (options.statementTimeoutMs !== undefined) {
    settings.push(`statement_timeout=${options.statementTimeoutMs}`)
  }
  if (options.readOnly === true) settings.push('default_transaction_read_only=on')
  if (options.startingUp === true) settings.push('hot_standby=off')
  settings.push(...(options.settings ?? []))
  const base = ['-D', `${dir}/data`, '-p', String(ports.postgres)]
  return [...base, ...settings.flatMap((setting) => ['-c', setting])]
}

/** The first line that fits a connection decides. */
function accessRules(options: PostgresOptions): string {
  const { auth = 'scram-sha-256', tls = 'on' } = options
  const lines = ['host all postgres 127.0.0.1/32 trust']
  if (tls === 'required') lines.push('hostnossl all all 127.0.0.1/32 reject')
  if (options.clientCertificate === true)
    lines.push(`hostssl all all 127.0.0.1/32 ${auth} clientcert=verify-ca`)
  else if (auth !== 'none') lines.push(`host all all 127.0.0.1/32 ${auth}`)
  return `${lines.join('\n')}\n`
}

function ownStatements(options: PostgresOptions): string[] {
  const statements = [...(options.sql ?? [])]
  if (options.auth === 'md5') {
    statements.push("SET password_encryption = 'md5'", "ALTER ROLE u PASSWORD 'secret'")
  }
  if (options.userLocked === true) statements.push('ALTER ROLE u NOLOGIN')
  if (options.withoutRights === true) statements.push('REVOKE SELECT ON items FROM u')
  return statements
}

function debianFolders(): string[] {
  try {
    const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(DEBIAN, version, 'bin'))
  } catch {
    return []
  }
}
