import { expect, it } from 'vitest'
import { createReplyBounds } from '../../src/probes/bullmq/reply-bounds.ts'
import type { Awaited } from '../../src/probes/bullmq/reply-bounds.ts'

const REPLIES = [
  '+OK\r\n:5\r\n$-1\r\n-ERR wrong\r\n*0\r\n*-1\r\n$0\r\n\r\n',
  '*3\r\n$3\r\na\nb\r\n*1\r\n:1\r\n$2\r\n*9\r\n',
  '*2\r\n*1\r\n$4\r\n$5\r\n\r\n*2\r\n-ERR inside\r\n:-7\r\n',
].join('')
const LONG = 5 * 1024 * 1024

/** What is read of `text` in pieces of so many bytes. */
function read(text: string, bytes: number, awaited: Awaited = 'reply'): string {
  const bound = createReplyBounds(() => awaited)
  const given = Buffer.from(text, 'latin1')
  const parts: Buffer[] = []
  for (let at = 0; at < given.length; at += bytes)
    parts.push(...bound(given.subarray(at, at + bytes)))
  return Buffer.concat(parts).toString('latin1')
}

it.each([1, 2, 3, 7, 1000])('replies in pieces of %i bytes are read as they are', (bytes) => {
  expect(read(REPLIES, bytes)).toBe(REPLIES)
})

it('a text that is too long is read as an empty one, and what is behind it as it is', () => {
  const sent = `*2\r\n$${LONG}\r\n${'x'.repeat(LONG)}\r\n:7\r\n${REPLIES}`
  for (const bytes of [65_536, LONG * 2])
    expect(read(sent, bytes)).toBe(`*2\r\n$0\r\n\r\n:7\r\n${REPLIES}`)
})

it.each([
  ['many values', '*60000\r\n'],
  ['many values in many lists', `*1000\r\n${`*100\r\n${':1\r\n'.repeat(100)}`.repeat(1000)}`],
  ['lists in each other', '*1\r\n'.repeat(17)],
  ['a line without an end', `+${'x'.repeat(70_000)}`],
  ['many texts', `*3\r\n${`$3000000\r\n${'x'.repeat(3_000_000)}\r\n`.repeat(3)}`],
])('a reply with %s is refused', (_of, sent) => {
  expect(() => read(sent, 65_536)).toThrow(/^Redis sent a reply of more than /)
})

it('replies one after the other are not added up', () => {
  const sent = `${`*2\r\n$3000000\r\n${'x'.repeat(3_000_000)}\r\n:1\r\n`.repeat(4)}*30000\r\n${':1\r\n'.repeat(30_000)}`
  expect(read(sent + sent, 65_536)).toHaveLength(2 * sent.length)
})

it.each(['_\r\n', '%1\r\n', '$-2\r\n', '$5\n', ':1\rx\n', '*1 \r\n', 'x\r\n', '>1\r\n'])(
  'the line %j, of which the client may read another length, is refused',
  (sent) => {
    expect(() => read(sent, 65_536)).toThrow('a line that is none of the protocol')
  },
)

it('a subscription takes messages and refusals, and nothing else', () => {
  const message = '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n-ERR no\r\n'
  expect(read(message, 1000, 'message')).toBe(message)
  for (const other of ['+OK\r\n', '*2\r\n', '*3\r\n$-1\r\n', '*3\r\n*1\r\n'])
    expect(() => read(other, 1000, 'message')).toThrow('a message of an unknown form')
  expect(() => read('+OK\r\n', 1000, 'nothing')).toThrow('a reply to no command')
})

it('JSON is read up to a hundred thousand values of a text, and then as zeros', () => {
  const text = ',x'.repeat(200_000)
  const sent = `*2\r\n$${text.length}\r\n${text}\r\n$2\r\n[]\r\n`
  for (const bytes of [7, 65_536]) {
    const got = read(sent + sent, bytes)
    expect(got.length).toBe(2 * sent.length)
    expect(got.lastIndexOf('x', sent.length) - got.indexOf(',')).toBe(2 * 100_000 - 1)
    expect(got.slice(-8)).toBe('$2\r\n[]\r\n')
  }
})
