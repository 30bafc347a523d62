/**
 * http, content, ssl and tcp with TLS, against nginx.
 *
 * @module
 */

import { expect } from 'vitest'
import type { NginxOptions } from '../../support/servers/nginx.ts'
import { nginxServer, startNginx } from '../../support/servers/nginx.ts'
import type { Bench, BrokenRow } from './bench.ts'
import { RIGHT, WRONG } from './trial.ts'

type Port = 'http' | 'https'
type Ports = Readonly<Record<Port, number>>
type Row = BrokenRow<NginxOptions, Port>

const HTTP = ['resolve', 'connect', 'first_byte', 'transfer'] as const
const HTTPS = ['resolve', 'connect', 'tls', 'first_byte', 'transfer'] as const
const AUTHORIZED = { tls: { authorized: true } }

/** A path over http, with further settings. */
const page = (path: string, more: object = {}) => ({
  settings: ({ http }: Ports) => ({ url: `http://localhost:${http}${path}`, ...more }),
})

/** What every one of these types finds in a certificate that is not right. */
const certificateRows = (type: string): readonly Row[] => [
  [
    type,
    'the certificate has expired',
    'tls_expired',
    'tls',
    { server: { certificate: 'expired' } },
  ],
  [
    type,
    'the certificate is not valid yet',
    'tls_not_yet_valid',
    'tls',
    { server: { certificate: 'notYetValid' } },
  ],
  [
    type,
    'the certificate is for another host',
    'tls_name_mismatch',
    'tls',
    { server: { certificate: 'wrongHost' } },
  ],
  [
    type,
    'the certificate is self-signed',
    'tls_self_signed',
    'tls',
    { server: { certificate: 'selfSigned' } },
  ],
  [
    type,
    'the intermediate certificate is missing',
    'tls_chain_incomplete',
    'tls',
    { server: { certificate: 'incomplete' } },
  ],
  [type, 'the server is stopped', 'connect_refused', 'connect', { stopped: true }],
]

export const web: Bench<NginxOptions, Port> = {
  need: nginxServer,
  start: startNginx,
  settings: {
    http: ({ https }) => ({ url: `https://localhost:${https}/` }),
    content: ({ https }) => ({ url: `https://localhost:${https}/` }),
    ssl: ({ https }) => ({ host: 'localhost', port: https }),
    tcp: ({ https }) => ({ host: 'localhost', port: https, tls: true }),
  },
  healthy: [
    [
      'http',
      'a page over https',
      { phases: HTTPS, details: { status: 200, body_decoded_bytes: 52, ...AUTHORIZED } },
    ],
    [
      'http',
      'a page behind two redirects',
      {
        phases: HTTP,
        details: {
          status: 200,
          hops: [{ status: 302 }, { status: 302 }, { status: 200 }],
          tls: null,
        },
      },
      page('/redirect/twice'),
    ],
    [
      'http',
      'a page behind a password',
      { phases: HTTP, details: { status: 200 } },
      page('/private', { 'auth.user': 'u', 'auth.pass': RIGHT }),
    ],
    [
      'http',
      'a bad certificate that is to be ignored',
      { phases: HTTPS, details: { status: 200, tls: { authorized: false } } },
      { server: { certificate: 'expired' }, settings: { ignore_tls_errors: true } },
    ],
    [
      'content',
      'a page with text',
      {
        phases: HTTPS,
        details: {
          status: 200,
          text_bytes: expect.any(Number),
          text_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          changed: false,
        },
      },
    ],
    [
      'ssl',
      'a certificate of 90 days',
      {
        phases: ['resolve', 'connect', 'tls'],
        details: {
          subject: 'CN=localhost',
          authorized: true,
          days_left: 89,
          faults: [],
          protocol: 'TLSv1.3',
          names_total: 6,
          chain: [{ subject: 'CN=localhost' }, { subject: 'CN=watchpost test intermediate' }],
        },
      },
    ],
    ['tcp', 'a port with TLS', { phases: ['resolve', 'connect', 'tls'], details: AUTHORIZED }],
  ],
  broken: [
    ...['http', 'content', 'ssl', 'tcp'].flatMap(certificateRows),

    [
      'http',
      'https is asked for on a port without TLS',
      'tls_not_tls',
      'tls',
      { settings: ({ http }) => ({ url: `https://localhost:${http}/` }) },
    ],
    ['http', 'the page fails', 'http_status', 'first_byte', page('/status/500')],
    ['http', 'the page is not there', 'http_status', 'first_byte', page('/no-such-page')],
    [
      'http',
      'the password is wrong',
      'http_status',
      'first_byte',
      page('/private', { 'auth.user': 'u', 'auth.pass': WRONG }),
    ],
    ['http', 'the redirects go round', 'http_redirect_loop', 'first_byte', page('/redirect/loop')],
    [
      'http',
      'the redirects end elsewhere',
      'http_final_url_mismatch',
      'first_byte',
      page('/redirect', { expected_final_url: 'http://localhost/welcome' }),
    ],
    [
      'http',
      'the keyword is missing',
      'keyword_missing',
      'transfer',
      page('/', { keyword_present: 'in stock' }),
    ],
    [
      'http',
      'a text is there that must not be',
      'keyword_found',
      'transfer',
      page('/', { keyword_absent_regex: 'watchpost (test|error)' }),
    ],
    ['http', 'the page is too small', 'size_below', 'transfer', page('/', { size_min: 1000 })],
    ['http', 'the page is too large', 'size_above', 'transfer', page('/big', { size_max: 1000 })],
    [
      'http',
      'there is no number',
      'number_missing',
      'transfer',
      page('/', { number_regex: 'Queue: (\\d+)' }),
    ],
    [
      'http',
      'the number is too large',
      'number_above',
      'transfer',
      page('/status/503', { expected_status: '503', number_regex: '\\d+', number_max: 500 }),
    ],
    [
      'http',
      'the answer took too long',
      'slow_response',
      null,
      page('/slow', { max_response_ms: 100 }),
    ],
    [
      'http',
      'the answer does not come',
      'http_response_timeout',
      'first_byte',
      { ...page('/slow'), server: { slowMs: 30_000 }, timeout_ms: 1000 },
    ],
    [
      'http',
      'the body does not end',
      'http_body_timeout',
      'transfer',
      { ...page('/drip'), timeout_ms: 1000 },
    ],
    ['http', 'the server closes without an answer', 'closed_early', 'first_byte', page('/close')],
    [
      'http',
      'the server wants a certificate of ours',
      'tls_client_cert_required',
      'tls',
      { server: { clientCertificate: true } },
    ],
    [
      'http',
      'the server is full',
      'http_status',
      'first_byte',
      {
        server: { maxConnections: 1 },
        crowd: {
          port: 'http',
          count: 1,
          say: 'GET /drip HTTP/1.1\r\nHost: localhost\r\n\r\n',
          until: /^HTTP\/1.1 200/,
        },
        ...page('/'),
      },
    ],
    [
      'http',
      'the target is not public',
      'connect_blocked',
      'resolve',
      { flags: ['--targets=public'] },
    ],

    ['content', 'the page fails', 'http_status', 'first_byte', page('/status/503')],
    [
      'content',
      'the page has no text',
      'content_empty',
      'transfer',
      { server: { page: '<!doctype html><title></title><script>draw()</script>' } },
    ],
    [
      'content',
      'nothing is left of the page',
      'content_empty',
      'transfer',
      { settings: { ignore_regex: '.+' } },
    ],
    [
      'content',
      'the password is wrong',
      'http_status',
      'first_byte',
      page('/private', { 'auth.user': 'u', 'auth.pass': WRONG }),
    ],
    [
      'content',
      'the body does not end',
      'http_body_timeout',
      'transfer',
      { ...page('/drip'), timeout_ms: 1000 },
    ],

    [
      'ssl',
      'only an old version of TLS is spoken',
      'tls_protocol',
      'tls',
      { server: { tlsVersions: ['TLSv1.1'] } },
    ],
    ['ssl', 'there is no TLS', 'tls_not_tls', 'tls', { settings: ({ http }) => ({ port: http }) }],

    ['tcp', 'there is no TLS', 'tls_not_tls', 'tls', { settings: ({ http }) => ({ port: http }) }],
    [
      'tcp',
      'another answer comes',
      'banner_mismatch',
      'greeting',
      {
        settings: ({ http }) => ({
          port: http,
          tls: false,
          send: 'HEAD / HTTP/1.0\\r\\n\\r\\n',
          banner_regex: '^HTTP/1\\.[01] 5',
        }),
      },
    ],
    [
      'tcp',
      'nothing is said',
      'banner_timeout',
      'greeting',
      {
        settings: ({ http }) => ({ port: http, tls: false, banner_regex: '^220' }),
        timeout_ms: 1000,
      },
    ],
  ],
}
