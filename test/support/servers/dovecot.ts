/**
 * Dovecot with IMAP and POP3, plain (with STARTTLS and STLS) and with TLS from the first byte. Any user,
 * password "secret", an empty mailbox.
 *
 * @module
 */

import type { Place, RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import { answersTo } from './hello.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

export const dovecotServer: ServerNeed = {
  name: 'Dovecot',
  packages: 'dovecot-imapd dovecot-pop3d',
  locate: () => findBinary(['dovecot']),
}

export interface DovecotOptions {
  /**
   * `off`: no STARTTLS, no STLS, and nothing behind the TLS ports. `required`: no login without TLS, seen
   * on {@link OTHER_ADDRESS} only, since a connection from an address to itself counts as safe. Default `on`.
   */
  readonly tls?: 'on' | 'off' | 'required'
  readonly certificate?: CertificateKind
  /** Default `['plain', 'login']`. */
  readonly mechanisms?: readonly string[]
  /** `temporary`: the password store is broken, `NO [UNAVAILABLE]` and `-ERR [SYS/TEMP]`. Default `works`. */
  readonly passwords?: 'works' | 'temporary'
  /** `broken`: the login is right and the mailbox cannot be opened. Default `works`. */
  readonly mailboxes?: 'works' | 'broken'
  /** Default "Dovecot ready.". */
  readonly greeting?: string
  /** Before a wrong password is refused, in seconds. Default 0. */
  readonly refusalDelaySec?: number
  /** Connections that may be logged in at once, per user and address. */
  readonly maxUserConnections?: number
}

/** Where Dovecot listens too: connections from 127.0.0.1 come from another address than this. */
export const OTHER_ADDRESS = '127.0.0.2'

export type DovecotPort = 'imap' | 'imaps' | 'pop3' | 'pop3s'
export type DovecotServer = RunningServer<DovecotPort>

export function startDovecot(options: DovecotOptions = {}): Promise<DovecotServer> {
  return startServer({
    name: 'dovecot',
    binary: required(dovecotServer),
    ports: ['imap', 'imaps', 'pop3', 'pop3s'],
    folders: ['run', 'state', 'mail'],
    args: ({ dir }) => ['-F', '-c', `${dir}/dovecot.conf`],
    files: (place) => ({
      'dovecot.conf': configuration(place, options),
      // The code that means "try again later" to checkpassword's callers.
      'temporary-failure.sh': 'exit 111\n',
      ...tlsFiles(options.certificate),
    }),
    ready: async ({ ports }) => {
      await answersTo(ports.imap, '', /^\* OK/)
      await answersTo(ports.pop3, '', /^\+OK/)
    },
  })
}

function configuration(place: Place<DovecotPort>, options: DovecotOptions): string {
  return [
    baseSettings(place, options),
    loginSettings(place, options),
    listener('imap', place),
    listener('pop3', place),
    // Needs no rights only where nothing changes its root directory.
    ...['anvil', 'stats'].map((service) => `service ${service} {\n  chroot =\n}`),
    '',
  ].join('\n')
}

function baseSettings({ dir, account }: Place, options: DovecotOptions): string {
  const tls = { on: 'yes', off: 'no', required: 'required' }[options.tls ?? 'on']
  const lines = [
    `base_dir = ${dir}/run`,
    `state_dir = ${dir}/state`,
    'log_path = /dev/stderr',
    'protocols = imap pop3',
    `listen = 127.0.0.1${options.tls === 'required' ? `, ${OTHER_ADDRESS}` : ''}`,
    `default_login_user = ${account.user}`,
    `default_internal_user = ${account.user}`,
    `default_internal_group = ${account.group}`,
    `ssl = ${tls}`,
  ]
  if (tls !== 'no') lines.push(`ssl_cert = <${dir}/tls/chain.pem`, `ssl_key = <${dir}/tls/key.pem`)
  return lines.join('\n')
}

function loginSettings({ dir, account }: Place, options: DovecotOptions): string {
  const { uid, gid } = account
  const home = options.mailboxes === 'broken' ? '/proc/1' : `${dir}/mail/%u`
  const passwords =
    options.passwords === 'temporary'
      ? `driver = checkpassword\n  args = /bin/sh ${dir}/temporary-failure.sh`
      : 'driver = static\n  args = password=secret'
  return `
first_valid_uid = 1
mail_location = maildir:${home}
mail_uid = ${uid}
mail_gid = ${gid}
mail_max_userip_connections = ${options.maxUserConnections ?? 10}
disable_plaintext_auth = ${options.tls === 'required' ? 'yes' : 'no'}
auth_mechanisms = ${(options.mechanisms ?? ['plain', 'login']).join(' ')}
auth_failure_delay = ${options.refusalDelaySec ?? 0} secs
login_greeting = ${options.greeting ?? 'Dovecot ready.'}
passdb {
  ${passwords}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${home}
}`
}

function listener(protocol: 'imap' | 'pop3', { ports }: Place<DovecotPort>): string {
  return `
service ${protocol}-login {
  chroot =
  inet_listener ${protocol} {
    port = ${ports[protocol]}
  }
  inet_listener ${protocol}s {
    port = ${ports[`${protocol}s`]}
    ssl = yes
  }
}`
}
