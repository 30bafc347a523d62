/** Node 20 and 22 end the process where they list the usages of a certificate that has one with a long identifier. */
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { mint } from '../checkers/ssl/mint.ts'
import { certificates } from '../support/certificates.ts'
import type { TestCertificate } from '../support/certificates.ts'
import { listening } from '../support/listening.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { redisServer, startRedis } from '../support/servers/redis.ts'
import { engineAt, fine, order, probeAt, recorder } from './ways.ts'

const run = () => Promise.resolve(fine())
const tls = { ca: certificates().ca }

describeWithServer(redisServer, 'a Redis with TLS', () => {
  async function somewhere({ chain, key }: TestCertificate) {
    const redis = await forThisTest(startRedis())
    const server = createServer({ cert: chain, key }, (client) => {
      const plain = connect(redis.ports.redis, '127.0.0.1')
      for (const side of [client, plain])
        side.on('error', () => undefined).on('close', () => [client, plain].map((s) => s.destroy()))
      client.pipe(plain).pipe(client)
    }).on('tlsClientError', () => undefined)
    const running = await listening(server)
    onTestFinished(() => running[Symbol.asyncDispose]())
    return { host: 'localhost', port: running.port, tls }
  }

  it('and a certificate with a long usage is used as any other', async () => {
    const connection = await somewhere(mint({ usage: `serverAuth,1.2.${'1'.repeat(1500)}` }))
    await probeAt(connection, { run })
    const { transport, answers } = await engineAt(connection)
    await expect.poll(() => transport.online(1)).toBe(true)
    const asked = order()
    await transport.send(asked)
    await expect.poll(() => answers.map((each) => each.order.id)).toContain(asked.id)
  })

  it('and the certificate of another name is refused', async () => {
    const connection = await somewhere(mint({ names: 'DNS:other.example' }))
    const logger = recorder()
    await probeAt(connection, { run, logger })
    expect(logger.fields.map((each) => inspect(each))).toContainEqual(
      expect.stringMatching(/does not match certificate/),
    )
  })
})
