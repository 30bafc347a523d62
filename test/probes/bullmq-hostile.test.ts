import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { namesUnder } from '../../src/probes/bullmq/options.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { engineAt, fine, order, probeAt, recorder } from './ways.ts'

const run = () => Promise.resolve(fine())
const names = namesUnder('watchpost')

/** A Redis that says what it likes: a real one, behind a proxy that adds to its replies. */
describeWithServer(redisServer, 'a hostile Redis', () => {
  async function somewhere(insteadOf?: readonly [command: RegExp, reply: string]) {
    const redis = await forThisTest(startRedis())
    const clients = new Set<Socket>()
    const proxy = createServer((client) => {
      const server = connect(redis.ports.redis, '127.0.0.1')
      clients.add(client)
      const end = (): void => {
        clients.delete(client)
        client.destroy()
        server.destroy()
      }
      for (const side of [client, server]) side.on('error', end).on('close', end)
      client.on('data', (asked) => {
        if (insteadOf?.[0].test(asked.toString()) === true) client.write(insteadOf[1])
        else server.write(asked)
      })
      server.on('data', (reply) => client.write(reply))
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const client of clients) client.destroy()
      proxy.close()
    })
    return {
      connection: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      port: redis.ports.redis,
      say: (text: string) => [...clients].forEach((client) => client.write(text)),
    }
  }

  it.each([
    ['null, unasked', '$-1\r\n'.repeat(50), 'to no command|of an unknown form'],
    ['a push that is null', '>1\r\n_\r\n', 'none of the protocol'],
    [
      'a push of a subscription to null',
      '>3\r\n$9\r\nsubscribe\r\n_\r\n:1\r\n',
      'none of the protocol',
    ],
    ['a number that ends in a text', ':5\rX$99999999999\r\n', 'none of the protocol'],
    ['a text of a negative length', '$-9999\r\n', 'none of the protocol'],
    // Whether a command or a subscription waits for them is chance.
    [
      '20,000 lists in each other',
      '*1\r\n'.repeat(20_000),
      'more than 16 lists|to no command|of an unknown form',
    ],
    ['20,000 numbers, unasked', ':1\r\n'.repeat(20_000), 'to no command|of an unknown form'],
  ])(
    'that says %s is left, and ends neither the engine nor the probe',
    async (_of, said, named) => {
      const { connection, say } = await somewhere()
      const loggers = [recorder(), recorder()] as const
      await probeAt(connection, { run, logger: loggers[0] })
      const { transport, answers } = await engineAt(connection, { logger: loggers[1] })
      say(said)
      for (const { fields } of loggers)
        await expect
          .poll(() => fields.map((each) => inspect(each)).join())
          .toMatch(new RegExp(named))
      await expect.poll(() => transport.online(1)).toBe(true)
      const after = order()
      await transport.send(after)
      await expect.poll(() => answers.map((each) => each.order.id)).toContain(after.id)
    },
  )

  it.each([
    ['nothing', '$-1\r\n'],
    ['a channel that is null', '*3\r\n$9\r\nsubscribe\r\n$-1\r\n:1\r\n'],
    ['a list of nothing', '*0\r\n'],
  ])('that answers a subscription with %s does not end the probe', async (_of, said) => {
    const { connection } = await somewhere([/subscribe/i, said])
    const logger = recorder()
    await probeAt(connection, { run, logger })
    expect(logger.fields.map((each) => inspect(each)).join()).toContain('a message of an unknown')
  })

  it.each([
    ['a probe', (at: string) => [names.probe(at, 'stranger'), names.probes(at)] as const],
    ['an engine', () => [names.engine('stranger'), names.engines] as const],
  ])(
    'that holds JSON of millions of lists as the beat of %s takes no long turn',
    async (_of, keys) => {
      const { connection, port } = await somewhere()
      const client = new Redis(port)
      onTestFinished(() => client.disconnect())
      const [beat, all] = keys('fra')
      await client.set(beat, '['.repeat(2_000_000) + ']'.repeat(2_000_000))
      await (all === names.engines
        ? client.zadd(all, 9e15, 'stranger')
        : client.sadd(all, 'stranger'))
      await probeAt(connection, { run })
      await engineAt(connection)
      const { longest_ms } = await leastOf(
        2,
        () =>
          measureTurns(async () => {
            await probeAt(connection, { run })
            await engineAt(connection)
          }),
        50,
      )
      expect(longest_ms).toBeLessThan(50)
    },
  )

  it.each(['data', 'opts', 'stacktrace'])(
    'that holds JSON of millions of lists in the %s of an order takes no long turn',
    async (field) => {
      const { connection, port } = await somewhere()
      const client = new Redis(port)
      onTestFinished(() => client.disconnect())
      const forge = async (id: string): Promise<void> => {
        const queue = `${names.prefix}:${names.orders('fra')}`
        const fields = {
          name: 'order',
          data: '{}',
          opts: '{}',
          timestamp: 1,
          delay: 0,
          priority: 0,
        }
        const long = '['.repeat(1_900_000) + ']'.repeat(1_900_000)
        await client.hset(`${queue}:${id}`, { ...fields, [field]: long })
        await client.lpush(`${queue}:wait`, id)
        await client.zadd(`${queue}:marker`, 0, '0')
      }
      await probeAt(connection, { run })
      const { longest_ms } = await leastOf(
        2,
        () =>
          measureTurns(async () => {
            await forge('first')
            const waiting = `${names.prefix}:${names.orders('fra')}:wait`
            await expect.poll(() => client.llen(waiting)).toBe(0)
            await client.ping()
          }),
        50,
      )
      expect(longest_ms).toBeLessThan(50)
      const { transport, answers } = await engineAt(connection)
      const after = order()
      await transport.send(after)
      await expect.poll(() => answers.map((each) => each.order.id)).toContain(after.id)
    },
  )
})
