/**
 * rbldnsd: DNS blocklists with the test entries of RFC 5782, 5.
 *
 * | zone | list |
 * |---|---|
 * | `bl.test` | IPv4: 127.0.0.2 and 192.0.2.0/24 are listed, 127.0.0.1 is not |
 * | `bl6.test` | IPv6: ::ffff:7f00:2 and 2001:db8::/32 are listed |
 * | `dbl.test` | domains: `test` and `listed.example` with all below them, never `invalid` |
 * | `limited.test` | answers 127.255.255.254 to everything, as a list does that is asked through a public resolver |
 * | `everything.test` | lists everything, 127.0.0.1 and `invalid` too: a list that was shut down |
 * | `empty.test` | lists nothing, not even its test entry: a list that has lost its data |
 *
 * Every other zone is REFUSED.
 *
 * @module
 */

import type { RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import { helloUdp } from './hello.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import { dnsQuery } from './dns-bytes.ts'

export const rbldnsdServer: ServerNeed = {
  name: 'rbldnsd',
  packages: 'rbldnsd',
  locate: () => findBinary(['rbldnsd']),
}

export interface RbldnsdOptions {
  /** Further lines of `bl.test`, such as `198.51.100.7 :127.0.0.9:Seen sending spam`. */
  readonly addresses?: readonly string[]
  /** Further lines of `dbl.test`, such as `.bad.example :127.0.1.4:Phishing`. */
  readonly domains?: readonly string[]
  /** Leaves the entries of RFC 5782 out of `bl.test`. Default `false`. */
  readonly withoutTestEntry?: boolean
  /** Answers of `limited.test`. Default `127.255.255.254`. */
  readonly limitedAnswer?: string
  /** Zones that are not served at all, that is REFUSED. */
  readonly refuse?: readonly string[]
  /** Lifetime of answers in seconds. Default 60. */
  readonly ttlSec?: number
}

export type RbldnsdServer = RunningServer<'dns'>

export function startRbldnsd(options: RbldnsdOptions = {}): Promise<RbldnsdServer> {
  const zones = ZONES.filter((zone) => !(options.refuse ?? []).includes(zone.name))
  const ttl = String(options.ttlSec ?? 60)
  return startServer({
    name: 'rbldnsd',
    binary: required(rbldnsdServer),
    ports: ['dns'],
    args: ({ dir, ports }) => [
      ...['-n', '-q', '-t', ttl, '-b', `127.0.0.1/${ports.dns}`, '-w', dir],
      ...zones.map((zone) => `${zone.name}:${zone.set}:${zone.name}.${zone.set}`),
    ],
    files: () =>
      Object.fromEntries(
        zones.map((zone) => [`${zone.name}.${zone.set}`, `${zone.lines(options).join('\n')}\n`]),
      ),
    ready: async ({ ports }) => void (await helloUdp(ports.dns, dnsQuery('2.0.0.127.bl.test'))),
  })
}

interface Zone {
  readonly name: string
  /** rbldnsd's kind of data. */
  readonly set: string
  readonly lines: (options: RbldnsdOptions) => readonly string[]
}

const SOA = '$SOA 60 ns.bl.test hostmaster.bl.test 0 60 60 60 60'
const LISTED = ':127.0.0.2:Listed, see http://bl.test/lookup?$'

const ZONES: readonly Zone[] = [
  {
    name: 'bl.test',
    set: 'ip4set',
    lines: ({ withoutTestEntry, addresses = [] }) => [
      SOA,
      LISTED,
      ...(withoutTestEntry === true ? [] : ['127.0.0.2']),
      '192.0.2.0/24 :127.0.0.4:Listed, see http://bl.test/lookup?$',
      ...addresses,
    ],
  },
  {
    name: 'bl6.test',
    set: 'ip6trie',
    lines: () => [SOA, LISTED, '0:0:0:0:0:ffff:7f00:2/128', '2001:db8:0:0:0:0:0:0/32'],
  },
  {
    name: 'dbl.test',
    set: 'dnset',
    lines: ({ domains = [] }) => [
      SOA,
      ':127.0.1.2:Listed, see http://dbl.test/lookup?$',
      '.test',
      '.listed.example',
      ...domains,
    ],
  },
  ...wholeWorld('limited.test', ({ limitedAnswer = '127.255.255.254' }) => limitedAnswer),
  ...wholeWorld('everything.test', () => '127.0.0.2'),
  { name: 'empty.test', set: 'ip4set', lines: () => [SOA, LISTED] },
]

/** A zone has several kinds of data by being named several times. */
function wholeWorld(name: string, answer: (options: RbldnsdOptions) => string): Zone[] {
  const value = (options: RbldnsdOptions): string => `:${answer(options)}:See http://${name}/`
  const domains = ['com', 'net', 'org', 'test', 'example', 'invalid'].map((domain) => `.${domain}`)
  return [
    { name, set: 'ip4trie', lines: (options) => [SOA, value(options), '0.0.0.0/0'] },
    { name, set: 'dnset', lines: (options) => [SOA, value(options), ...domains] },
  ]
}
