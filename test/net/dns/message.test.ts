/** Queries as bytes, and which answers are taken for one of ours. */
import * as dnsPacket from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { codecLoader, decodeReply, encodeQuery, mayAnswer } from '../../../src/net/dns/message.ts'
import type { Codec, Question } from '../../../src/net/dns/message.ts'

const codec = dnsPacket as unknown as Codec
const A: Question = { name: 'shop.example', type: 'A', recursion: true }

/** The header, the question and the flag of EDNS of a query. */
function queryOf(question: Partial<Question>, edns = true) {
  const bytes = encodeQuery(codec, { ...A, ...question }, { id: 0x1234, edns })
  const { id, flags, questions, additionals } = dnsPacket.decode(bytes)
  const opt = additionals?.[0] as { readonly udpPayloadSize?: number } | undefined
  return { id, flags, questions, payload: opt?.udpPayloadSize, length: bytes.length }
}

/** What is read from an answer to this question, as the test changes it. */
function read(packet: object, { question = A, bytes: change = (bytes: Buffer) => bytes } = {}) {
  const bytes = codec.encode({
    ...{ type: 'response', id: 7, flags: 0, questions: [{ name: 'shop.example', type: 'A' }] },
    ...packet,
  })
  return decodeReply(codec, change(bytes), { id: 7, question, server: '192.0.2.1' })
}
const malformed = (run: () => unknown) => {
  expect(run).toThrow('192.0.2.1 sent an answer that cannot be read')
  expect(run).toThrow(expect.objectContaining({ code: 'dns_malformed', phase: 'resolve' }))
}

describe('a query', () => {
  it('asks one question of the internet, and says how much may come back', () => {
    expect(queryOf({})).toMatchObject({
      ...{ id: 0x1234, flags: 0x100, payload: 1232 },
      questions: [{ name: 'shop.example', type: 'A', class: 'IN' }],
    })
    expect(queryOf({ type: 'HTTPS' }).questions).toMatchObject([{ type: 'UNKNOWN_65' }])
    expect(queryOf({}, false).payload).toBeUndefined()
    expect(queryOf({}, false).length).toBe(queryOf({}).length - 11)
  })

  it.each<[Partial<Question>, number]>([
    [{ recursion: false }, 0],
    [{ validated: true }, 0x120],
    [{ unchecked: true }, 0x110],
    [{ recursion: false, validated: true, unchecked: true }, 0x30],
  ])('with %j has these flags', (question, flags) => {
    expect(queryOf(question).flags).toBe(flags)
  })
})

describe('an answer', () => {
  it('has the code and the flags of its header, and its records as text', () => {
    const answers = [
      { type: 'CNAME', name: 'Shop.Example', ttl: 60, data: 'WWW.example' },
      { type: 'A', name: 'www.example', data: '192.0.2.7' },
    ]
    expect(read({ answers })).toEqual({
      ...{ rcode: 'NOERROR', authoritative: false, truncated: false, authenticated: false },
      recursion_available: false,
      records: [
        { name: 'shop.example', type: 'CNAME', value: 'www.example', ttl: 60 },
        { name: 'www.example', type: 'A', value: '192.0.2.7', ttl: 0 },
      ],
    })
    expect(read({ flags: 0x0400 })).toMatchObject({ authoritative: true })
    expect(read({ flags: 0x0200 })).toMatchObject({ truncated: true })
    expect(read({ flags: 0x0020 })).toMatchObject({ authenticated: true })
    expect(read({ flags: 0x0080 })).toMatchObject({ recursion_available: true })
    expect(read({ flags: 3 })).toMatchObject({ rcode: 'NXDOMAIN', records: [] })
  })

  it('may have a code that needs EDNS', () => {
    const opt = { type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options: [] }
    const bytes = (all: Buffer) => {
      // The higher part of the code is the first byte behind the class of the last record.
      all.writeUInt8(1, all.length - 6)
      return all
    }
    expect(read({ additionals: [opt] }, { bytes })?.rcode).toBe('BADVERS')
    expect(read({ flags: 2, additionals: [opt] }, { bytes })?.rcode).toBe('BADTIME')
  })

  const other = (of: object) => ({ questions: [{ name: 'shop.example', type: 'A', ...of }] })

  it.each<[string, object]>([
    ['under another id', { id: 8 }],
    ['that is a query', { type: 'query' }],
    ['to another name', other({ name: 'other.example' })],
    ['to another type', other({ type: 'AAAA' })],
    ['to another class', other({ class: 'CH' })],
    ['to two questions', { questions: [...other({}).questions, ...other({}).questions] }],
    ['to none, that says there is something', { questions: [] }],
    ['to none, that says there is no such name', { questions: [], flags: 3 }],
  ])('%s is not ours', (_, packet) => {
    expect(read(packet)).toBeUndefined()
  })

  it('is ours whatever the case of its name, and without the question where it reports an error', () => {
    expect(read(other({ name: 'SHOP.example' }))).toBeDefined()
    expect(read({ questions: [], flags: 1 })).toMatchObject({ rcode: 'FORMERR' })
    const https = { ...A, type: 'HTTPS' } as const
    expect(read(other({ type: 'UNKNOWN_65' }), { question: https })).toBeDefined()
  })

  it('of less than a header is not ours', () => {
    expect(read({}, { bytes: (bytes) => bytes.subarray(0, 11) })).toBeUndefined()
  })

  it('that cannot be read is malformed', () => {
    const answers = [{ type: 'A', name: 'shop.example', ttl: 60, data: '192.0.2.7' }]
    malformed(() => read({ answers }, { bytes: (bytes) => bytes.subarray(0, -2) }))
    malformed(() => read({ answers }, { bytes: (bytes) => bytes.subarray(0, 12) }))
  })

  it('whose last record goes on behind its end is malformed, and says so', () => {
    const answers = [{ type: 'UNKNOWN_999', name: 'shop.example', data: Buffer.from([1, 2]) }]
    const longer = (bytes: Buffer) => {
      bytes.writeUInt16BE(20, bytes.length - 4)
      return bytes
    }
    expect(read({ answers })?.records).toMatchObject([{ value: '\\# 2 0102' }])
    malformed(() => read({ answers }, { bytes: longer }))
    expect(() => read({ answers }, { bytes: longer })).toThrow(
      expect.objectContaining({ cause: new RangeError('records that go on behind its end') }),
    )
  })

  it('may end with a byte that looks like the beginning of a pointer', () => {
    const answers = [{ type: 'A', name: 'shop.example', ttl: 60, data: '192.0.2.255' }]
    expect(read({ answers })?.records).toMatchObject([{ value: '192.0.2.255' }])
  })

  it('has its code from EDNS, wherever that stands', () => {
    const address = { type: 'A', name: 'ns.example', data: '192.0.2.7' }
    const opt = { type: 'OPT', name: '.', extendedRcode: 1, udpPayloadSize: 1232, options: [] }
    expect(read({ additionals: [address, opt] })).toMatchObject({ rcode: 'BADVERS' })
  })

  it('whose names lead through more than eight pointers is malformed', () => {
    /** A question whose name is so many pointers behind each other. */
    const chained = (count: number) => (bytes: Buffer) => {
      const name = Buffer.from('\x04shop\x07example\0', 'latin1')
      const header = Buffer.from(bytes.subarray(0, 12))
      header.writeUInt16BE(1, 4)
      header.writeUInt16BE(1, 6)
      const question = Buffer.concat([name, Buffer.from([0, 1, 0, 1])])
      const start = 12 + question.length
      // The data of one record: pointers, the first to the name, each other to the one before.
      const pointers = Array.from({ length: count }, (_, n) => {
        const to = n === 0 ? 12 : start + 10 + 2 + 2 * (n - 1)
        return Buffer.from([0xc0 | (to >> 8), to & 0xff])
      })
      const data = Buffer.concat(pointers)
      const record = Buffer.from([0xc0, 12, 0x03, 0xe7, 0, 1, 0, 0, 0, 60, 0, data.length])
      return Buffer.concat([header, question, record, data])
    }
    expect(read({}, { bytes: chained(8) })?.records).toHaveLength(1)
    malformed(() => read({}, { bytes: chained(9) }))
    expect(() => read({}, { bytes: chained(9) })).toThrow(
      expect.objectContaining({ cause: new RangeError('names that lead round about') }),
    )
  })
})

it('the codec is loaded once, outside of what is measured', async () => {
  const load = codecLoader()
  let loads = 0
  const loading = (work: () => Promise<Codec>) => {
    loads += 1
    return work()
  }
  const first = await load(loading)
  expect(await load(loading)).toBe(first)
  expect(loads).toBe(1)
})

describe('a message of 64 KiB', () => {
  const QUESTION = Buffer.from('\x04shop\x07example\0\0\x01\0\x01', 'latin1')

  /** Records of these data, behind a name that they may point to: that of the first record. */
  function filled(type: number, data: Buffer, labels = 126): Buffer {
    const name = Buffer.concat([Buffer.from('\x01a'.repeat(labels), 'latin1'), Buffer.alloc(1)])
    const head = (of: number, length: number) =>
      Buffer.from([of >> 8, of & 255, 0, 1, 0, 0, 0, 1, length >> 8, length & 255])
    const first = Buffer.concat([name, head(1, 4), Buffer.alloc(4)])
    const owner = Buffer.from([0xc0, 12 + QUESTION.length])
    const record = Buffer.concat([owner, head(type, data.length), data])
    const count = Math.floor((65_535 - 12 - QUESTION.length - first.length) / record.length)
    const header = Buffer.from([
      0,
      7,
      0x81,
      0x80,
      0,
      1,
      (count + 1) >> 8,
      (count + 1) & 255,
      0,
      0,
      0,
      0,
    ])
    return Buffer.concat([header, QUESTION, first, Buffer.alloc(count * record.length, record)])
  }
  const decoded = (bytes: Buffer) =>
    decodeReply(codec, bytes, { id: 7, question: A, server: '192.0.2.1' })

  it.each([
    ['addresses', 1, Buffer.alloc(4), 3],
    ['names of reverse lookups', 12, Buffer.from([0xc0, 12 + QUESTION.length]), 20],
    ['texts', 16, Buffer.from(`\xff${'x'.repeat(255)}`, 'latin1'), 3],
  ])('of %s is read', (_of, type, data, labels) => {
    expect(decoded(filled(type, data, labels))?.records.length).toBeGreaterThan(200)
  })

  it.each([
    ['names of 126 labels', 2, Buffer.from([0xc0, 12 + QUESTION.length])],
    [
      'bitmaps of all types',
      47,
      Buffer.concat([
        Buffer.alloc(1),
        Buffer.alloc(34 * 200, Buffer.concat([Buffer.from([0, 32]), Buffer.alloc(32, 255)])),
      ]),
    ],
    ['empty texts', 16, Buffer.alloc(60_000)],
  ])('of %s is not, since it would take a long turn', (_of, type, data) => {
    malformed(() => decoded(filled(type, data)))
    expect(() => decoded(filled(type, data))).toThrow(
      expect.objectContaining({
        cause: new RangeError('names, types or texts that are too many'),
      }),
    )
  })
})

it('a datagram is decoded where it may answer the query', () => {
  const query = encodeQuery(codec, A, { id: 7, edns: true })
  const answer = (change: object) =>
    codec.encode({
      ...{ type: 'response', id: 7, questions: [{ name: 'Shop.EXAMPLE', type: 'A' }] },
      ...{ answers: [{ type: 'TXT', name: 'shop.example', data: 'x'.repeat(200) }], ...change },
    })
  expect(mayAnswer(answer({}), query)).toBe(true)
  expect(mayAnswer(answer({ id: 8 }), query)).toBe(false)
  expect(mayAnswer(answer({ questions: [{ name: 'shop.example', type: 'MX' }] }), query)).toBe(
    false,
  )
  expect(mayAnswer(answer({ questions: [{ name: 'shop.test', type: 'A' }] }), query)).toBe(false)
  expect(mayAnswer(answer({ questions: [], answers: [] }), query)).toBe(true)
  const many = Array.from({ length: 9 }, () => ({ type: 'TXT', name: 'a', data: 'x'.repeat(200) }))
  expect(mayAnswer(answer({ questions: [], answers: many }), query)).toBe(false)
})

it('a datagram is decoded up to the bounds of what can be told without that', () => {
  const query = encodeQuery(codec, A, { id: 7, edns: false })
  // Without EDNS nothing is behind the question.
  const [same, otherId] = [Buffer.from(query), Buffer.from(query)]
  otherId[1] = 8
  expect(mayAnswer(otherId.subarray(0, -1), query)).toBe(true)
  expect([mayAnswer(same, query), mayAnswer(otherId, query)]).toEqual([true, false])
  const otherClass = Buffer.from(query)
  otherClass[query.length - 1] = 3
  expect(mayAnswer(otherClass, query)).toBe(false)
  const unasked = (bytes: number) => Buffer.concat([query.subarray(0, 4), Buffer.alloc(bytes - 4)])
  expect([mayAnswer(unasked(512), query), mayAnswer(unasked(513), query)]).toEqual([true, false])
  const two = Buffer.from(query)
  two[5] = 2
  expect(mayAnswer(two, query)).toBe(false)
})
