/**
 * Exim: SMTP with STARTTLS and with TLS from the first byte, AUTH PLAIN and LOGIN for u/secret. Mail for
 * anyone is accepted and thrown away, unless it is to be kept; but for the recipients deny@ (550), defer@
 * (451) and, with the message itself, spam@ (554).
 *
 * @module
 */

import type { Place, RunningServer } from './harness.ts'
import { accepts, startServer } from './harness.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

export const eximServer: ServerNeed = {
  name: 'Exim',
  packages: 'exim4-daemon-light',
  locate: () => findBinary(['exim4', 'exim']),
}

export interface EximOptions {
  /** `off`: STARTTLS is not offered, and the TLS port speaks plain. Default `on`. */
  readonly tls?: 'on' | 'off'
  readonly certificate?: CertificateKind
  /** TLS only with a client certificate of the test authority. */
  readonly clientCertificate?: boolean
  /** To the connecting host: `deny` is 554, `defer` is 421, `drop` is 550 and the end of the connection. Default `accept`. */
  readonly greeting?: 'accept' | 'deny' | 'defer' | 'drop'
  /** Held back for so long. Default 0. */
  readonly greetingDelaySec?: number
  /** What follows 220. Default "mx.example.test ESMTP". */
  readonly banner?: string
  /** `deny` is 550 to EHLO. Default `accept`. */
  readonly ehlo?: 'accept' | 'deny'
  /** `over_tls` offers AUTH on encrypted connections only; `broken` is 435 to every login. Default `on`. */
  readonly auth?: 'on' | 'off' | 'over_tls' | 'broken'
  /** Default both. */
  readonly mechanisms?: readonly ('PLAIN' | 'LOGIN')[]
  /** Connections beyond it get 421. */
  readonly maxConnections?: number
  /** Every message becomes a file of its own in the folder `mail` of the server's directory. */
  readonly keep?: boolean
}

export type EximServer = RunningServer<'smtp' | 'smtps'>

export function startExim(options: EximOptions = {}): Promise<EximServer> {
  return startServer({
    name: 'exim',
    binary: required(eximServer),
    ports: ['smtp', 'smtps'],
    folders: ['spool', 'mail'],
    args: ({ dir }) => ['-C', `${dir}/exim.conf`, '-bdf'],
    files: (place) => ({
      'exim.conf': configuration(place, options),
      ...tlsFiles(options.certificate),
    }),
    ready: async ({ ports }) => {
      await accepts(ports.smtp)
      await accepts(ports.smtps)
    },
  })
}

function configuration(place: Place<'smtp' | 'smtps'>, options: EximOptions): string {
  const broken = options.auth === 'broken'
  return `${mainSettings(place, options)}
begin acl
at_connect:
  ${connectRule(options)}
at_ehlo:
  ${options.ehlo === 'deny' ? 'deny message = Your name is not welcome' : 'accept'}
at_rcpt:
  deny local_parts = deny
    message = No such mailbox
  defer local_parts = defer
    message = Try again later
  accept
at_data:
  deny condition = \${if match{\$recipients}{^spam@}}
    message = This looks like spam
  accept

begin routers
${options.keep === true ? keeper : nowhere}
begin transports
files:
  driver = appendfile
  directory = ${place.dir}/mail
  directory_file = \$message_exim_id
  user = ${place.account.user}
  envelope_to_add
  batch_max = 100

begin authenticators
${(options.mechanisms ?? ['PLAIN', 'LOGIN']).map((name) => authenticator(name, broken)).join('')}`
}

const nowhere = `nowhere:
  driver = redirect
  data = :blackhole:
`

const keeper = `keeper:
  driver = accept
  transport = files
`

function mainSettings(
  { dir, ports, account }: Place<'smtp' | 'smtps'>,
  options: EximOptions,
): string {
  const { tls = 'on', auth = 'on' } = options
  const authHosts = { on: '*', broken: '*', off: '', over_tls: '${if def:tls_in_cipher{*}{}}' }[
    auth
  ]
  const lines = [
    'primary_hostname = mx.example.test',
    `spool_directory = ${dir}/spool`,
    `log_file_path = ${dir}/%slog`,
    `pid_file_path = ${dir}/pid`,
    `exim_user = ${account.user}`,
    `exim_group = ${account.group}`,
    'never_users =',
    `daemon_smtp_ports = ${ports.smtp} : ${ports.smtps}`,
    'local_interfaces = 127.0.0.1',
    `smtp_banner = ${options.banner ?? 'mx.example.test ESMTP'}`,
    `smtp_accept_max = ${options.maxConnections ?? 0}`,
    'smtp_enforce_sync = false',
    `auth_advertise_hosts = ${authHosts}`,
    'acl_smtp_connect = at_connect',
    'acl_smtp_helo = at_ehlo',
    'acl_smtp_rcpt = at_rcpt',
    'acl_smtp_data = at_data',
    'deliver_drop_privilege = true',
    'keep_environment =',
  ]
  if (tls === 'off') return [...lines, 'tls_advertise_hosts =', ''].join('\n')
  return [
    ...lines,
    'tls_advertise_hosts = *',
    `tls_on_connect_ports = ${ports.smtps}`,
    `tls_certificate = ${dir}/tls/chain.pem`,
    `tls_privatekey = ${dir}/tls/key.pem`,
    ...(options.clientCertificate === true
      ? ['tls_verify_hosts = *', `tls_verify_certificates = ${dir}/tls/ca.pem`]
      : []),
    '',
  ].join('\n')
}

function connectRule({ greeting = 'accept', greetingDelaySec = 0 }: EximOptions): string {
  const delay = `delay = ${greetingDelaySec}s`
  const rules = {
    accept: `accept\n  ${delay}`,
    deny: `deny\n  message = 554 Your address is not welcome\n  ${delay}`,
    defer: `defer\n  message = 421 Come back later\n  ${delay}`,
    drop: `drop\n  ${delay}`,
  }
  return rules[greeting]
}

function authenticator(name: 'PLAIN' | 'LOGIN', broken: boolean): string {
  const [prompts, user, pass] =
    name === 'PLAIN' ? [':', '$auth2', '$auth3'] : ['Username:: : Password::', '$auth1', '$auth2']
  const right = `\${if and{{eq{${user}}{u}}{eq{${pass}}{secret}}}}`
  return `${name.toLowerCase()}:
  driver = plaintext
  public_name = ${name}
  server_prompts = ${prompts}
  server_condition = ${broken ? '${if eq{1}{1}{defer the answer}}' : right}
  server_set_id = ${user}
`
}
