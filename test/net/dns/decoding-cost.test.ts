/** How laborious a message of DNS is to decode, to the unit: what stands beyond the limit is refused unread. */
import { describe, expect, it } from 'vitest'
import { isLaborious } from '../../../src/net/dns/decoding-cost.ts'

const MAX_COST = 200_000
const [A, TXT, NSEC, NSEC3, SPF] = [1, 16, 47, 50, 99]
const HEADER_BYTES = 12
/** Root, type, class, TTL and length, before the data of a record. */
const HEAD_BYTES = 11
/** Where the data of the first record begins. */
const DATA_AT = HEADER_BYTES + HEAD_BYTES
/** The name of the first record: the root. */
const ROOT = [0xc0, HEADER_BYTES]

function record(type: number, data: readonly number[], length = data.length): number[] {
  return [...[0, 0, type, 0, 1, 0, 0, 0, 0, length >> 8, length & 0xff], ...data]
}

function message(
  records: readonly (readonly number[])[],
  counts: { questions?: number; records?: number } = {},
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(counts.questions ?? 0, 4)
  header.writeUInt16BE(counts.records ?? records.length, 6)
  return Buffer.concat([header, ...records.map((each) => Buffer.from(each))])
}

/** Records of this cost: empty strings are 4 each, a pointer to the root is 1. Lengths look like no pointers. */
function filler(cost: number): number[][] {
  const found: number[][] = []
  for (let left = Math.floor(cost / 4); left > 0;) {
    const strings = left >= 0x4000 ? 0x4000 : left & 0x80 ? 0x80 : left & 0x3f7f
    found.push(record(TXT, new Array<number>(strings).fill(0)))
    left -= strings
  }
  return [...found, record(A, Array.from({ length: cost % 4 }, () => ROOT).flat())]
}

/** That these records, the first of a message, cost exactly so much. */
function expectCost(cost: number, ...records: readonly number[][]): void {
  const filled = (beside: number) => isLaborious(message([...records, ...filler(beside)]))
  expect([filled(MAX_COST - cost), filled(MAX_COST - cost + 1)]).toEqual([false, true])
}

/** A name of so many labels of one letter, with the root or a pointer at its end. */
const name = (labels: number, end: readonly number[] = [0]) => [
  ...Array.from({ length: labels }, () => [1, 0x61]).flat(),
  ...end,
]
const pointer = (to: number) => [0xc0 | (to >> 8), to & 0xff]

describe('records', () => {
  it('of addresses cost nothing', () => {
    expectCost(
      0,
      record(
        A,
        [192, 0, 2, 1].map((byte) => byte & 0x7f),
      ),
    )
  })

  it.each([TXT, SPF])('of the type %s cost 4 for each text, also an empty one', (type) => {
    expectCost(12, record(type, [0, 3, 0x61, 0x62, 0x63, 0]))
    expectCost(4, record(type, [100]))
  })

  it.each([NSEC, NSEC3])('of the type %s cost 24 for each byte', (type) => {
    expectCost(24 * 5, record(type, [0, 0, 1, 0x40, 1]))
  })

  it('count as far as they are announced', () => {
    const texts = [record(A, []), record(TXT, new Array<number>(0x4000).fill(0))]
    const many = [...texts, ...texts, ...texts, ...texts]
    expect(isLaborious(message(many))).toBe(true)
    expect(isLaborious(message(many, { records: many.length - 1 }))).toBe(false)
  })

  it('follow the questions', () => {
    const question = [...name(2), 0, TXT, 0, 1]
    const texts = Array.from({ length: 4 }, () => record(TXT, new Array<number>(0x4000).fill(0)))
    expect(isLaborious(message([question, ...texts], { questions: 1, records: 4 }))).toBe(true)
    expect(isLaborious(message([question, ...texts], { questions: 1, records: 3 }))).toBe(false)
  })

  it('that a message ends in, or before, are no error', () => {
    const cut = record(TXT, []).slice(0, HEAD_BYTES - 1)
    expect(isLaborious(message([cut]))).toBe(false)
    expect(isLaborious(message([], { questions: 9, records: 9 }))).toBe(false)
  })

  it('cost what they announce, even if nothing of it is there', () => {
    expect(isLaborious(message([record(NSEC, [], 0x2100)]))).toBe(true)
    expect(isLaborious(message([record(NSEC, [], 0x2000)]))).toBe(false)
  })
})

describe('a pointer', () => {
  it('costs a label more than the name that it leads to', () => {
    expectCost(4, record(A, [...name(3), ...pointer(DATA_AT)]))
    expectCost(8, record(A, [...name(3), ...pointer(DATA_AT), ...pointer(DATA_AT)]))
  })

  it('leads to a name of 127 labels at most', () => {
    expectCost(128, record(A, [...name(200), ...pointer(DATA_AT)]))
  })

  it('leads on by the pointer at the end of a name, which is its end', () => {
    const second = DATA_AT + name(3).length
    const names = [...name(3), ...name(1, pointer(DATA_AT)), ...pointer(second)]
    // Bytes that a name without an end would go on with.
    expectCost(4 + 6, record(A, [...names, ...new Array<number>(400).fill(1)]))
  })

  it('leads back: one to itself or to what follows costs nothing', () => {
    expectCost(0, record(A, pointer(DATA_AT)))
    const behind = DATA_AT + 4
    expectCost(0, record(A, [...pointer(behind), 0, 0, ...name(20)]))
  })

  it('to a name that leads to itself costs what is there once', () => {
    expectCost(3, record(A, name(1, pointer(DATA_AT))))
  })

  it('leads no further than the message', () => {
    const laborious = (cost: number): boolean => {
      const roots = Array.from({ length: cost % 24 }, () => ROOT).flat()
      const types = new Array<number>(Math.floor(cost / 24)).fill(0)
      // Neither byte of the place may look like another pointer.
      const before = [record(NSEC, types), record(A, [...roots, ...new Array<number>(64).fill(0)])]
      const at = message(before).length + HEAD_BYTES
      // A label that covers the pointer to it; behind it comes the last byte.
      return isLaborious(message([...before, record(A, [4, ...pointer(at), 0, 0, 5])]))
    }
    expect([MAX_COST - 2, MAX_COST - 1].map(laborious)).toEqual([false, true])
  })

  it('counts on where pointers alone cost as much as is allowed', () => {
    const long = name(126)
    const data = (roots: number) => [
      ...long,
      ...Array.from({ length: 1574 }, () => pointer(DATA_AT)).flat(),
      ...Array.from({ length: roots }, () => ROOT).flat(),
    ]
    const alone = (roots: number) => isLaborious(message([record(A, data(roots), 0)]))
    expect([alone(102), alone(103)]).toEqual([false, true])
  })
})
