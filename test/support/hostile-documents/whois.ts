/**
 * Answers of WHOIS servers, which may have 64 KiB.
 *
 * @module
 */

import { between, differentLetters, filled, numbered } from './document.ts'
import type { HostileDocument } from './document.ts'

const KiB = 1024
const NAME = 'Domain Name: example.org\r\n'

const record = (name: string, lines: () => Buffer | string): HostileDocument => ({
  name: `whois: ${name}`,
  make: () => between(NAME, lines(), ''),
})

const nameOf = (name: string): Buffer => Buffer.from(`Domain Name: ${name}\r\n`)

export const hostileWhois: readonly HostileDocument[] = [
  record('a status of 60,000 blanks', () => `Status: a${' '.repeat(60_000)}b\r\n`),
  record('a status of blanks and slashes', () => `Status: ${' / '.repeat(20_000)}\r\n`),
  record('a label of 60,000 blanks', () => `a${' '.repeat(60_000)}b\r\n`),
  record('a label of 60,000 dots', () => `a${'.'.repeat(60_000)}b\r\n`),
  record('brackets that never close', () => filled('a.[', 60 * KiB)),
  record('60,000 blanks in front', () => `${' '.repeat(60_000)}x\r\n`),
  record('a line of 60,000 colons', () => filled(':', 60 * KiB)),
  record('30,000 lines', () => filled('a\n', 60 * KiB)),
  record('10,000 labels', () => numbered(7_000, (n) => `a${n}: b\n`)),
  record('5,000 dates', () => filled('Expiry Date: 2027-03-01\n', 60 * KiB)),
  record('5,000 dates that are none', () =>
    filled(`Expiry Date: mon, 01 mar 2027 10:00:00 ${'+'.repeat(20)}\n`, 60 * KiB),
  ),
  record('name servers', () => numbered(3_500, (n) => `nserver: ${n}.é\n`)),
  record('3,000 referrals', () => filled('refer: a.b.c\n', 60 * KiB)),
  record('statuses with addresses', () => `Status: ${'https://a '.repeat(6_000)}\r\n`),
  record('limits reached and reached', () => filled('limit rate quota ', 60 * KiB)),
  { name: 'whois: a name of 20,000 letters', make: () => nameOf(differentLetters(20_000)) },
  { name: 'whois: 60,000 blanks and nothing else', make: () => filled(' ', 60_000) },
  { name: 'whois: dots and stars', make: () => filled('.*!< x', 60 * KiB) },
]
