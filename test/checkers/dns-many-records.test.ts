/** Answers with as many records as a message of 64 KiB holds. */

import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { dns } from '../../src/checkers/dns/index.ts'
import { createGuard } from '../../src/net/guard/guard.ts'
import { createInside } from '../../src/net/dns/inside.ts'
import type { DnsAnswer } from '../../src/net/net.ts'
import { check } from '../support/check.ts'
import { listening } from '../support/listening.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const LONGEST_MS = 40
const TYPES = { A: 1, AAAA: 28 } as const

/** Answers over TCP with as many records of one type as fit, all of the queried name. */
function serving(type: keyof typeof TYPES, data: (at: number) => Buffer) {
  return listening(
    createServer((socket) => {
      socket.once('data', (frame) => {
        const query = frame.subarray(2)
        const question = query.subarray(0, query.indexOf(0, 12) + 5)
        const size = record(type, data(0)).length
        const count = Math.floor((65_535 - question.length) / size)
        const records = Array.from({ length: count }, (_, at) => record(type, data(at)))
        const head = Buffer.from(question)
        head.writeUInt16BE(0x8580, 2)
        head.writeUInt16BE(count, 6)
        head.writeUInt16BE(0, 10)
        const message = Buffer.concat([head, ...records])
        socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 255), message]))
      })
    }),
  )
}

function record(type: keyof typeof TYPES, data: Buffer): Buffer {
  // The name of the question, type, class, TTL, length.
  const head = Buffer.from('c00c0000000100000e100000', 'hex')
  head.writeUInt16BE(TYPES[type], 2)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const two = (at: number): number[] => [at >> 8, at & 255]
const fifty = (text: (at: number) => string): string[] =>
  Array.from({ length: 50 }, (_, at) => text(at))

it.each([
  [
    'A',
    'ranges',
    (at: number) => Buffer.of(192, 0, ...two(at)),
    fifty((at) => `198.51.${at}.0/24`),
  ],
  [
    'AAAA',
    'addresses',
    (at: number) =>
      Buffer.concat([Buffer.from('2a001450', 'hex'), Buffer.alloc(10), Buffer.of(...two(at))]),
    fifty((at) => `2a00:1450::${at}:1`),
  ],
  ['A', 'one address', (at: number) => Buffer.of(192, 0, ...two(at)), ['198.51.100.1']],
] as const)(
  '%s records that are compared with %s take short turns',
  async (rrtype, _what, data, expected) => {
    await using server = await serving(rrtype, data)
    const nameserver = `tcp://127.0.0.1:${server.port}`
    const settings = {
      dns_name: 'many.example',
      rrtype,
      nameserver,
      match: 'exact',
      expected,
    } as const
    // Modules are loaded, and functions compiled.
    await check(dns(), settings)
    const { value, longest_ms } = await leastOf(
      3,
      () => measureTurns(() => check(dns(), settings)),
      LONGEST_MS,
    )
    expect(value).toMatchObject({ verdict: 'fail', cause_code: 'dns_mismatch' })
    expect(longest_ms).toBeLessThan(LONGEST_MS)
  },
)

it('records are looked through for those of an inner network in steps', () => {
  const records = Array.from({ length: 1000 }, (_, at) => ({
    ...{ name: 'many.example', type: 'A', ttl: 60 },
    value: at % 2 === 0 ? '93.184.216.34' : '10.0.0.1',
  }))
  const steps = createInside(createGuard().policy).clear({ records } as unknown as DnsAnswer)
  let count = 1
  for (;;) {
    const step = steps.next()
    if (step.done === true) {
      expect(step.value.left_out).toBe(500)
      expect(step.value.records).toHaveLength(500)
      break
    }
    count += 1
  }
  expect(count).toBeGreaterThan(5)
})
