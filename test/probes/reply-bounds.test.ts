import { expect, it } from 'vitest'
import { createReplyBounds } from '../../src/probes/bullmq/reply-bounds.ts'

const REPLIES = [
  '+OK\r\n:5\r\n$-1\r\n_\r\n-ERR wrong\r\n*0\r\n*-1\r\n$0\r\n\r\n',
  '*3\r\n$3\r\na\nb\r\n*1\r\n:1\r\n$2\r\n*9\r\n',
  '%1\r\n$4\r\n$5\r\n\r\n=7\r\ntxt:abc\r\n~1\r\n,1.5\r\n|1\r\n+a\r\n+b\r\n>2\r\n$7\r\nmessage\r\n+x\r\n',
].join('')
const LONG = 9 * 1024 * 1024

/** What is read of `text` in pieces of so many bytes. */
function read(text: string, bytes: number): string {
  const bound = createReplyBounds()
  const given = Buffer.from(text, 'latin1')
  const parts: Buffer[] = []
  for (let at = 0; at < given.length; at += bytes) parts.push(bound(given.subarray(at, at + bytes)))
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
  ['many values in a map', '%30000\r\n'],
  ['many values in many lists', `*1000\r\n${`*100\r\n${':1\r\n'.repeat(100)}`.repeat(1000)}`],
  ['a line without an end', `+${'x'.repeat(70_000)}`],
  ['many texts', `*3\r\n${`$6000000\r\n${'x'.repeat(6_000_000)}\r\n`.repeat(3)}`],
])('a reply with %s is refused', (_of, sent) => {
  expect(() => read(sent, 65_536)).toThrow(/^Redis sent a reply of more than /)
})

it('replies one after the other are not added up', () => {
  const sent = `${`*2\r\n$5000000\r\n${'x'.repeat(5_000_000)}\r\n:1\r\n`.repeat(4)}*30000\r\n${':1\r\n'.repeat(30_000)}`
  expect(read(sent + sent, 65_536)).toHaveLength(2 * sent.length)
})
