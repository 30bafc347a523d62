/** What clients of `limitServer` may have the server keep: chunks of bodies, header fields, unread responses. */
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createConnection } from '../../src/rest/limits/connection.ts'
import { endUnread } from '../../src/rest/limits/unread.ts'
import { ASK, HELD, LARGE_BYTES, limited } from './limited.ts'
import { Peer } from './peer.ts'

const POST = 'POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

/** A body of so many chunks of so many bytes. */
const body = (chunks: number, bytes = 1): string =>
  `${POST}${`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(chunks)}0\r\n\r\n`

const fields = (count: number, bytes = 1): string =>
  Array.from({ length: count }, (_, at) => `x-${at}: ${'y'.repeat(bytes)}\r\n`).join('')

/** With these besides `Host`. */
const withFields = (request: string, count: number): string =>
  request.replace('\r\n\r\n', `\r\n${fields(count)}\r\n`)

const EVENT = { limit: 'maxBodyChunks', address: '127.0.0.1' }

describe('bodies in small chunks', () => {
  it('are read as long as there are 256 chunks and one for each 64 bytes', async () => {
    const { connect, events } = await limited()
    const client = await connect()
    client.send(body(260))
    await expect.poll(() => client.statuses()).toEqual([200])
    client.send(body(260).replace('0\r\n\r\n', `3c\r\n${'x'.repeat(60)}\r\n0\r\n\r\n`))
    await expect.poll(() => client.statuses()).toEqual([200, 200])
    client.send(body(5000, 64))
    await expect.poll(() => client.statuses()).toEqual([200, 200, 200])
    expect([client.closed(), events]).toEqual([false, []])
  })

  it('end the connection at the first chunk too many', async () => {
    const { connect, events, sockets } = await limited()
    const client = await connect()
    client.send(body(261))
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), events]).toEqual([[], [EVENT]])
    const other = await connect()
    other.send(body(5000, 60))
    await expect.poll(() => other.closed()).toBe(true)
    expect([sockets.map(({ destroyed }) => destroyed), events]).toEqual([
      [true, true],
      [EVENT, EVENT],
    ])
  })

  it('are counted together where they wait, those beyond the last request as well', async () => {
    const { connect, events, begun, held } = await limited({ maxPipelinedRequests: 3 })
    const [waiting, dropped, few] = [await connect(), await connect(), await connect()]
    waiting.send(HELD + body(100) + body(161))
    dropped.send(HELD + ASK + body(100) + body(161))
    few.send(HELD + body(100) + body(100))
    await expect.poll(() => [waiting.closed(), dropped.closed()]).toEqual([true, true])
    await expect.poll(() => held.length).toBe(3)
    expect([begun, events]).toEqual([
      ['/held', '/held', '/held'],
      [EVENT, EVENT],
    ])
    held[2]?.end()
    await expect.poll(() => few.statuses()).toEqual([200, 200, 200])
  })

  it('are counted anew when all was answered', async () => {
    const { connect, events } = await limited()
    const client = await connect()
    for (let times = 1; times <= 3; times++) {
      client.send(body(200))
      await expect.poll(() => client.statuses()).toHaveLength(times)
    }
    expect([client.statuses(), events]).toEqual([[200, 200, 200], []])
  })

  it('are limited as the host says', async () => {
    const { connect } = await limited({ maxBodyChunks: 2000 })
    const client = await connect()
    client.send(body(2000))
    await expect.poll(() => client.statuses()).toEqual([200])
  })
})

describe('header fields', () => {
  it.each([
    [100, {}],
    [10, { maxHeaderFields: 10 }],
  ])('are at most %i', async (most, options) => {
    const { connect, begun, events } = await limited(options)
    const client = await connect()
    client.send(withFields(ASK, most - 1))
    await expect.poll(() => client.statuses()).toEqual([200])
    client.send(withFields(ASK, most))
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), begun]).toEqual([[200, 431], ['/now']])
    expect(client.text()).toContain('Connection: close')
    expect(events).toEqual([{ limit: 'maxHeaderFields', address: '127.0.0.1' }])
  })

  it.each([31, 32, 33, 500])('of %i too many end it, however Node gathers them', async (more) => {
    const { connect, begun } = await limited({ maxHeaderFields: 31 })
    const client = await connect()
    client.send(withFields(ASK, 31 + more - 1))
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.statuses(), begun]).toEqual([[431], []])
  })

  it('too many behind another request end it without a word', async () => {
    const { connect, begun, events } = await limited()
    const client = await connect()
    client.send(HELD + withFields(ASK, 100))
    await expect.poll(() => client.closed()).toBe(true)
    expect([client.text(), begun]).toEqual(['', ['/held']])
    expect(events.map(({ limit }) => limit)).toEqual(['maxHeaderFields'])
  })
})

it('headers of 32 KiB wait at most, and as many beyond them end the connection', async () => {
  const fat = ASK.replace('\r\n\r\n', `\r\n${fields(15, 1000)}\r\n`)
  const { connect, held, begun, events } = await limited()
  const [patient, greedy] = [await connect(), await connect()]
  patient.send(HELD + fat.repeat(4))
  await expect.poll(() => held.length).toBe(1)
  greedy.send(HELD + fat.repeat(5))
  await expect.poll(() => greedy.closed()).toBe(true)
  expect(events.map(({ limit }) => limit)).toEqual(['maxPipelinedRequests'])
  held[0]?.end()
  await expect.poll(() => patient.closed()).toBe(true)
  expect(patient.statuses()).toEqual([200, 200, 200])
  expect(begun).toEqual(['/held', '/held', '/now', '/now'])
})

/** Two of those responses, and their headers. */
const MOST_BYTES = 2 * LARGE_BYTES + 2 ** 20

describe('unread responses', () => {
  /** Connections of these clients, with so many bytes that are not read, since so many ms. */
  function unread(...all: readonly (readonly [client: string, bytes: number, since?: number])[]) {
    const ended: string[] = []
    const connections = all.map(([client, bytes, since = 0]) => {
      const peer = new Peer('192.0.2.1')
      peer.writableLength = bytes
      const connection = createConnection(peer.socket, { client, now: 0 })
      connection.backlog = { bytes, since }
      return connection
    })
    const set = new Set(connections)
    const end = (connection: (typeof connections)[number], limit: string) => {
      set.delete(connection)
      const at = connections.indexOf(connection)
      ended.push(`${connection.client}${at} ${limit}`)
    }
    const endMore = () => {
      ended.length = 0
      endUnread({ all: set, end }, { maxUnreadBytes: 100 })
      return ended.map((each) => each.replace(' maxUnreadBytes', ''))
    }
    return { connections, endMore }
  }

  it('may have so many bytes together, and a single one more', () => {
    expect(unread(['a', 60], ['a', 40]).endMore()).toEqual([])
    expect(unread(['a', 500], ['a', 0], ['b', 0]).endMore()).toEqual([])
    expect(unread(['a', 500], ['b', 1]).endMore()).toEqual(['a0'])
  })

  it('end where they are too many: the largest, of the client with most', () => {
    expect(unread(['a', 70], ['b', 50], ['b', 60]).endMore()).toEqual(['b2', 'a0'])
    expect(unread(['a', 70], ['b', 10], ['b', 20], ['b', 45]).endMore()).toEqual(['b3'])
    // Of different ones it does not matter for how long they were not read.
    expect(unread(['a', 70, 9], ['b', 50, 1]).endMore()).toEqual(['a0'])
    expect(unread(['a', 70, 9], ['a', 50, 1]).endMore()).toEqual(['a0'])
  })

  it('that are equal end by how long they were not read', () => {
    expect(unread(['a', 60, 7], ['b', 60, 5]).endMore()).toEqual(['b1'])
    expect(unread(['a', 60, 5], ['b', 60, 7]).endMore()).toEqual(['a0'])
    expect(unread(['a', 40, 7], ['a', 40, 6], ['a', 40, 8]).endMore()).toEqual(['a1'])
    expect(unread(['a', 40, 6], ['a', 40, 7], ['a', 40, 8]).endMore()).toEqual(['a0'])
    expect(unread(['a', 30, 1], ['a', 30, 9], ['b', 60, 5]).endMore()).toEqual(['a0'])
    expect(unread(['a', 60], ['b', 60]).endMore()).toEqual(['a0'])
    expect(unread(['a', 60], ['a', 60]).endMore()).toEqual(['a0'])
  })

  it('of which a part has left are kept longer, and those of another protocol are not looked at', () => {
    const { connections, endMore } = unread(['a', 60], ['a', 60])
    Object.assign(connections[0]?.socket ?? {}, { _handle: { writeQueueSize: 9 } })
    Object.assign(connections[1]?.socket ?? {}, { _handle: { writeQueueSize: 10 } })
    expect(endMore()).toEqual(['a1'])
    const clients = unread(['a', 60], ['b', 60])
    Object.assign(clients.connections[0]?.socket ?? {}, { _handle: { writeQueueSize: 9 } })
    Object.assign(clients.connections[1]?.socket ?? {}, { _handle: { writeQueueSize: 10 } })
    expect(clients.endMore()).toEqual(['b1'])
    const other = unread(['a', 90], ['b', 60])
    for (const each of other.connections.slice(0, 1)) each.upgraded = true
    expect(other.endMore()).toEqual([])
  })

  it('do not gather: a client that reads gets its own whole, beside a crowd that does not', async () => {
    const crowd = 8
    const { connect, events, sockets, begun } = await limited({
      ...{ maxUnreadBytes: MOST_BYTES, trustProxy: '127.0.0.9' },
    })
    const large = ASK.replace('now', 'large')
    const slow = await connect({ from: '127.0.0.2', deaf: true })
    slow.send(large)
    await expect.poll(() => begun.length).toBe(1)
    let most = 0
    for (let count = 0; count < crowd; count++) {
      const deaf = await connect({ from: '127.0.0.3', deaf: true })
      deaf.send(large)
      await expect.poll(() => begun.length).toBe(2 + count)
      most = Math.max(
        most,
        sockets.reduce((sum, { writableLength }) => sum + writableLength, 0),
      )
    }
    expect(most).toBeLessThanOrEqual(MOST_BYTES)
    expect(events).toEqual(
      Array.from({ length: crowd - 1 }, () => ({
        ...{ limit: 'maxUnreadBytes', address: '127.0.0.3' },
      })),
    )
    let read = 0
    slow.socket.on('data', (chunk: Buffer) => (read += chunk.length))
    slow.socket.resume()
    await expect.poll(() => read).toBeGreaterThan(LARGE_BYTES)
    // Nobody waits for the next second to end them.
    expect(slow.closed()).toBe(false)
  })

  it('that were written without an end are looked at each second', async () => {
    const { connect, server, events, clock } = await limited({ maxUnreadBytes: LARGE_BYTES })
    server.prependListener('request', (_req, res) => res.write(Buffer.alloc(LARGE_BYTES)))
    for (let count = 0; count < 2; count++) {
      const deaf = await connect({ deaf: true })
      const asked = once(server, 'request')
      deaf.send(HELD)
      await asked
    }
    expect(events).toEqual([])
    await clock.advance(1000)
    expect(events.map(({ limit }) => limit)).toEqual(['maxUnreadBytes'])
  })
})
