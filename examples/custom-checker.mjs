/**
 * A checker of your own, made and tested like the built-in ones: does a memcached server answer?
 *
 *   node examples/custom-checker.mjs
 *
 * https://github.com/memcached/memcached/blob/master/doc/protocol.txt
 */

import { createServer } from 'node:net'
import { defineChecker, down, field, runCheck, up } from 'watchpost'
import { checkerSuite } from 'watchpost/testing'

export const memcached = () =>
  defineChecker({
    type: 'memcached',
    title: 'memcached',
    description: 'Connects, logs in where the server wants it, and asks for the version.',

    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      port: field.port({ description: 'TCP port' }).default(11211),
      user: field.text({ description: 'User, for a server with -Y', max: 64 }).default(''),
      pass: field.secret({ description: 'Password' }),
      max_answer_ms: field.integer({
        description: 'Slower than this is a failure',
        unit: 'milliseconds',
        min: 1,
        max: 60_000,
      }),
    },
    causes: {
      memcached_auth_required: { text: 'The server wants a login', phase: 'auth' },
      memcached_auth_failed: { text: 'The server does not accept the login', phase: 'auth' },
      memcached_full: { text: 'The server takes no more connections', phase: 'query' },
      memcached_slow: { text: 'The answer took longer than allowed', phase: 'query' },
    },
    measurements: {
      version: 'Version of the server',
      answer_ms: 'From the command to its answer, in ms',
    },
    highlights: { version: { title: 'Version' } },
    response: 'answer_ms',

    target: ({ host, port }) => `${host}:${port}`,

    async run(ctx, { host, port, user, pass, max_answer_ms }) {
      // Whatever is opened through ctx.net is guarded, timed, and closed when the check ends. What this
      // throws (no address, refused, reset, too late) becomes a shared cause.
      const connection = await ctx.net.connect({ host, port })

      let said = await ctx.phase('query', () => ask(connection, 'version\r\n'))
      if (said.startsWith('CLIENT_ERROR')) {
        // Only now: a server without logins would store the password, as the value of a key.
        if (pass === undefined) return down('memcached_auth_required', 'It wants a login')
        const login = `${user} ${pass}`
        const command = `set auth 0 0 ${Buffer.byteLength(login)}\r\n${login}\r\n`
        const answer = await ctx.phase('auth', () => ask(connection, command))
        if (answer !== 'STORED') return down('memcached_auth_failed', answer)
        said = await ctx.phase('query', () => ask(connection, 'version\r\n'))
      }
      if (said.startsWith('ERROR Too many open connections')) return down('memcached_full', said)

      const [, version] = /^VERSION ([\w.-]{1,40})$/.exec(said) ?? []
      if (version === undefined) return down('protocol_error', 'It does not speak memcached')
      ctx.measure({ version })

      // `mn` does nothing: its answer is the way there and back.
      const from = ctx.clock.monotonic()
      await ctx.phase('query', () => ask(connection, 'mn\r\n'))
      const answer_ms = Math.round(ctx.clock.monotonic() - from)
      ctx.measure({ answer_ms })
      if (max_answer_ms !== undefined && answer_ms > max_answer_ms) {
        return down('memcached_slow', `It took ${answer_ms} ms, ${max_answer_ms} are allowed`)
      }
      return up()
    },
  })

/**
 * @param {import('watchpost').Connection} connection
 * @param {string} command
 */
async function ask(connection, command) {
  await connection.write(command)
  return connection.readLine({ max: 512 })
}

// Two servers to try it on: one that answers as memcached with -Y does, one that accepts and says nothing.
const answering = await listen((socket) => {
  let isLoggedIn = false
  socket.on('data', (data) => {
    const text = data.toString()
    isLoggedIn ||= text.includes('\r\nops right')
    if (!isLoggedIn) socket.write('CLIENT_ERROR unauthenticated\r\n')
    else if (text.startsWith('set')) socket.write('STORED\r\n')
    else socket.write(text.startsWith('version') ? 'VERSION 1.6.18\r\n' : 'MN\r\n')
  })
})
const silent = await listen(() => undefined)

const server = { host: '127.0.0.1', port: answering.port }

const good = await runCheck(memcached, { ...server, user: 'ops', pass: 'right' })
console.log(good.verdict, good.details)

const bad = await runCheck(memcached, { ...server, user: 'ops', pass: 'wrong' })
console.log(bad.verdict, bad.cause_code, bad.phase)

const late = await runCheck(
  memcached,
  { host: '127.0.0.1', port: silent.port },
  { timeout_ms: 500 },
)
console.log(late.verdict, late.cause_code, late.phase)

// What every built-in checker passes. In a test file: for (const { name, run } of …) test(name, run)
const cases = checkerSuite(memcached(), {
  settings: { ...server, user: 'ops', pass: 'a-secret' },
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
