/**
 * Records that are read with `JSON.parse` in one turn, as they are bounded: reports of agents (64 KiB), objects of
 * RDAP (512 KiB), and answers of name servers (64 KiB).
 *
 * @module
 */

import { between, differentLetters, filled, numbered } from './document.ts'
import type { HostileDocument } from './document.ts'

const KiB = 1024

export const hostileReports: readonly HostileDocument[] = [
  {
    name: 'resources: 3,000 disks',
    make: () =>
      Buffer.from(`{"disk":[${numbered(2_000, (n) => `{"mount":"/${n}","used_pct":1}`, ',')}]}`),
  },
  { name: 'resources: 60,000 brackets', make: () => filled('[', 60 * KiB) },
  {
    name: 'resources: NaN and blanks',
    make: () => between('{"cpu":', filled('NaN ', 60 * KiB), '}'),
  },
  {
    name: 'resources: blanks and one NaN',
    make: () => between('{"cpu":', filled(' ', 60 * KiB), 'NaN'),
  },
  {
    name: 'resources: 8,000 keys',
    make: () => Buffer.from(`{"cpu":1,${numbered(6_000, (n) => `"${n}a":1`, ',')}}`),
  },
]

/** With the name that is asked for. */
export const hostileRdap: readonly HostileDocument[] = [
  {
    name: 'rdap: 60,000 events',
    make: () =>
      between(
        '{"objectClassName":"domain","ldhName":"example.org","events":[',
        filled('{"a":1},', 500 * KiB),
        '{}]}',
      ),
  },
  {
    name: 'rdap: 45,000 keys',
    make: () =>
      Buffer.from(
        `{"objectClassName":"domain","ldhName":"example.org",${numbered(45_000, (n) => `"k${n}":1`, ',')}}`,
      ),
  },
  {
    name: 'rdap: a name of 20,000 letters',
    make: () => Buffer.from(`{"objectClassName":"domain","ldhName":"${differentLetters(20_000)}"}`),
  },
  { name: 'rdap: 500,000 brackets', make: () => filled('[', 500 * KiB) },
  { name: 'rdap: escapes', make: () => between('{"a":"', filled('\\u0041', 510_000), '"}') },
]

/** An answer over TCP to the question that stands behind its length and header. */
export function pointerChain(question: Buffer): Buffer {
  const records = 3_500
  const pointers = 8_000
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(records, 6)
  header.writeUInt16BE(0, 10)
  const asked = question.subarray(12, question.indexOf(0, 12) + 5)
  const first = header.length + asked.length + 12
  const chain = Buffer.alloc(2 * pointers)
  for (let n = 0; n < pointers; n++) {
    const to = n === 0 ? 12 : first + 2 * (n - 1)
    chain.writeUInt16BE(0xc000 | to, 2 * n)
  }
  const end = 0xc000 | (first + 2 * (pointers - 1))
  // TYPE65280, which nobody reads the data of.
  const holder = Buffer.concat([
    Buffer.from([0xc0, 12, 0xff, 0, 0, 1, 0, 0, 0, 9]),
    lengthOf(chain),
    chain,
  ])
  const pointing = Buffer.alloc(12)
  pointing.writeUInt16BE(end, 0)
  pointing.writeUInt16BE(0xff00, 2)
  pointing.writeUInt16BE(1, 4)
  const message = Buffer.concat([
    header,
    asked,
    holder,
    ...Array<Buffer>(records - 1).fill(pointing),
  ])
  return Buffer.concat([lengthOf(message), message])
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return length
}

/** So many records of type TXT with this data, over TCP. */
export function texts(question: Buffer, records: number, data: Buffer): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(records, 6)
  header.writeUInt16BE(0, 10)
  const asked = question.subarray(12, question.indexOf(0, 12) + 5)
  const record = Buffer.concat([
    Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 9]),
    lengthOf(data),
    data,
  ])
  const message = Buffer.concat([header, asked, ...Array<Buffer>(records).fill(record)])
  return Buffer.concat([lengthOf(message), message])
}

export interface HostileTexts {
  readonly name: string
  readonly records: number
  readonly data: Buffer
}

export const hostileTexts: readonly HostileTexts[] = [
  { name: 'dns: 5,000 texts of nothing', records: 5_000, data: Buffer.alloc(1) },
  { name: 'dns: 4,600 texts of a letter', records: 4_600, data: Buffer.from([1, 0x61]) },
  { name: 'dns: a text of 65,000 empty strings', records: 1, data: Buffer.alloc(65_000) },
  {
    name: 'dns: 16 texts of quotes and backslashes',
    records: 16,
    data: Buffer.concat(
      Array.from({ length: 15 }, () => Buffer.concat([Buffer.of(255), Buffer.alloc(255, '"\\')])),
    ),
  },
  {
    name: 'dns: 200 texts of control bytes',
    records: 200,
    data: Buffer.concat([Buffer.of(255), Buffer.alloc(255, 1)]),
  },
]

/** Answers of Safe Browsing, and what is none. */
export const hostileThreats: readonly HostileDocument[] = [
  {
    name: 'gsb: 20,000 matches',
    make: () => between('{"matches":[', filled('{},', 60 * KiB), '{"threatType":"MALWARE"}]}'),
  },
  {
    name: 'gsb: 2,500 kinds of threat',
    make: () =>
      Buffer.from(`{"matches":[${numbered(2_500, (n) => `{"threatType":"${n}"}`, ',')}]}`),
  },
  { name: 'gsb: 60,000 brackets', make: () => filled('[', 60 * KiB) },
  {
    name: 'gsb: one long kind',
    make: () => between('{"matches":[{"threatType":"', filled('A', 60 * KiB), '"}]}'),
  },
]

const MiB = 1024 * KiB

/** Registries as their mirrors write them. */
export const hostileFeeds: readonly HostileDocument[] = [
  {
    name: 'feed: a row of 400,000 addresses',
    make: () =>
      between('Updated: 2099-01-01 00:00:00 +0000\n', filled('192.0.2.1|', 4 * MiB), ';;;x\n'),
  },
  {
    name: 'feed: a row of 2,000,000 bars',
    make: () =>
      between('Updated: 2099-01-01 00:00:00 +0000\n', filled('|', 2 * MiB), '1.1.1.1;;;x\n'),
  },
  {
    name: 'feed: a million quotes',
    make: () =>
      between(
        'Updated: 2099-01-01 00:00:00 +0000\n"',
        filled('""', 2 * MiB),
        '";b;c\n1.1.1.1;;;\n',
      ),
  },
  {
    name: 'feed: two million blank lines',
    make: () => between('a.example\n', filled('\n', 2 * MiB), 'b.example'),
  },
  {
    name: 'feed: 300,000 names',
    make: () => Buffer.from(numbered(300_000, (n) => `n${n}.example`, '\n')),
  },
  { name: 'feed: one line of 4 MiB', make: () => filled('a') },
]
