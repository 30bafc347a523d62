/** Parts of an exchange with a name server that no server can bring about. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAsker } from '../../../src/net/dns/ask.ts'
import type { AskerParts } from '../../../src/net/dns/ask.ts'
import { exchangeStream, exchangeUdp } from '../../../src/net/dns/exchange.ts'
import type { Codec } from '../../../src/net/dns/message.ts'
import type { Connection } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'

describe('an exchange over TCP', () => {
  function exchanging() {
    const clock = simulatedClock()
    const [signal, turns] = [createStop(), createTurns(clock)]
    const done: unknown[] = []
    let connected = (_: Connection): void => undefined
    const connect = () => new Promise<Connection>((resolve) => (connected = resolve))
    const connection = {
      close: () => void done.push('close'),
      write: (bytes: Buffer) => Promise.resolve(done.push(bytes)),
      readUntil(_isWhole: unknown, options: object) {
        done.push(options)
        return Promise.resolve(Buffer.from([0, 2, 5, 6]))
      },
    } as unknown as Connection
    const answer = exchangeStream({
      ...{ connect, clock, server: 'ns.test:53', message: Buffer.of(1, 2, 3), timeout_ms: 1000 },
      ...{
        signal,
        read: (bytes: Buffer) => [...bytes],
        timed: () => () => undefined,
        inTurns: (steps) => turns.run(signal, steps),
      },
    })
    return { clock, done, answer, open: () => connected(connection) }
  }

  it('reads one message, no longer than it may be, and closes', async () => {
    const { answer, open, done } = exchanging()
    open()
    expect(await answer).toEqual([5, 6])
    expect(done).toEqual([Buffer.of(0, 3, 1, 2, 3), { max: 65_537 }, 'close'])
  })

  it('closes a connection that is made when nobody waits any more', async () => {
    const { clock, answer, open, done } = exchanging()
    answer.catch(() => undefined)
    await clock.advance(1000)
    await expect(answer).rejects.toMatchObject({ code: 'dns_timeout' })
    open()
    await clock.settle()
    expect(done[0]).toBe('close')
  })
})

describe('an exchange over UDP', () => {
  /** Answers with datagrams of these lengths. */
  async function asked(message: Uint8Array, ...lengths: readonly number[]) {
    const server = createSocket('udp4')
    server.on('message', (_query, { port, address }) => {
      for (const length of lengths) server.send(Buffer.alloc(length), port, address)
    })
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const read: number[] = []
    const answer = exchangeUdp({
      ...{ address: '127.0.0.1', port: server.address().port, server: 'ns.test:53', message },
      ...{ clock: simulatedClock(), signal: createStop(), timeout_ms: 1000 },
      ...{ own: () => undefined, timed: () => () => undefined, concerns: () => true },
      inTurns: async (steps) => steps.next().value as never,
      read: ({ length }) => (read.push(length), length),
    })
    return { answer, read }
  }

  it('reads no datagram of more than 4,096 bytes', async () => {
    const { answer, read } = await asked(Buffer.of(1), 4097, 4096)
    expect(await answer).toBe(4096)
    expect(read).toEqual([4096])
  })

  it('lets four wait to be read, ignores what comes meanwhile, and then reads again', async () => {
    const server = createSocket('udp4')
    const asked = once(server, 'message')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const clock = simulatedClock()
    const held: (() => void)[] = []
    let arrived = 0
    const answer = exchangeUdp<number>({
      ...{ address: '127.0.0.1', port: server.address().port, server: 'ns.test:53', clock },
      ...{ signal: createStop(), timeout_ms: 1000, message: Buffer.of(1) },
      ...{ timed: () => () => undefined, concerns: () => true },
      own: (socket) => void socket.on('message', () => (arrived += 1)),
      inTurns: (steps) =>
        new Promise((resolve) => held.push(() => resolve(steps.next().value as never))),
      read: () => undefined,
    })
    const late = answer.catch((error: unknown) => String(error))
    const [, { port, address }] = (await asked) as [Buffer, { port: number; address: string }]
    const send = async (times: number): Promise<void> => {
      const all = arrived + times
      for (let n = 0; n < times; n++)
        await new Promise((resolve) => server.send(Buffer.of(n), port, address, resolve))
      // On a busy machine the kernel may pass them on some turns later.
      await expect.poll(() => arrived).toBe(all)
    }
    await send(6)
    expect(held).toHaveLength(4)
    for (const read of held.splice(0)) read()
    await send(5)
    expect(held).toHaveLength(4)
    for (const read of held.splice(0, 3)) read()
    await clock.settle()
    await clock.advance(1000)
    // Three were not to be read, seven were no answer, and one was not read yet.
    expect(await late).toContain('10 that belong to no query of ours were ignored')
  })

  it('fails at once where the query cannot be sent', async () => {
    const { answer } = await asked(Buffer.alloc(70_000))
    await expect(answer).rejects.toMatchObject({ name: 'CheckFailure', phase: 'resolve' })
  })
})

it.each([
  ['192.0.2.1', 4],
  ['2001:db8::1', 6],
  ['fe80::1%eth0', 6],
])('a name server of the system is dialled as it is: %s', (host, family) => {
  const asker = createAsker({ known: () => undefined } as unknown as AskerParts, {} as Codec)
  const server = { scheme: 'tcp', host, port: 53 } as const
  expect(asker.placed(server, true)).toMatchObject({ address: { address: host, family } })
})

it('a name server whose name has no address has no cause for that', async () => {
  const asker = createAsker(
    { lookUp: () => Promise.resolve([]) } as unknown as AskerParts,
    {} as Codec,
  )
  await expect(
    asker.locate({ scheme: 'udp', host: 'ns.test', port: 53 } as never),
  ).rejects.toMatchObject({
    ...{ code: 'dns_nameserver_unresolvable', cause: undefined },
    message: 'The name server ns.test has no address',
  })
})
