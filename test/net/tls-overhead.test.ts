import type { Server } from 'node:net'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import {
  KEY_UPDATES,
  recordServer,
  renegotiatingServer,
  singly,
  TICKETS,
} from '../support/hostile/tls-records.ts'
import { listening } from '../support/listening.ts'
import { openTestNet } from '../support/open-net.ts'

/** A server that sends records of TLS for as long as the connection is open. */
const ENDLESS: readonly (readonly [string, () => Server])[] = [
  ['session tickets', () => recordServer(TICKETS, { endless: true })],
  ['new keys', () => recordServer(KEY_UPDATES, { endless: true })],
  ['new handshakes', renegotiatingServer],
]

it.each(ENDLESS)('a connection on which %s come without end is ended', async (_what, serve) => {
  await using server = await listening(serve())
  const net = openTestNet()
  const url = `https://127.0.0.1:${server.port}/`
  await expect(net.http({ url })).rejects.toMatchObject({ code: 'too_long' })
})

it('so is one that is read as a dialogue', async () => {
  await using server = await listening(recordServer(TICKETS, { endless: true }))
  const connection = await openTestNet().connect({ host: '127.0.0.1', port: server.port, tls: {} })
  await expect(connection.readLine()).rejects.toMatchObject({ code: 'too_long' })
})

it('a line in records of one byte lets others have their turns', async () => {
  const line = `${'x'.repeat(4000)}\n`
  await using server = await listening(recordServer(singly(line), { endless: false }))
  let turns = 0
  const timer: Clock['timer'] = (ms, run, options) => {
    if (ms === 0) turns += 1
    return systemClock.timer(ms, run, options)
  }
  const net = openTestNet({ clock: { ...systemClock, timer } })
  const connection = await net.connect({ host: '127.0.0.1', port: server.port, tls: {} })
  expect(turns).toBe(0)
  expect(await connection.readLine()).toHaveLength(4000)
  expect(turns).toBeGreaterThan(0)
})

it('an answer in records of one byte is read to its end', async () => {
  const body = 'x'.repeat(13_000)
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  await using server = await listening(recordServer(singly(answer), { endless: false }))
  const { status, body: read } = await openTestNet().http({
    url: `https://127.0.0.1:${server.port}/`,
  })
  expect([status, read.toString()]).toEqual([200, body])
})
