/**
 * Squid: a proxy that opens ways to any port (its own rules would allow 443 alone), with a login if one is asked for,
 * in clear and behind TLS.
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import type { TestCertificate } from '../certificates.ts'
import type { Place, RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import { tlsFiles } from './tls-files.ts'

export const squidServer: ServerNeed = {
  name: 'Squid',
  packages: 'squid',
  locate: () => findBinary(['squid']),
}

export interface SquidOptions {
  /** `user:password`, asked of every client. Default: none. */
  readonly login?: string
  /** What it shows over TLS. Debian's build sends it without the intermediate, whatever the file has. */
  readonly certificate?: TestCertificate
}

type SquidPort = 'http' | 'https'
export type SquidServer = RunningServer<SquidPort>

export function startSquid({ login, certificate }: SquidOptions = {}): Promise<SquidServer> {
  return startServer({
    name: 'squid',
    binary: required(squidServer),
    ports: ['http', 'https'],
    args: ({ dir }) => ['-N', '-f', `${dir}/squid.conf`],
    files: (place) => ({
      'squid.conf': configuration(place, login),
      ...tlsFiles(certificate),
      ...(login === undefined ? {} : { logins: hashed(login) }),
    }),
  })
}

function configuration({ dir, ports }: Place<SquidPort>, login: string | undefined): string {
  const access =
    login === undefined
      ? ['http_access allow localhost']
      : [
          `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${dir}/logins`,
          'auth_param basic children 1 startup=1',
          'acl known proxy_auth REQUIRED',
          'http_access allow known',
        ]
  const lines = [
    `http_port 127.0.0.1:${ports.http}`,
    `https_port 127.0.0.1:${ports.https} tls-cert=${dir}/tls/chain.pem tls-key=${dir}/tls/key.pem`,
    'pid_filename none',
    `cache_log ${dir}/cache.log`,
    `access_log stdio:${dir}/access.log`,
    'cache deny all',
    'cache_mem 8 MB',
    `coredump_dir ${dir}`,
    'pinger_enable off',
    'netdb_filename none',
    'shutdown_lifetime 0 seconds',
    'visible_hostname proxy.test',
    'max_filedescriptors 1024',
    ...access,
    'http_access deny all',
  ]
  return `${lines.join('\n')}\n`
}

/** As `htpasswd` writes it. */
function hashed(login: string): string {
  const [user = '', password = ''] = login.split(':')
  const hash = execFileSync('openssl', ['passwd', '-apr1', '-stdin'], {
    input: `${password}\n`,
    encoding: 'utf8',
  })
  return `${user}:${hash}`
}
