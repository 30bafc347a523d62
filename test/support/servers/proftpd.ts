/**
 * ProFTPD for u/secret, with AUTH TLS on one port and TLS from the first byte on another; the home
 * directory holds `readme.txt`.
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import type { Place, RunningServer } from './harness.ts'
import { accepts, startServer } from './harness.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

const TLS_MODULE = '/usr/lib/proftpd/mod_tls.so'

export const proftpdServer: ServerNeed = {
  name: 'ProFTPD',
  packages: 'proftpd-core proftpd-mod-crypto',
  locate: () => (existsSync(TLS_MODULE) ? findBinary(['proftpd']) : undefined),
}

export interface ProftpdOptions {
  /** `off`: no AUTH TLS, and nothing but plain FTP on the TLS port. `required`: 550 to a plain login. Default `on`. */
  readonly tls?: 'on' | 'off' | 'required'
  readonly certificate?: CertificateKind
  /** Logged in at the same time, at least 1; beyond it 530. */
  readonly maxClients?: number
  /** `connection` closes without a word, `login` is 530 after the right password. Default: nobody is denied. */
  readonly deny?: 'connection' | 'login'
  /** After 220. Default "ProFTPD test". */
  readonly serverIdent?: string
  /** A file of so many lines before the last line of the greeting. Default none. */
  readonly greetingLines?: number
  /** Data connections want a resumed TLS session, which many clients cannot do. Default `false`. */
  readonly sessionReuse?: boolean
  /** Wrong passwords until the server closes. Default 3. */
  readonly maxLoginAttempts?: number
  /** Seconds that the server waits for a login. Default 300. */
  readonly loginTimeoutSec?: number
}

export type ProftpdServer = RunningServer<'ftp' | 'ftps'>

export function startProftpd(options: ProftpdOptions = {}): Promise<ProftpdServer> {
  return startServer({
    name: 'proftpd',
    binary: required(proftpdServer),
    ports: ['ftp', 'ftps'],
    folders: ['home'],
    args: ({ dir }) => ['-n', '-c', `${dir}/proftpd.conf`],
    files: (place) => ({
      'proftpd.conf': configuration(place, options),
      'home/readme.txt': 'hello\n',
      'greeting.txt': 'One of several lines\n'.repeat(options.greetingLines ?? 0),
      passwords: passwordLine(place),
      ...tlsFiles(options.certificate),
    }),
    ready: async ({ ports }) => {
      await accepts(ports.ftp)
      await accepts(ports.ftps)
    },
  })
}

function passwordLine({ dir, account }: Place): string {
  const hash = execFileSync('openssl', ['passwd', '-6', 'secret'], { encoding: 'utf8' }).trim()
  return `u:${hash}:${account.uid}:${account.gid}::${dir}/home:/bin/false\n`
}

/** Two servers in one process: settings outside `VirtualHost` belong to the first one. */
function configuration(place: Place<'ftp' | 'ftps'>, options: ProftpdOptions): string {
  return `ModulePath /usr/lib/proftpd
LoadModule mod_tls.c
ServerType standalone
DefaultAddress 127.0.0.1
UseIPv6 off
UseReverseDNS off
User ${place.account.user}
Group ${place.account.group}
PidFile ${place.dir}/pid
ScoreboardFile ${place.dir}/scoreboard
DelayEngine off
WtmpLog off
TransferLog none
SystemLog ${place.dir}/log
ControlsEngine off
Port ${place.ports.ftp}
${hostSettings(place, options, false)}
<VirtualHost 127.0.0.1>
Port ${place.ports.ftps}
${hostSettings(place, options, true)}
</VirtualHost>
`
}

function hostSettings(place: Place, options: ProftpdOptions, implicit: boolean): string {
  const { dir } = place
  const lines = [
    'ServerName test',
    `ServerIdent on "${options.serverIdent ?? 'ProFTPD test'}"`,
    'AuthOrder mod_auth_file.c',
    `AuthUserFile ${dir}/passwords`,
    'RequireValidShell off',
    `MaxLoginAttempts ${options.maxLoginAttempts ?? 3}`,
    `TimeoutLogin ${options.loginTimeoutSec ?? 300}`,
    `MaxClients ${options.maxClients ?? 'none'} "Too many users"`,
  ]
  if (options.greetingLines !== undefined) lines.push(`DisplayConnect ${dir}/greeting.txt`)
  if (options.deny === 'connection') lines.push('<Limit LOGIN>', 'DenyAll', '</Limit>')
  if (options.deny === 'login') lines.push('<Limit LOGIN>', 'DenyUser u', '</Limit>')
  if (options.tls !== 'off') lines.push(...tlsSettings(dir, options, implicit))
  return lines.join('\n')
}

function tlsSettings(dir: string, options: ProftpdOptions, implicit: boolean): string[] {
  const how = [
    implicit ? 'UseImplicitSSL' : '',
    options.sessionReuse ? '' : 'NoSessionReuseRequired',
  ]
  const words = how.filter((word) => word !== '').join(' ')
  return [
    'TLSEngine on',
    `TLSRSACertificateFile ${dir}/tls/chain.pem`,
    `TLSRSACertificateKeyFile ${dir}/tls/key.pem`,
    `TLSCertificateChainFile ${dir}/tls/chain.pem`,
    `TLSRequired ${options.tls === 'required' ? 'on' : 'off'}`,
    ...(words === '' ? [] : [`TLSOptions ${words}`]),
  ]
}
