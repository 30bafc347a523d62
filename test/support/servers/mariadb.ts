/**
 * MariaDB with the user u/secret, who may read everything, and the table `app.items` with three rows.
 *
 * @module
 */

import type { Place, RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import { hello } from './hello.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import { madeOnce } from './template.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

export const mariadbServer: ServerNeed = {
  name: 'MariaDB',
  packages: 'mariadb-server-core mariadb-client-core',
  locate: () => findBinary(['mariadbd']),
}

export interface MariadbOptions {
  /** `required` refuses a login without TLS (MariaDB 10.11: error 1045). Default `on`. */
  readonly tls?: 'on' | 'off' | 'required'
  readonly certificate?: CertificateKind
  /** u may log in only with a client certificate of the test authority. */
  readonly clientCertificate?: boolean
  /** Beyond it error 1040, "Too many connections". The server takes no less than 10. */
  readonly maxConnections?: number
  /** The same per user, error 1203. */
  readonly maxUserConnections?: number
  /** Where u may come from. With a host that is not ours, error 1130 in place of a greeting. Default `%`. */
  readonly userHost?: string
  /** The login plugin of u. Default `mysql_native_password`. */
  readonly userPlugin?: 'mysql_native_password' | 'ed25519'
  /** Error 4151, "Access denied, this account is locked". */
  readonly userLocked?: boolean
  /** Error 1820 to every statement, "You must SET PASSWORD before executing this statement". */
  readonly passwordExpired?: boolean
  /** u may log in and see no table: error 1142 to a query of `app.items`. */
  readonly withoutRights?: boolean
  /** Seconds that each session of u sleeps before its first statement. */
  readonly slowLoginSec?: number
  /** Statements beyond it end with error 1969. */
  readonly maxStatementSec?: number
  /** Further statements, one a line, run by root at every start. */
  readonly sql?: readonly string[]
}

/** Instead of 96 MB, which are written for every server. */
const LOG_SIZE = '--innodb-log-file-size=8M'

export type MariadbServer = RunningServer<'mysql'>

export function startMariadb(options: MariadbOptions = {}): Promise<MariadbServer> {
  return startServer({
    name: 'mariadb',
    binary: required(mariadbServer),
    ports: ['mysql'],
    args: (place) => argumentsOf(place, options),
    files: () => ({ 'init.sql': startStatements(options), ...tlsFiles(options.certificate) }),
    prepare: (place, run) => freshData(place, run),
    // The greeting, or the error that stands in its place.
    ready: async ({ ports }) => void (await greeting(ports.mysql)),
  })
}

const freshData = madeOnce('mariadb', ({ dir }, run) =>
  run(findBinary(['mariadb-install-db', 'mysql_install_db']) ?? 'mariadb-install-db', [
    '--no-defaults',
    `--datadir=${dir}/data`,
    '--basedir=/usr',
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
    LOG_SIZE,
  ]),
)

/** The first packet, whole: its length is in its first three bytes. */
export async function greeting(port: number): Promise<string> {
  const text = await hello(port, { until: /^[^]{20}/ })
  if (text.length < 20) throw new Error(`MariaDB closed after ${text.length} bytes`)
  return text
}

function argumentsOf({ dir, ports }: Place<'mysql'>, options: MariadbOptions): string[] {
  const { tls = 'on' } = options
  const args = [
    '--no-defaults',
    `--datadir=${dir}/data`,
    `--port=${ports.mysql}`,
    '--bind-address=127.0.0.1',
    `--socket=${dir}/socket`,
    `--pid-file=${dir}/pid`,
    `--init-file=${dir}/init.sql`,
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=16M',
    LOG_SIZE,
    // Whom a test lets wait before the login stays for the test, ten seconds otherwise.
    '--connect-timeout=300',
    '--plugin-load-add=auth_ed25519',
  ]
  if (tls !== 'off') args.push(`--ssl-cert=${dir}/tls/chain.pem`, `--ssl-key=${dir}/tls/key.pem`)
  if (options.clientCertificate === true) args.push(`--ssl-ca=${dir}/tls/ca.pem`)
  if (tls === 'required') args.push('--require-secure-transport=ON')
  if (options.maxConnections !== undefined) {
    args.push(`--max-connections=${options.maxConnections}`, '--extra-max-connections=1')
  }
  if (options.maxUserConnections !== undefined) {
    args.push(`--max-user-connections=${options.maxUserConnections}`)
  }
  if (options.slowLoginSec !== undefined) {
    args.push(`--init-connect=DO SLEEP(${options.slowLoginSec})`)
  }
  if (options.maxStatementSec !== undefined) {
    args.push(`--max-statement-time=${options.maxStatementSec}`)
  }
  return args
}

/** The server ignores a statement that goes over more than one line. */
function startStatements(options: MariadbOptions): string {
  const user = `'u'@'${options.userHost ?? '%'}'`
  const identified =
    options.userPlugin === 'ed25519'
      ? "IDENTIFIED VIA ed25519 USING PASSWORD('secret')"
      : "IDENTIFIED BY 'secret'"
  const statements = [
    `CREATE USER IF NOT EXISTS ${user} ${identified}`,
    'CREATE DATABASE IF NOT EXISTS app',
    'CREATE TABLE IF NOT EXISTS app.items (id INT PRIMARY KEY, name VARCHAR(20))',
    "REPLACE INTO app.items VALUES (1, 'one'), (2, 'two'), (3, 'three')",
    // Only accounts that exist decide who may connect from where.
    "DELETE FROM mysql.global_priv WHERE User = '' OR User = 'root' AND Host NOT IN ('localhost')",
    'FLUSH PRIVILEGES',
  ]
  if (options.withoutRights !== true) statements.push(`GRANT SELECT ON *.* TO ${user}`)
  if (options.clientCertificate === true) statements.push(`ALTER USER ${user} REQUIRE X509`)
  if (options.userLocked === true) statements.push(`ALTER USER ${user} ACCOUNT LOCK`)
  if (options.passwordExpired === true) statements.push(`ALTER USER ${user} PASSWORD EXPIRE`)
  return [...statements, ...(options.sql ?? [])].map((sql) => `${sql};\n`).join('')
}
