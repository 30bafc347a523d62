/**
 * smtp (and tcp in its simplest use) against Exim, imap and pop3 against Dovecot, ftp against ProFTPD.
 *
 * @module
 */

import { expect } from 'vitest'
import { dovecotServer, OTHER_ADDRESS, startDovecot } from '../../support/servers/dovecot.ts'
import type { DovecotOptions, DovecotPort } from '../../support/servers/dovecot.ts'
import { eximServer, startExim } from '../../support/servers/exim.ts'
import type { EximOptions } from '../../support/servers/exim.ts'
import { proftpdServer, startProftpd } from '../../support/servers/proftpd.ts'
import type { ProftpdOptions } from '../../support/servers/proftpd.ts'
import type { CertificateKind } from '../../support/servers/tls-files.ts'
import type { Bench, BrokenRow, HealthyRow } from './bench.ts'
import { RIGHT, WRONG } from './trial.ts'

const LOGIN = { host: 'localhost', user: 'u', pass: RIGHT } as const
const NO_LOGIN = { user: undefined, pass: undefined } as const
const AUTHORIZED = { tls: { authorized: true } }

/** Connect, greeting, capabilities, change to TLS, login. */
const PHASES = ['resolve', 'connect', 'greeting', 'query', 'starttls', 'auth'] as const

/** The ways of TLS and login that all four have. */
const healthyRows = <O, P extends string>(
  type: string,
  port: P,
  auth_method: string,
): readonly HealthyRow<O, P>[] => [
  [
    type,
    'a login after the change to TLS',
    {
      phases: PHASES,
      details: { banner: expect.any(String) as string, starttls: true, auth_method, ...AUTHORIZED },
    },
  ],
  [
    type,
    'a login with TLS from the first byte',
    {
      phases: ['resolve', 'connect', 'tls', 'greeting', 'query', 'auth'],
      details: { auth_method, ...AUTHORIZED },
    },
    { settings: (ports) => ({ tls: 'implicit', port: ports[port] }) },
  ],
  [
    type,
    'a greeting without a login',
    { phases: ['resolve', 'connect', 'greeting', 'query'], details: { starttls: true } },
    { settings: { ...NO_LOGIN } },
  ],
]

/** What all four find in a server whose TLS is not right, or that is not there at all. */
const commonRows = <O extends { tls?: string; certificate?: CertificateKind }, P extends string>(
  type: string,
): readonly BrokenRow<O, P>[] => {
  const bad = (certificate: CertificateKind) => ({ server: { certificate } as O })
  return [
    [type, 'the server is stopped', 'connect_refused', 'connect', { stopped: true }],
    [type, 'the password is wrong', 'auth_failed', 'auth', { settings: { pass: WRONG } }],
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
      'TLS is not offered, and so no password is sent',
      'tls_unsupported',
      'starttls',
      { server: { tls: 'off' } as O },
    ],
    [
      type,
      'TLS from the first byte is asked for where there is none',
      'tls_not_tls',
      'tls',
      { settings: { tls: 'implicit' } },
    ],
  ]
}

export const exim: Bench<EximOptions, 'smtp' | 'smtps'> = {
  need: eximServer,
  start: startExim,
  settings: {
    smtp: ({ smtp }) => ({ ...LOGIN, port: smtp }),
    tcp: ({ smtp }) => ({ host: 'localhost', port: smtp, banner_regex: '^220 .*ESMTP' }),
  },
  healthy: [
    ...healthyRows<EximOptions, 'smtp' | 'smtps'>('smtp', 'smtps', 'PLAIN'),
    [
      'tcp',
      'a greeting',
      {
        phases: ['resolve', 'connect', 'greeting'],
        details: { banner: '220 mx.example.test ESMTP\\r\\n' },
      },
    ],
  ],
  broken: [
    ...commonRows<EximOptions, 'smtp' | 'smtps'>('smtp'),
    [
      'smtp',
      'we are on a block list',
      'greeting_rejected',
      'greeting',
      { server: { greeting: 'deny' } },
    ],
    [
      'smtp',
      'the server wants us to come back later',
      'service_closing',
      'greeting',
      { server: { greeting: 'defer' } },
    ],
    [
      'smtp',
      'the server turns us away',
      'greeting_rejected',
      'greeting',
      { server: { greeting: 'drop' } },
    ],
    [
      'smtp',
      'the server refuses our name',
      'greeting_rejected',
      'query',
      { server: { ehlo: 'deny' } },
    ],
    [
      'smtp',
      'the greeting is another one',
      'banner_mismatch',
      'greeting',
      { settings: { banner_regex: '^220 mail\\.' } },
    ],
    [
      'smtp',
      'the greeting does not come',
      'banner_timeout',
      'greeting',
      { server: { greetingDelaySec: 30 }, timeout_ms: 1500 },
    ],
    ['smtp', 'no login is offered', 'auth_unsupported', 'auth', { server: { auth: 'off' } }],
    [
      'smtp',
      'no login is offered in clear',
      'auth_unsupported',
      'auth',
      { server: { auth: 'over_tls' }, settings: { tls: 'none' } },
    ],
    ['smtp', 'logins cannot be checked', 'auth_temporary', 'auth', { server: { auth: 'broken' } }],
    [
      'smtp',
      'the server is full',
      'service_closing',
      'greeting',
      { server: { maxConnections: 1 }, crowd: { port: 'smtp', count: 1, until: /^220/ } },
    ],
    [
      'tcp',
      'the greeting does not come',
      'banner_timeout',
      'greeting',
      { server: { greetingDelaySec: 30 }, timeout_ms: 1500 },
    ],
  ],
}

/** The rows that imap and pop3 share. */
const dovecotRows = (type: 'imap' | 'pop3'): readonly BrokenRow<DovecotOptions, DovecotPort>[] => [
  ...commonRows<DovecotOptions, DovecotPort>(type),
  [
    type,
    'the intermediate certificate is missing',
    'tls_chain_incomplete',
    'starttls',
    { server: { certificate: 'incomplete' } },
  ],
  [
    type,
    'logins cannot be checked',
    'auth_temporary',
    'auth',
    { server: { passwords: 'temporary' } },
  ],
  [
    type,
    'the refusal does not come',
    'auth_timeout',
    'auth',
    { server: { refusalDelaySec: 30 }, settings: { pass: WRONG }, timeout_ms: 1500 },
  ],
  [
    type,
    'no login is taken in clear',
    'auth_unsupported',
    'auth',
    { server: { tls: 'required' }, settings: { host: OTHER_ADDRESS, tls: 'none' } },
  ],
]

export const dovecot: Bench<DovecotOptions, DovecotPort> = {
  need: dovecotServer,
  start: startDovecot,
  settings: {
    imap: ({ imap }) => ({ ...LOGIN, port: imap }),
    pop3: ({ pop3 }) => ({ ...LOGIN, port: pop3 }),
  },
  healthy: [
    ...healthyRows<DovecotOptions, DovecotPort>('imap', 'imaps', 'PLAIN'),
    ...healthyRows<DovecotOptions, DovecotPort>('pop3', 'pop3s', 'USER'),
  ],
  broken: [
    ...dovecotRows('imap'),
    ...dovecotRows('pop3'),
    [
      'imap',
      'the user has too many connections',
      'auth_temporary',
      'auth',
      {
        server: { maxUserConnections: 1 },
        crowd: { port: 'imap', count: 1, say: 'a LOGIN u secret\r\n', until: /^a OK/m },
      },
    ],
  ],
}

export const proftpd: Bench<ProftpdOptions, 'ftp' | 'ftps'> = {
  need: proftpdServer,
  start: startProftpd,
  settings: {
    ftp: ({ ftp }) => ({ ...LOGIN, port: ftp }),
  },
  healthy: healthyRows('ftp', 'ftps', 'USER'),
  broken: [
    ...commonRows<ProftpdOptions, 'ftp' | 'ftps'>('ftp'),
    ['ftp', 'the user may not log in', 'auth_failed', 'auth', { server: { deny: 'login' } }],
    [
      'ftp',
      'no login is taken in clear',
      'auth_unsupported',
      'auth',
      { server: { tls: 'required' }, settings: { tls: 'none' } },
    ],
    [
      'ftp',
      'the server hangs up on us',
      'closed_early',
      'greeting',
      { server: { deny: 'connection' } },
    ],
  ],
}
