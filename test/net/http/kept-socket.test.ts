/** A connection for several requests, on a stream whose pieces the test chooses. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { paceReading } from '../../../src/net/connection/paced-reading.ts'
import { createKeptSocket } from '../../../src/net/http/kept-socket.ts'

function connection() {
  /** What was written together. */
  const written: string[][] = []
  const socket = new Duplex({
    read: () => undefined,
    write(chunk, _encoding, done) {
      written.push([String(chunk)])
      done()
    },
    writev(chunks, done) {
      written.push(chunks.map(({ chunk }) => String(chunk)))
      done()
    },
  })
  return { socket, written, kept: createKeptSocket(socket as Socket) }
}

class Quiet extends Duplex {
  override _read() {
    // What arrives is pushed by the test.
  }
}

const closed = (stream: Duplex) => new Promise<void>((resolve) => stream.once('close', resolve))

/** One whose request has begun: its answer is complete after so many bytes. */
function asking(length = Infinity) {
  const all = connection()
  let heard = ''
  const stream = all.kept.begin(() => heard.length >= length)
  stream.on('data', (bytes: Buffer) => (heard += String(bytes)))
  /** Arrives in these pieces. */
  const arrive = async (...pieces: readonly string[]) => {
    await setImmediate()
    for (const piece of pieces) {
      all.socket.push(piece)
      await setImmediate()
    }
  }
  return { ...all, stream, arrive, heard: () => heard }
}

describe('a request', () => {
  it('gets what arrives, and knows whether anything has', async () => {
    const { kept, arrive, heard, socket } = asking()
    await setImmediate()
    expect(kept.heard()).toBe(false)
    await arrive('abc', 'd')
    expect([heard(), kept.heard()]).toEqual(['abcd', true])
    const next = kept.begin(() => false)
    expect(kept.heard()).toBe(false)
    let more = ''
    next.on('data', (bytes: Buffer) => (more += String(bytes)))
    await arrive('ef')
    expect([heard(), more, kept.heard()]).toEqual(['abcd', 'ef', true])
    expect(socket.listenerCount('data')).toBe(1)
  })

  it('writes what it has in one piece, and learns when it is written', async () => {
    const { stream, written } = asking()
    let done = 0
    stream.cork()
    stream.write('a', () => (done += 1))
    stream.write('b', () => (done += 1))
    stream.uncork()
    await setImmediate()
    expect([written, done]).toEqual([[['a', 'b']], 2])
    await new Promise((resolve) => void stream.write('c', resolve))
    expect(written.slice(1)).toEqual([['c']])
  })

  it('that does not read holds the connection back until it does', async () => {
    const { kept, socket } = connection()
    const stream = kept.begin(() => false)
    socket.push(Buffer.alloc(1024))
    await setImmediate()
    expect(socket.isPaused()).toBe(false)
    socket.push(Buffer.alloc(256 * 1024))
    await setImmediate()
    expect(socket.isPaused()).toBe(true)
    stream.resume()
    await setImmediate()
    expect(socket.isPaused()).toBe(false)
  })

  it('ends as the connection does', async () => {
    const ended = asking()
    ended.socket.push(null)
    await once(ended.stream, 'end')
    await setImmediate()
    expect(ended.socket.writableEnded).toBe(true)

    const broken = asking()
    const error = new Error('reset')
    broken.socket.destroy(error)
    expect(await once(broken.stream, 'error')).toEqual([error])

    const gone = asking()
    gone.socket.destroy()
    await closed(gone.stream)
    expect(gone.stream.destroyed).toBe(true)

    // Nobody need listen.
    const unheard = asking()
    unheard.socket.destroy(error)
    await closed(unheard.stream)
  })

  it('ends the connection with itself', async () => {
    const done = asking()
    done.stream.end('x')
    await once(done.socket, 'finish')
    expect([done.written, done.socket.writableEnded]).toEqual([[['x']], true])

    const broken = asking()
    const errors: unknown[] = []
    broken.stream.on('error', (error) => errors.push(error))
    broken.stream.destroy(new Error('no answer'))
    await closed(broken.stream)
    expect([broken.socket.destroyed, errors]).toEqual([true, [new Error('no answer')]])
  })
})

describe('another request may follow', () => {
  it.each<[string, readonly string[], boolean]>([
    ['the answer ends with what arrived', ['abcd'], true],
    ['it came in pieces', ['ab', 'c', 'd'], true],
    ['nothing has come', [], true],
    ['one byte more has come', ['abcde'], false],
    ['one byte more came by itself', ['abcd', 'e'], false],
    ['many more have come', ['abcdefgh'], false],
    ['more came by itself', ['abcd', 'efgh'], false],
  ])('where %s', async (_, pieces, may) => {
    const { kept, arrive } = asking(4)
    await arrive(...pieces)
    expect(kept.finish()).toBe(may)
  })

  it('where nothing waits unread', async () => {
    const { kept, socket } = connection()
    kept.begin(() => false)
    socket.push('a')
    await setImmediate()
    expect(kept.finish()).toBe(false)
  })

  it('where nothing had come before the first', async () => {
    const { kept, socket } = connection()
    socket.push('a')
    await setImmediate()
    kept.begin(() => false).resume()
    await setImmediate()
    expect(kept.finish()).toBe(false)
  })

  it('where nothing that came before the first still waits for its turn', async () => {
    const jobs: (() => boolean)[] = []
    const socket = new Quiet()
    paceReading(socket as unknown as Socket, { add: (job) => void jobs.push(job) })
    const kept = createKeptSocket(socket as unknown as Socket)
    socket.push(Buffer.from('a'))
    kept.begin(() => false).on('data', () => undefined)
    await setImmediate()
    while (jobs.shift()?.() !== undefined);
    await setImmediate()
    expect([kept.heard(), kept.finish()]).toEqual([true, false])
  })

  it('while the connection is open on both sides', async () => {
    const here = asking()
    here.socket.end()
    expect(here.kept.finish()).toBe(false)
    const there = asking()
    there.socket.push(null)
    await once(there.stream, 'end')
    expect(there.kept.finish()).toBe(false)
    const gone = asking()
    gone.socket.destroy()
    expect(gone.kept.finish()).toBe(false)
  })
})

describe('between two requests', () => {
  it.each<[string, (socket: Duplex) => unknown]>([
    ['a byte', (socket) => socket.push('x')],
    ['the end', (socket) => socket.push(null)],
  ])('%s ends the connection', async (_, come) => {
    const { kept, arrive, socket } = asking(1)
    await arrive('a')
    expect(kept.finish()).toBe(true)
    expect(socket.destroyed).toBe(false)
    come(socket)
    await setImmediate()
    expect(socket.destroyed).toBe(true)
  })

  it('an error and the close are nothing to anybody', async () => {
    const { kept, arrive, socket } = asking(1)
    await arrive('a')
    kept.finish()
    socket.destroy(new Error('reset'))
    await closed(socket)
    expect(kept.finish()).toBe(false)
  })
})
