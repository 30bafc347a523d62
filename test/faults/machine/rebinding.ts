/**
 * A world of names that lead inside, in a network namespace of its own.
 *
 * @module
 */

import type { Answer } from 'dns-packet'

/** Stands for the whole public internet; it lies on the loopback interface of the namespace. */
export const OUTER = '93.184.215.14'

/** Addresses inside that the namespace has; each is a trap. */
export const INNER = [
  '127.0.0.2',
  '::1',
  '10.1.2.3',
  '172.16.0.9',
  '192.168.7.7',
  '100.64.0.1',
  '169.254.169.254',
  'fd00::7',
] as const

/** Ports that checkers and webhooks dial; 8080 is for redirects. */
export const PORTS = [21, 25, 43, 80, 110, 143, 443, 587, 3306, 5432, 8080] as const

/** The kinds of contacts that call an address of their settings, and of their options. */
export const KINDS = [
  'webhook',
  'slack',
  'discord',
  'teams',
  'ntfy',
  'telegram',
  'pagerduty',
  'email',
] as const

type Reply = (type: string, count: number) => Answer[]

const a = (name: string, data: string): Answer => ({ type: 'A', name, data, ttl: 0 })
const aaaa = (name: string, data: string): Answer => ({ type: 'AAAA', name, data, ttl: 0 })

/** The same addresses for every question. */
function always(name: string, v4: readonly string[], v6: readonly string[] = []): Reply {
  return (type) => {
    if (type === 'A') return v4.map((data) => a(name, data))
    return type === 'AAAA' ? v6.map((data) => aaaa(name, data)) : []
  }
}

/** Another address at every question. */
function turns(name: string, addresses: readonly string[]): Reply {
  return (type, count) =>
    type === 'A' ? [a(name, addresses[count % addresses.length] ?? OUTER)] : []
}

/** Public addresses that nobody has. */
const ELSEWHERE = Array.from({ length: 15 }, (_, n) => `93.184.215.${100 + n}`)

export const ANSWERS: Readonly<Record<string, Reply>> = {
  'outer.test': always('outer.test', [OUTER]),
  'inner.test': always('inner.test', ['10.1.2.3']),
  'flips.test': turns('flips.test', [OUTER, '127.0.0.2', '10.1.2.3']),
  'flips-at-once.test': turns('flips-at-once.test', ['127.0.0.2', OUTER]),
  'both.test': always('both.test', [OUTER, '127.0.0.2']),
  'inner-last.test': always('inner-last.test', [OUTER, ...ELSEWHERE.slice(1), '192.168.7.7']),
  'beyond-sixteen.test': always('beyond-sixteen.test', [OUTER, ...ELSEWHERE, '172.16.0.9']),
  'metadata.test': always('metadata.test', ['169.254.169.254']),
  'shared.test': always('shared.test', ['100.64.0.1']),
  'six.test': always('six.test', [], ['::1']),
  'four-and-six.test': always('four-and-six.test', [OUTER], ['::1', 'fd00::7']),
  'mapped.test': always('mapped.test', [], ['::ffff:127.0.0.2', '::ffff:a01:203']),
  'translated.test': always('translated.test', [], ['64:ff9b::7f00:2', '64:ff9b::a01:203']),
  'six-to-four.test': always('six-to-four.test', [], ['2002:7f00:2::1', '2002:a01:203::']),
  'local-translation.test': always('local-translation.test', [], ['64:ff9b:1::a01:203']),
  'compatible.test': always('compatible.test', [], ['::10.1.2.3', '::127.0.0.2']),
  'stateless.test': always('stateless.test', [], ['::ffff:0:a01:203']),
  'teredo.test': always('teredo.test', [], ['2001:0:a01:203::f5fe:fdfc']),
  'four-and-mapped.test': always('four-and-mapped.test', [OUTER], ['::ffff:10.1.2.3']),
  'mapped-outer.test': always('mapped-outer.test', [], [`::ffff:${OUTER}`, '::ffff:10.1.2.3']),
  'nowhere.test': always('nowhere.test', ['0.0.0.0'], ['::']),
  'alias.test': (type) =>
    type === 'A'
      ? [
          { type: 'CNAME', name: 'alias.test', data: 'host.internal', ttl: 0 },
          a('host.internal', '10.1.2.3'),
        ]
      : [],
  'alias-of-localhost.test': (type) =>
    type === 'A'
      ? [
          { type: 'CNAME', name: 'alias-of-localhost.test', data: 'localhost', ttl: 0 },
          a('localhost', '127.0.0.2'),
        ]
      : [],
  'chain.test': (type) =>
    type === 'A'
      ? [
          { type: 'CNAME', name: 'chain.test', data: 'outer.test', ttl: 0 },
          { type: 'CNAME', name: 'outer.test', data: 'deep.test', ttl: 0 },
          { type: 'CNAME', name: 'deep.test', data: 'host.internal', ttl: 0 },
          a('host.internal', '10.1.2.3'),
        ]
      : [],
  'chain-flips.test': (type, count) =>
    type === 'A'
      ? [
          { type: 'CNAME', name: 'chain-flips.test', data: 'outer.test', ttl: 0 },
          a('outer.test', count % 2 === 0 ? OUTER : '10.1.2.3'),
        ]
      : [],
  // Of another name, beside the answer.
  'beside.test': (type) =>
    type === 'A' ? [a('beside.test', OUTER), a('other.test', '10.1.2.3')] : [],
  // IPv6 where IPv4 was asked for, and the other way round.
  'crossed.test': (type) =>
    type === 'A'
      ? [a('crossed.test', OUTER), aaaa('crossed.test', 'fd00::7')]
      : [a('crossed.test', '10.1.2.3')],
}

/** Where the server outside sends its visitors. */
export const REDIRECTS = [
  'http://127.0.0.2/',
  'http://[::1]/',
  'http://10.1.2.3:8080/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:127.0.0.2]/',
  'http://2130706434/',
  'http://0x7f000002/',
  'http://0177.0.0.2/',
  'http://127.2/',
  'http://localhost/',
  'http://inner.test/',
  'http://flips.test/',
  'http://flips-at-once.test/',
  'http://alias.test:8080/',
  'http://mapped.test/',
  'http://user:pass@192.168.7.7/',
  '//100.64.0.1/',
  'https://[fd00::7]/',
] as const

/** Whom the WHOIS server outside refers to. */
export const REFERRALS = [
  '10.1.2.3',
  '127.0.0.2',
  '10.1.2.3:80',
  'inner.test',
  'flips-at-once.test',
  'alias.test',
  'localhost',
  'rwhois://10.1.2.3:8080/',
  'whois://inner.test',
] as const

export interface Tried {
  readonly what: string
  readonly type: string
  readonly cause_code: string | null
  readonly remote_ip: string | null
}

export interface RebindingReport {
  readonly tried: readonly Tried[]
  /** `protocol address:port` of every trap that somebody walked into behind the guard. */
  readonly hits: readonly string[]
  /** The same without a guard. */
  readonly unguarded: readonly string[]
  /** The same, of those whom a registry sends elsewhere. */
  readonly referred: readonly string[]
}
