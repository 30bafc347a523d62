/** Messages of megabytes that the drivers read in one turn of the event loop. */

import { describe, expect, it } from 'vitest'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { resultParts } from '../../../src/checkers/mysql/result-part.ts'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { check } from '../../support/check.ts'
import { hostile } from '../../support/hostile/any.ts'
import { greeting, packet } from '../../support/hostile/mysql.ts'
import type { Peer } from '../../support/hostile/peer.ts'
import { message, READY } from '../../support/hostile/postgres.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'

const LONGEST_MS = 50
/** Below what is read of an answer. */
const BYTES = 3_900_000

const input = { host: '127.0.0.1', user: 'u', pass: 'p', tls: 'prefer', query: 'SELECT 1' } as const

/** The least of a few tries. */
function judged(
  checker: ReturnType<typeof mysql> | ReturnType<typeof postgres>,
  script: (peer: Peer) => Promise<void>,
) {
  const server = hostile({ protocol: checker.type, does: 'sends a long message', script })
  const once = async () => {
    const { port, close } = await server.start()
    const outcome = await check(checker, { ...input, port }, { timeout_ms: 20_000 })
    await close()
    return outcome
  }
  return leastOf(2, () => measureTurns(once), LONGEST_MS)
}

describe('a MySQL server', () => {
  const OK = Buffer.of(0, 0, 0, 2, 0, 0, 0)
  const STATES_CHANGED = Buffer.of(0, 0, 0, 2, 0x40, 0, 0, 0)
  const long = (bytes: number): Buffer => {
    const head = Buffer.alloc(4, 0xfd)
    head.writeUIntLE(bytes, 1, 3)
    return head
  }
  const commas = Buffer.concat([long(BYTES), Buffer.alloc(BYTES, ',')])
  const gtids = Buffer.concat([Buffer.of(3), long(commas.length + 1), Buffer.of(0), commas])
  const text = (value: string): Buffer =>
    Buffer.from(`${String.fromCharCode(value.length)}${value}`)
  const column = Buffer.concat([
    ...['def', '', '', '', 'a', ''].map(text),
    Buffer.of(0x0c, 0x21, 0, 20, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0),
  ])
  const end = Buffer.of(0xfe, 0, 0, 2, 0)

  async function hear(peer: Peer): Promise<Buffer> {
    return peer.hearBytes((await peer.hearBytes(4)).readUIntLE(0, 3))
  }

  const answering = (packets: readonly Uint8Array[]) => async (peer: Peer) => {
    await peer.say(greeting({ tracksState: true }))
    await hear(peer)
    await peer.say(packet(2, OK))
    while (!(await hear(peer)).toString('latin1', 1).startsWith('SELECT 1'))
      await peer.say(packet(1, OK))
    await peer.say(Buffer.concat(packets.map((each, at) => packet(at + 1, each))))
  }

  it.each([
    ['identifiers of transactions', [STATES_CHANGED, long(gtids.length), gtids]],
    ['blanks', [OK, long(BYTES), Buffer.alloc(BYTES, ' ')]],
  ])('that says OK with %s without end is not read', async (_what, parts) => {
    const { value, longest_ms } = await judged(mysql(), answering([Buffer.concat(parts)]))
    expect(value).toMatchObject({ verdict: 'unknown', cause_code: 'too_long', phase: 'query' })
    expect(longest_ms).toBeLessThan(LONGEST_MS)
  })

  it.each([
    ['symbols', 'GRANT ' + '('.repeat(BYTES / 2)],
    ['words', 'GRANT ' + 'A '.repeat(BYTES / 4)],
    ['quotes', '`'.repeat(BYTES / 2)],
  ])('that grants %s without end is not understood', async (_what, grant) => {
    const row = Buffer.concat([long(grant.length), Buffer.from(grant)])
    const says = (...packets: Uint8Array[]): Buffer =>
      Buffer.concat(packets.map((each, at) => packet(at + 1, each)))
    const { value, longest_ms } = await judged(mysql(), async (peer) => {
      await peer.say(greeting())
      await hear(peer)
      await peer.say(packet(2, OK))
      for (;;) {
        const command = (await hear(peer)).toString('latin1', 1)
        const isAnswered = command.startsWith('SELECT 1')
        if (command === 'SHOW GRANTS') await peer.say(says(Buffer.of(1), column, end, row, end))
        else await peer.say(isAnswered ? says(Buffer.of(1), column, end, end) : says(OK))
      }
    })
    expect(value).toMatchObject({ verdict: 'ok', details: { rows: 0 } })
    expect(value.details).not.toHaveProperty('read_only')
    expect(longest_ms).toBeLessThan(LONGEST_MS)
  })

  it('may send long rows', async () => {
    // The first value is empty: it begins like OK.
    const row = Buffer.concat([Buffer.of(0), long(1_000_000), Buffer.alloc(1_000_000, 'r')])
    const packets = [Buffer.of(2), column, column, end, row, row, end]
    const { value } = await judged(mysql(), answering(packets))
    expect(value).toMatchObject({ verdict: 'ok', details: { rows: 1 } })
  })

  it('has rows behind all of its columns alone', () => {
    const parts = resultParts()
    const of = (...packets: number[][]): boolean[] =>
      packets.map((each) => parts.isRow(Buffer.from(each)))
    const [END, COLUMN] = [
      [0xfe, 0, 0, 2, 0],
      [3, 100, 101, 102],
    ]
    const NO_ROW = [false, false, false]
    parts.begin()
    expect(of([1], COLUMN, END, [0], END, [0])).toEqual([...NO_ROW, true, true, false])
    parts.begin()
    // An end among the columns is one of them.
    expect(of([2], END, COLUMN, END, [0], [0xff])).toEqual([...NO_ROW, false, true, true])
    expect(of([0xfc, 2, 0], COLUMN, COLUMN, END, [0])).toEqual([...NO_ROW, false, true])
    parts.begin()
    expect(of([0xfd, 1, 0, 0], COLUMN, END, Array<number>(9).fill(0xfe), [0])).toEqual([
      ...[...NO_ROW, true, true],
    ])
    parts.begin()
    expect(of([0xfc, 0, 0], [0], [0xfb], [0xfc], [0xfe, 1], COLUMN, END, END)).toEqual([
      ...[...NO_ROW, ...NO_ROW, false, false],
    ])
  })
})

describe('a PostgreSQL server', () => {
  const fields = Buffer.concat([Buffer.alloc(BYTES, 'A\0'), Buffer.of(0)])

  async function hear(peer: Peer, head: number): Promise<void> {
    const bytes = await peer.hearBytes(head)
    await peer.hearBytes(bytes.readUInt32BE(head - 4) - 4)
  }

  const COLUMNS = 65_535
  const count = Buffer.of(0xff, 0xff)
  // An empty name, and 18 bytes that describe it.
  const described = Buffer.concat([count, Buffer.alloc(COLUMNS * 19)])

  it.each([
    ['an error of empty fields', 'E', fields],
    ['a notice of empty fields', 'N', fields],
    ['a row of columns', 'T', described],
  ])('that sends %s without end is not read', async (_what, letter, body) => {
    const { value, longest_ms } = await judged(postgres(), async (peer) => {
      await hear(peer, 4)
      await peer.say('N')
      await hear(peer, 4)
      await peer.say(READY)
      await hear(peer, 5)
      await peer.say(message(letter, body))
    })
    expect(value).toMatchObject({ verdict: 'fail', cause_code: 'protocol_error', phase: 'query' })
    expect(longest_ms).toBeLessThan(LONGEST_MS)
  })
})
