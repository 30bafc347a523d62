/**
 * The settings of `dns` and the rules across them.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder, Settings, Stored } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { parsePattern } from '../../fields/pattern.ts'
import { textSchema } from '../../fields/text.ts'
import { field } from '../../fields/vocabulary.ts'
import { parseDnsName, formatNameServer, parseNameServer } from '../../net/dns/names.ts'
import { toAddress } from '../../net/connection/endpoint.ts'
import { quoted } from '../../options.ts'
import { parseExpected, splitExpected } from './expected.ts'

const RRTYPES = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'TXT',
  'SOA',
  'SRV',
  'CAA',
  'PTR',
  'HTTPS',
  'SVCB',
  'DS',
  'DNSKEY',
  'TLSA',
  'NAPTR',
  'SSHFP',
  'DNAME',
] as const

const MATCHES = ['any', 'all', 'exact', 'none', 'contains', 'regex', 'nxdomain'] as const

/** 253 (RFC 1035, section 2.3.4, without the lengths) and the dot of the root. */
const MAX_NAME_CHARACTERS = 254
/** Limits of `expected`. */
const MAX_VALUES = 50
const MAX_VALUE_CHARACTERS = 2048
/** Total length of all patterns: they are compiled in one turn. */
const MAX_PATTERN_CHARACTERS = 4096
const TOO_MANY_VALUES = `out_of_range: 0..${MAX_VALUES} values`

const MAX_NAME_SERVERS = 8

export const dnsFields = {
  dns_name: dnsName().required(),
  rrtype: field.oneOf(RRTYPES, { description: 'Record type to query' }).default('A'),
  nameserver: nameServers(),
  expected: expectedValues(),
  match: field
    .oneOf(MATCHES, {
      description:
        'How the records are compared with expected: any (one of them is there), all (each is there), exact (these and no others), none (not one is there), contains (each text is part of a record), regex (each pattern matches a record), nxdomain (the name does not exist)',
    })
    .default('any'),
  dnssec: field
    .flag({ description: 'The name server must validate DNSSEC, and vouch for the answer (AD)' })
    .default(false),
  same_serial: field
    .flag({
      description:
        'With rrtype SOA: every name server of the zone, or each in nameserver, must have the same serial number',
    })
    .default(false),
}

export type DnsSettings = Settings<typeof dnsFields>
type DnsStored = Stored<typeof dnsFields>

export function refineDns(
  stored: DnsStored,
): { readonly settings: DnsStored } | { readonly fields: Problems } {
  const { rrtype, match } = stored
  const problems: Record<string, string> = {}
  if (toAddress(stored.dns_name) !== undefined && rrtype !== 'PTR') {
    problems['dns_name'] = 'invalid: an IP address is asked for with rrtype PTR'
  }
  if (stored.same_serial && rrtype !== 'SOA') {
    problems['same_serial'] = 'invalid: it goes with rrtype SOA'
  }
  const expected = [stored.expected ?? []]
    .flat()
    .flatMap((text) => splitExpected(text, rrtype, match !== 'regex'))
  const problem = problemOf(expected, rrtype, match)
  if (problem !== undefined) problems['expected'] = problem
  if (Object.keys(problems).length > 0) return { fields: problems }
  const { expected: _, ...rest } = stored
  return { settings: expected.length === 0 ? rest : { ...rest, expected } }
}

function problemOf(
  expected: readonly string[],
  rrtype: string,
  match: (typeof MATCHES)[number],
): string | undefined {
  if (expected.length > MAX_VALUES) return TOO_MANY_VALUES
  if (match === 'nxdomain') {
    return expected.length === 0 ? undefined : 'invalid: a name that does not exist has no records'
  }
  if (expected.length === 0) {
    return match === 'any' ? undefined : `invalid: match "${match}" needs something to expect`
  }
  if (match === 'contains') return undefined
  if (match === 'regex' && expected.join('').length > MAX_PATTERN_CHARACTERS)
    return `out_of_range: 1..${MAX_PATTERN_CHARACTERS} characters, all patterns together`
  for (const text of expected) {
    if (match === 'regex') {
      const parsed = parsePattern(text)
      if (!parsed.ok) return `invalid: ${quoted(text)} is ${parsed.problem}`
    } else if (parseExpected(text, rrtype) === undefined) {
      return `invalid: ${quoted(text)} can be no record of the type ${rrtype}`
    }
  }
  return undefined
}

function dnsName(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: MAX_NAME_CHARACTERS, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const name = toAddress(dataset.value)?.address ?? parseDnsName(dataset.value)
      if (name !== undefined) return name
      addIssue({
        message:
          'invalid: a DNS name is expected, of labels of 1 to 63 characters and at most 253 in all',
      })
      return NEVER
    }),
  )
  const description = 'Name to query (IDN allowed); an IP address for PTR'
  return defineField(
    { kind: 'string', format: 'dns_name', min: 1, max: MAX_NAME_CHARACTERS, description },
    schema,
  )
}

function nameServers(): FieldBuilder<string, readonly string[]> {
  const schema = v.pipe(
    v.union([v.string(), v.array(v.string())], 'invalid: a string is expected'),
    v.transform((value) => (typeof value === 'string' ? value.split(',') : value)),
    v.rawTransform<string[], string>(({ dataset, addIssue, NEVER }) => {
      const texts = dataset.value.map((text) => text.trim()).filter((text) => text !== '')
      const servers = texts.map((text) => [text, parseNameServer(text)] as const)
      const wrong = servers.find(([, server]) => server === undefined)
      if (texts.length > 0 && texts.length <= MAX_NAME_SERVERS && wrong === undefined) {
        return servers.flatMap(([, server]) => server && formatNameServer(server)).join(', ')
      }
      const message =
        wrong === undefined
          ? `out_of_range: 1..${MAX_NAME_SERVERS} name servers`
          : `invalid: ${quoted(wrong[0])} is no name server; ip, host, ip:port, [ipv6]:port, tcp://…, tls://… and https://… are`
      addIssue({ message })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      format: 'name_servers',
      description:
        'Name servers with commas between, asked in this order: ip or host, :port, tcp:// or tls:// in front, or an https:// address (RFC 8484); default: those of the location',
      example: '192.0.2.53, tls://dns.example.net',
    },
    schema,
    (wire: string) => wire.split(', '),
  )
}

function expectedValues(): FieldBuilder<string | readonly string[], readonly string[]> {
  const value = textSchema({ max: MAX_VALUE_CHARACTERS, multiline: true })
  const schema = v.pipe(
    v.union([value, v.array(value)], 'invalid: a string or an array of strings is expected'),
    v.transform((given): string | readonly string[] => given),
    v.check((given) => [given].flat().length <= MAX_VALUES, TOO_MANY_VALUES),
  )
  return defineField(
    {
      kind: 'array',
      min: 0,
      max: MAX_VALUES,
      description:
        'Records that are expected, as a zone file or dig has them; as one string with line breaks or (not for TXT and CAA) commas between; ranges for addresses. Without it any record is right',
      example: '10 mail.example.com',
    },
    schema,
    (wire: string | readonly string[]) => [wire].flat(),
  )
}
