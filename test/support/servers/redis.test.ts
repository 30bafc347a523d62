import { expect, it } from 'vitest'
import { hello } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { redisServer, startRedis } from './redis.ts'
import { smokeTest } from './smoke.ts'

smokeTest({
  need: redisServer,
  start: startRedis,
  greetings: async ({ ports }) => [await hello(ports.redis, { send: 'PING\r\n' })],
  expected: [/^\+PONG/],
})

describeWithServer(redisServer, 'a Redis that is set up to refuse', () => {
  it('asks for its password', async () => {
    const server = await forThisTest(startRedis({ password: 'secret' }))
    expect(await hello(server.ports.redis, { send: 'PING\r\n' })).toMatch(/^-NOAUTH/)
  })

  it('is a replica without a master, which neither reads nor writes', async () => {
    const server = await forThisTest(startRedis({ orphanedReplica: true }))
    expect(await hello(server.ports.redis, { send: 'GET a\r\n' })).toMatch(/^-MASTERDOWN/)
  })
})
