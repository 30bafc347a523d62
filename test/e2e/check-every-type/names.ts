/**
 * dns against BIND.
 *
 * @module
 */

import { bindServer, startBind } from '../../support/servers/bind.ts'
import type { BindOptions } from '../../support/servers/bind.ts'
import type { Bench } from './bench.ts'

type Ports = Readonly<Record<'dns' | 'dot', number>>

const overTls = ({ dot }: Ports) => ({ nameserver: `tls://localhost:${dot}` })

export const bind: Bench<BindOptions, 'dns' | 'dot'> = {
  need: bindServer,
  start: startBind,
  settings: {
    dns: ({ dns }) => ({ dns_name: 'www.example.test', nameserver: `127.0.0.1:${dns}` }),
  },
  healthy: [
    [
      'dns',
      'two addresses, in whatever order',
      {
        phases: ['resolve'],
        details: {
          rcode: 'NOERROR',
          answers: [
            { type: 'A', value: '127.0.0.10', ttl: 60 },
            { type: 'A', value: '127.0.0.9', ttl: 60 },
          ],
          min_ttl: 60,
          authoritative: true,
          transport: 'udp',
        },
      },
      { settings: { expected: ['127.0.0.9', '127.0.0.10'], match: 'exact' } },
    ],
    [
      'dns',
      'an alias of an alias',
      {
        phases: ['resolve'],
        details: {
          cname_chain: [
            'chain2.example.test',
            'chain3.example.test',
            'alias.example.test',
            'www.example.test',
          ],
        },
      },
      { settings: { dns_name: 'chain1.example.test' } },
    ],
    [
      'dns',
      'an answer that is too long for UDP',
      { phases: ['resolve', 'connect'], details: { truncated: true, transport: 'tcp' } },
      { settings: { dns_name: 'long.example.test', rrtype: 'TXT' } },
    ],
    [
      'dns',
      'a server that speaks TLS',
      { phases: ['resolve', 'connect', 'tls'], details: { rcode: 'NOERROR', transport: 'tls' } },
      { settings: overTls },
    ],
    [
      'dns',
      'a name that must not exist',
      { phases: ['resolve'], details: { rcode: 'NXDOMAIN' } },
      { settings: { dns_name: 'old.example.test', match: 'nxdomain' } },
    ],
  ],
  broken: [
    [
      'dns',
      'the name does not exist',
      'dns_nxdomain',
      'resolve',
      { settings: { dns_name: 'nowhere.example.test' } },
    ],
    [
      'dns',
      'the alias leads nowhere',
      'dns_nxdomain',
      'resolve',
      { settings: { dns_name: 'dangling.example.test' } },
    ],
    [
      'dns',
      'the name has no such record',
      'dns_no_records',
      'resolve',
      { settings: { dns_name: 'v4only.example.test', rrtype: 'AAAA' } },
    ],
    [
      'dns',
      'the address is another one',
      'dns_mismatch',
      'resolve',
      { settings: { expected: '192.0.2.1' } },
    ],
    [
      'dns',
      'there is an address too many',
      'dns_unexpected_record',
      'resolve',
      { settings: { expected: '127.0.0.9', match: 'exact' } },
    ],
    [
      'dns',
      'the name must not exist and does',
      'dns_unexpected_record',
      'resolve',
      { settings: { match: 'nxdomain' } },
    ],
    [
      'dns',
      'nobody may ask for the zone',
      'dns_refused',
      'resolve',
      { settings: { dns_name: 'www.refused.test' } },
    ],
    [
      'dns',
      'the zone cannot be read',
      'dns_server_failure',
      'resolve',
      { settings: { dns_name: 'www.broken.test' } },
    ],
    ['dns', 'we may not ask at all', 'dns_refused', 'resolve', { server: { refuse: true } }],
    [
      'dns',
      'the certificate of the server has expired',
      'tls_expired',
      'tls',
      { server: { certificate: 'expired' }, settings: overTls },
    ],
    [
      'dns',
      'the certificate of the server is for another host',
      'tls_name_mismatch',
      'tls',
      { server: { certificate: 'wrongHost' }, settings: overTls },
    ],
    ['dns', 'the server is stopped', 'connect_refused', 'resolve', { stopped: true }],
    [
      'dns',
      'the server is stopped, asked over TLS',
      'connect_refused',
      'connect',
      { stopped: true, settings: overTls },
    ],
  ],
}
