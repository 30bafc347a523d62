/**
 * Values of a given size for fields that do not take any text: by the name of the field as `bounds.test.ts` writes it,
 * otherwise by its format or kind.
 */

import { builtinCheckers } from '../../src/checkers/index.ts'
import { certificates } from '../support/certificates.ts'

export type Sample = (size: number) => unknown

const url = (size: number): string => 'https://a.example/'.padEnd(size, 'x').slice(0, size)

/** Labels of the DNS of at most 60 characters. */
function name(size: number): string {
  const labels = `${'x'.repeat(60)}.`.repeat(Math.ceil(size / 61))
  return labels.slice(0, size).replace(/\.$/, 'x')
}

function address(size: number): string {
  const local = 'x'.repeat(Math.max(1, Math.min(64, size - 2)))
  return `${local}@${name(size - local.length - 1)}`
}

const proxy = (size: number): string =>
  size < 12 ? 'x'.repeat(size) : `http://${name(size - 10)}:80`

/** `.` matches whatever the line is, so that the pattern stays small. */
const pattern = (size: number): string =>
  size < 3 ? 'x'.repeat(size) : `[${'x'.repeat(size - 2)}]`

/** What stands around a block of PEM is cut off. */
const around =
  (pem: string): Sample =>
  (size) =>
    pem.trim().slice(0, size).padStart(size, 'x')

const PEMS = builtinCheckers({ extra: true }).flatMap(({ type }) => [
  [`${type}.tls_cert`, around(certificates().good.cert)] as const,
  [`${type}.tls_key`, around(certificates().good.key)] as const,
])

const many =
  (make: (n: number) => unknown): Sample =>
  (size) =>
    Array.from({ length: size }, (_, n) => make(n))

export const SAMPLES: Readonly<Record<string, Sample>> = {
  url,
  host: name,
  regex: pattern,
  dns_name: (size) => (size === 0 ? '' : `${name(size - 1)}.`),
  email: address,
  cron: (size) =>
    size < 9
      ? 'x'.repeat(size)
      : `${'0,'.repeat(Math.max(0, (size - 9) >> 1))}${size % 2 === 0 ? '00' : '0'} 3 * * *`,
  patterns: (size) =>
    Array.from({ length: Math.ceil(size / 500) }, () => 'x'.repeat(499))
      .join('\n')
      .slice(0, size),
  'monitor.maintenance': many(() => ({ cron: '0 3 * * *', duration_min: 60 })),
  'http.json': many(() => ({ path: '$.a', op: 'exists' })),
  'http.json[].path': (size) => `$.${'x'.repeat(Math.max(0, size - 2))}`.slice(0, size),
  'http.headers_expected': many((n) => ({ name: `x-${n}`, op: 'exists' })),
  'dns.expected': many((n) => `192.0.2.${n}`),
  'ssl.days_warn': many((n) => n + 1),
  'domain.days_warn': many((n) => n + 1),
  'contact email.to': many((n) => `a${n}@example.org`),
  'tcp.send': (size) => '\\x41'.repeat(Math.ceil(size / 4)),
  ...Object.fromEntries(['http', 'content', 'resources'].map((type) => [`${type}.proxy`, proxy])),
  ...Object.fromEntries(PEMS),
  'contact request.url': url,
  'contact request.recovery_url': url,
  // A URL is cut to the name.
  'domain.domain': (size) => 'https://example.org/'.padEnd(size, 'x').slice(0, size),
  'blacklist.target': url,
  'websocket.url': (size) => `ws://a.example/${'x'.repeat(size)}`.slice(0, size),
}

/** Entries whose list alone knows what they may be: the value of the whole list. */
export const THROUGH_THE_LIST: Readonly<Record<string, Sample>> = {
  'http.json[].value': (size) => [{ path: '$.a', op: 'equals', value: 'x'.repeat(size) }],
  'http.headers_expected[].value': (size) => [
    { name: 'x-a', op: 'equals', value: 'x'.repeat(size) },
  ],
}

/** Formats or fields of which nothing is as short as the bound, which says that an empty text is none. */
export const NEVER_SHORT: readonly string[] = [
  ...['url', 'cron', 'time_zone', 'domain', 'email', 'json_path', 'pem'],
  ...[
    'contact request.url',
    'contact request.recovery_url',
    'http.proxy',
    'content.proxy',
    'resources.proxy',
    'contact email.to',
    'http.json[].path',
  ],
]

/** Fields whose longest value is shorter than the bound: there are as many values as the machine knows. */
export const NEVER_LONG: readonly string[] = ['time_zone']
