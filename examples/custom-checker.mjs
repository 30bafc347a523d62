/**
 * A checker of your own, made and tested like the built-in ones: does a Redis server answer PING?
 *
 *   node examples/custom-checker.mjs
 *
 * https://redis.io/docs/latest/develop/reference/protocol-spec/
 */

import { createServer } from 'node:net'
import { defineChecker, down, field, runCheck, unknown, up } from 'watchpost'
import { checkerSuite } from 'watchpost/testing'

export const redis = () =>
  defineChecker({
    type: 'redis',
    title: 'Redis',
    description: 'Connects, logs in where there is a password, and asks PING.',

    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      port: field.port({ description: 'TCP port' }).default(6379),
      pass: field.secret({ description: 'Password' }),
      max_ping_ms: field.integer({
        description: 'Slower than this is a failure',
        unit: 'milliseconds',
        min: 1,
        max: 60_000,
      }),
    },
    causes: {
      redis_auth_failed: { text: 'The server does not accept the password', phase: 'auth' },
      redis_auth_required: { text: 'The server wants a password', phase: 'query' },
      redis_loading: { text: 'The server still loads its data', phase: 'query' },
      redis_slow: { text: 'The answer took longer than allowed', phase: 'query' },
      redis_replica_unknown: { text: 'A replica cannot tell', verdict: 'unknown' },
    },
    measurements: { ping_ms: 'From PING to its answer, in ms' },

    target: ({ host, port }) => `${host}:${port}`,

    async run(ctx, { host, port, pass, max_ping_ms }) {
      // Whatever is opened through ctx.net is guarded, timed, and closed when the check ends. What this
      // throws (no address, refused, reset, too late) becomes a shared cause.
      const connection = await ctx.net.connect({ host, port })
      if (pass !== undefined) {
        const said = await ctx.phase('auth', () => ask(connection, ['AUTH', pass]))
        if (said.startsWith('-')) return down('redis_auth_failed', said.slice(1))
      }
      const from = ctx.clock.monotonic()
      const said = await ctx.phase('query', () => ask(connection, ['PING']))
      const ping_ms = Math.round(ctx.clock.monotonic() - from)
      ctx.measure({ ping_ms })

      if (said.startsWith('-NOAUTH')) return down('redis_auth_required', 'It wants a password')
      if (said.startsWith('-LOADING')) return down('redis_loading', 'It still loads its data')
      if (said.startsWith('-MASTERDOWN')) {
        return unknown('redis_replica_unknown', 'This replica has lost its master')
      }
      if (said !== '+PONG') return down('protocol_error', 'It does not speak the Redis protocol')
      if (max_ping_ms !== undefined && ping_ms > max_ping_ms) {
        return down('redis_slow', `PING took ${ping_ms} ms, ${max_ping_ms} are allowed`)
      }
      return up()
    },
  })

/**
 * @param {import('watchpost').Connection} connection
 * @param {readonly string[]} words
 */
async function ask(connection, words) {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  await connection.write(`*${words.length}\r\n${parts.join('')}`)
  return connection.readLine({ max: 512 })
}

// Two servers to try it on: one that answers as Redis does, one that accepts and says nothing.
const answering = await listen((socket) => {
  socket.on('data', (data) => socket.write(data.includes('AUTH') ? '-WRONGPASS\r\n' : '+PONG\r\n'))
})
const silent = await listen(() => undefined)

const good = await runCheck(redis, { host: '127.0.0.1', port: answering.port })
console.log(good.verdict, good.details)

const bad = await runCheck(redis, { host: '127.0.0.1', port: answering.port, pass: 'wrong' })
console.log(bad.verdict, bad.cause_code, bad.phase)

const late = await runCheck(redis, { host: '127.0.0.1', port: silent.port }, { timeout_ms: 500 })
console.log(late.verdict, late.cause_code, late.phase)

// What every built-in checker passes. In a test file: for (const { name, run } of …) test(name, run)
const cases = checkerSuite(redis(), {
  settings: { host: '127.0.0.1', port: answering.port, pass: 'a-secret' },
  silent: { host: '127.0.0.1', port: silent.port },
})
for (const { name, run } of cases) {
  await run()
  console.log(`ok  ${name}`)
}
answering.close()
silent.close()

/** @param {(socket: import('node:net').Socket) => void} onSocket */
async function listen(onSocket) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
