/** What arrives on a socket reaches its reader in small pieces, in turns that the test gives. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { paceReading } from '../../src/net/connection/paced-reading.ts'
import { streamOver } from '../../src/net/connection/stream-over.ts'

class Quiet extends Duplex {
  override _read() {
    // What arrives is pushed by the test.
  }
}

function paced() {
  const jobs: (() => boolean)[] = []
  const socket = new Quiet()
  paceReading(socket as unknown as Socket, { add: (job) => void jobs.push(job) })
  /** Until no job waits. */
  const turns = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) if (job()) jobs.push(job)
    await setImmediate()
  }
  return { socket: socket as unknown as Socket, jobs, turns }
}

it('comes in pieces of 4 KiB, one a turn', async () => {
  const { socket, jobs, turns } = paced()
  const lengths: number[] = []
  socket.on('data', (bytes: Buffer) => lengths.push(bytes.length))
  await setImmediate()
  socket.push(Buffer.alloc(9000))
  expect([jobs.length, lengths]).toEqual([1, []])
  jobs[0]?.()
  expect(lengths).toEqual([4096])
  await turns()
  expect(lengths).toEqual([4096, 4096, 808])
})

it.each<[string, (socket: Socket) => Duplex]>([
  ['a socket', (socket) => socket],
  ['a stream over it', streamOver],
])('waits while nobody reads %s, and comes in turns afterwards', async (_, over) => {
  const { socket, jobs, turns } = paced()
  const stream = over(socket)
  const lengths: number[] = []
  stream.on('data', (bytes: Buffer) => lengths.push(bytes.length))
  await setImmediate()
  stream.pause()
  socket.push(Buffer.alloc(9000))
  await turns()
  stream.resume()
  await setImmediate()
  await setImmediate()
  expect([jobs.length, lengths]).toEqual([1, []])
  await turns()
  expect(lengths).toEqual([4096, 4096, 808])
})

it('ends with the last piece, also where nobody read it for a while', async () => {
  const { socket, turns } = paced()
  const stream = streamOver(socket)
  const heard: string[] = []
  stream
    .on('data', (bytes: Buffer) => heard.push(bytes.toString()))
    .on('end', () => heard.push('end'))
  await setImmediate()
  stream.pause()
  socket.push(Buffer.from('a'))
  socket.push(null)
  await turns()
  expect(heard).toEqual([])
  stream.resume()
  for (let n = 0; n < 3; n++) await setImmediate()
  await turns()
  await turns()
  expect(heard).toEqual(['a', 'end'])
})
