/** What answers at the address of the store is not PostgreSQL, or a broken or hostile one. The driver parses it in events. */
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { message, READY } from '../support/hostile/postgres.ts'
import { scriptedServer } from '../support/scripted-server.ts'

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const MESSAGES: Readonly<Record<string, Buffer>> = {
  'a login by GSSAPI': message('R', number(7)),
  'a login nobody knows': message('R', number(99)),
  'a login that is cut off': message('R', 'a'),
  'an error without an end': message('E', 'SFATAL'),
  'an error whose last field ends it': message('E', 'SFATAL\0'),
  'an error of nothing': message('E', ''),
  'a notice without an end': message('N', 'SNOTICE'),
  'columns that are cut off': message('T', Buffer.of(0, 5)),
  'less columns than none': message('T', Buffer.of(0xff, 0xff)),
  'parameters that are cut off': message('t', Buffer.of(0, 9)),
  'a copy that is cut off': message('G', Buffer.of(0, 0, 9)),
  'a notification that is cut off': message('A', 'a'),
  'keys that are cut off': message('K', 'a'),
  'a length below its own': message('T', 'abc', 3),
  'a length of nothing': message('Z', 'abcdefghijk', 0),
  'an unknown message': message('?', 'what'),
  'an answer of HTTP': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
}

const SECRET = 'a-secret-of-ours'

/** Said at once, or in bytes of their own. */
async function storeAt(said: Buffer, { first, apart }: { first: Buffer; apart: boolean }) {
  const { port } = await scriptedServer(async (socket) => {
    socket.setNoDelay(true)
    socket.once('data', () => void socket.write(first))
    if (first.length > 0) await new Promise((resolve) => socket.on('data', resolve))
    for (const byte of apart ? said : []) {
      socket.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (!apart) socket.write(said)
  })
  const url = `postgres://u:${SECRET}@127.0.0.1:${port}/b`
  const limits = { retryMs: 0, connectTimeoutMs: 500, statementTimeoutMs: 500 }
  const store = postgresStore({ url, ...limits })
  onTestFinished(() => store.close())
  return store
}

const CASES = Object.entries(MESSAGES).flatMap(([name, said]) =>
  [true, false].flatMap((loggedIn) =>
    [true, false].map((apart) => ({ name, said, loggedIn, apart })),
  ),
)

test.each(CASES)(
  '$name is an error of the store (logged in: $loggedIn, in bytes: $apart)',
  async ({ said, loggedIn, apart }) => {
    const store = await storeAt(said, { first: loggedIn ? READY : Buffer.alloc(0), apart })
    const error: unknown = await store.open().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'storage' })
    expect(String(error)).not.toContain(SECRET)
  },
)

test('what only says that it is ready gets each step of the tables once', async () => {
  let asked = 0
  const { port } = await scriptedServer(async (socket) => {
    socket.on('data', () => {
      asked++
      socket.write(READY.subarray(asked === 1 ? 0 : -6))
    })
    await new Promise((resolve) => socket.once('close', resolve))
  })
  const store = postgresStore({ url: `postgres://u:p@127.0.0.1:${port}/b`, retryMs: 0 })
  onTestFinished(() => store.close())
  await expect(store.open()).rejects.toThrow('does not keep the tables')
  expect(asked).toBeLessThan(100)
})

/** Asks for a login by SCRAM, then says `answer` to the first message of the client, whose nonce it gets. */
async function storeAtScram(answer: (nonce: string) => Buffer) {
  const { port } = await scriptedServer(async (socket) => {
    socket.once('data', () => {
      socket.write(request(10, 'SCRAM-SHA-256\0\0'))
      socket.once('data', (said: Buffer) => {
        const nonce = /r=(.*)$/.exec(said.toString('latin1'))?.[1] ?? ''
        socket.write(answer(nonce))
      })
    })
    await new Promise((resolve) => socket.once('close', resolve))
  })
  const store = postgresStore({ url: `postgres://u:${SECRET}@127.0.0.1:${port}/b`, retryMs: 0 })
  onTestFinished(() => store.close())
  return store
}

const request = (kind: number, rest: string): Buffer =>
  message('R', Buffer.concat([number(kind), Buffer.from(rest)]))

/** The most that the driver takes. */
const ITERATIONS = 100_000

test('a login by SCRAM without end ends, and leaves the thread pool to others', async () => {
  const asked = (nonce: string) => request(11, `r=${nonce}x,s=QSXCR+Q6sek8bf92,i=${ITERATIONS}`)
  const store = await storeAtScram((nonce) =>
    Buffer.concat(Array.from({ length: 200 }, () => asked(nonce))),
  )
  const before = process.cpuUsage()
  await expect(store.open()).rejects.toThrow('A login without end')
  await promisify(pbkdf2)('a', 'b', 1, 32, 'sha256')
  const { user, system } = process.cpuUsage(before)
  // Each of them takes about 25 ms.
  expect((user + system) / 1000).toBeLessThan(1000)
})

test.each([
  ['one message', (nonce: string) => request(11, `r=${nonce}${'x'.repeat(1_000_000)},s=QQ==,i=1`)],
  ['many', () => Buffer.concat(Array.from({ length: 10_000 }, () => message('S', 'a\0b\0')))],
])('a login of more than 64 KiB in %s is refused before it is read', async (_, answer) => {
  const store = await storeAtScram(answer)
  await expect(store.open()).rejects.toThrow('A login of more than 65536 bytes')
})
