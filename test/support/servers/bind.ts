/**
 * BIND: authoritative for the zones below, over UDP, TCP and TLS (RFC 7858).
 *
 * | zone | answers |
 * |---|---|
 * | `example.test` | see {@link EXAMPLE_ZONE} |
 * | `refused.test` | REFUSED: nobody may ask |
 * | `broken.test` | SERVFAIL: its file cannot be read |
 *
 * Every other zone is REFUSED, unless `recursion` is on.
 *
 * @module
 */

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { systemClock } from '../../../src/clock.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import { dnsHeader, dnsQuery } from './dns-bytes.ts'
import type { Place, RunningServer } from './harness.ts'
import { accepts, startServer } from './harness.ts'
import { helloUdp } from './hello.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

export const bindServer: ServerNeed = {
  name: 'BIND',
  packages: 'bind9',
  locate: () => findBinary(['named']),
}

/** The TXT record of `long` takes about 2.5 KB, more than any UDP answer here. */
export const EXAMPLE_ZONE = `$TTL 60
@        IN SOA   ns.example.test. hostmaster.example.test. 2024010101 3600 600 86400 60
@        IN NS    ns
@        IN NS    ns2
@        IN A     127.0.0.1
@        IN AAAA  ::1
@        IN MX    10 mail
@        IN MX    20 mail2
@        IN TXT   "v=spf1 -all"
@        IN TXT   "two " "strings"
@        IN CAA   0 issue "ca.example.test"
ns       IN A     127.0.0.1
ns2      IN A     127.0.0.2
mail     IN A     127.0.0.3
mail2    IN A     127.0.0.4
www      IN A     127.0.0.9
www      IN A     127.0.0.10
www      IN AAAA  ::9
alias    IN CNAME www
chain1   IN CNAME chain2
chain2   IN CNAME chain3
chain3   IN CNAME alias
loop1    IN CNAME loop2
loop2    IN CNAME loop1
dangling IN CNAME nowhere
outside  IN CNAME www.elsewhere.invalid.
_imap._tcp IN SRV 10 60 143 mail
*.wild   IN A     127.0.0.42
v4only   IN A     127.0.0.1
v6only   IN AAAA  ::1
private  IN A     10.0.0.1
${Array.from({ length: 40 }, (_, i) => `long IN TXT "${String(i).padStart(2, '0')} ${'long text '.repeat(6)}"`).join('\n')}
`

export interface BindOptions {
  /** Further records of `example.test`, in the form of a zone file. */
  readonly records?: string
  /** REFUSED to everybody and for everything. Default `false`. */
  readonly refuse?: boolean
  /** The zone `signed.test`, signed with keys of its own. Default `false`. */
  readonly signed?: boolean
  /** Validates `signed.test`, asked from the server on this port, with this key. */
  readonly validates?: { readonly port: number; readonly key: string }
  /** Asks other servers (there are none: SERVFAIL after a while). Default `false`: REFUSED. */
  readonly recursion?: boolean
  readonly certificate?: CertificateKind
  /** Answers over UDP that are longer are cut off, with TC. At least 512. Default 1232. */
  readonly maxUdpBytes?: number
  /** Equal answers per second and client; beyond it half of them is dropped, the rest has TC. */
  readonly responsesPerSec?: number
  /** TCP clients at the same time; further ones are not served. Default 150. */
  readonly tcpClients?: number
}

export interface BindServer extends RunningServer<'dns' | 'dot'> {
  /** Puts other records in place of the zone's and waits until they are served. */
  replaceZone(text: string): Promise<void>
}

export async function startBind(options: BindOptions = {}): Promise<BindServer> {
  const server = await startServer({
    name: 'bind',
    binary: required(bindServer),
    ports: ['dns', 'dot'],
    args: ({ dir }) => ['-g', '-n', '1', '-c', `${dir}/named.conf`],
    files: (place) => ({
      'named.conf': configuration(place, options),
      'example.zone': `${EXAMPLE_ZONE}${options.records ?? ''}\n`,
      'broken.zone': 'this is no zone\n',
      'signed.zone':
        '$TTL 60\n@ SOA ns h 1 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\nwww A 127.0.0.9\n',
      ...tlsFiles(options.certificate),
    }),
    ready: async ({ ports }) => {
      await helloUdp(ports.dns, dnsQuery('example.test', 'SOA'))
      await accepts(ports.dns)
      await accepts(ports.dot)
    },
  })
  return Object.assign(server, {
    replaceZone: (text: string) => replaceZone(server, text),
  })
}

function configuration(place: Place<'dns' | 'dot'>, options: BindOptions): string {
  const { dir, ports } = place
  const rate = options.responsesPerSec
  return `
tls own { key-file "${dir}/tls/key.pem"; cert-file "${dir}/tls/chain.pem"; };
options {
  directory "${dir}";
  managed-keys-directory "${dir}";
  pid-file "${dir}/pid";
  session-keyfile "${dir}/session.key";
  listen-on port ${ports.dns} { 127.0.0.1; };
  listen-on port ${ports.dot} tls own { 127.0.0.1; };
  listen-on-v6 { none; };
  dnssec-validation ${options.validates === undefined ? 'no' : 'yes'};
  minimal-responses yes;
  recursion ${options.recursion === true || options.validates !== undefined ? 'yes' : 'no'};
  allow-query { ${options.refuse === true ? 'none' : 'any'}; };
  max-udp-size ${options.maxUdpBytes ?? 1232};
  tcp-clients ${options.tcpClients ?? 150};
  ${rate === undefined ? '' : `rate-limit { responses-per-second ${rate}; };`}
};
controls { };
zone "example.test" { type master; file "${dir}/example.zone"; };
zone "broken.test" { type master; file "${dir}/broken.zone"; };
zone "refused.test" { type master; file "${dir}/example.zone"; allow-query { none; }; };
${options.signed === true ? SIGNED : ''}
${options.validates === undefined ? '' : validating(options.validates)}
`
}

const SIGNED =
  'zone "signed.test" { type master; file "signed.zone"; dnssec-policy default; inline-signing yes; };'

function validating({ port, key }: NonNullable<BindOptions['validates']>): string {
  const [flags, protocol, algorithm, ...parts] = key.split(' ')
  return `
trust-anchors { signed.test. static-key ${flags} ${protocol} ${algorithm} "${parts.join('')}"; };
zone "signed.test" { type forward; forward only; forwarders { 127.0.0.1 port ${port}; }; };
`
}

const RELOAD_MS = 50_000

/** A name that nothing else has shows that the new file is served. */
async function replaceZone(server: RunningServer<'dns' | 'dot'>, text: string): Promise<void> {
  const marker = `reloaded-${randomUUID()}`
  await writeFile(`${server.dir}/example.zone`, `${text}\n${marker} IN A 127.0.0.1\n`)
  server.signal('SIGHUP')
  const deadline = systemClock.monotonic() + RELOAD_MS
  while (systemClock.monotonic() < deadline) {
    const answer = await helloUdp(server.ports.dns, dnsQuery(`${marker}.example.test`))
    if (dnsHeader(answer).answers === 1) return
    await systemClock.sleep(20)
  }
  throw new Error(`BIND did not take the zone\n${server.log().slice(-2000)}`)
}
