/** Node ends the process where it frees a session of HTTP/2 before a stream with headers of a block that never ended. */
import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { grpc } from '../../../src/checkers/extra/grpc/index.ts'
import { http } from '../../../src/checkers/http/index.ts'
import { endLater, nativePart, outlive } from '../../../src/net/http/http2-lifetime.ts'
import { check } from '../../support/check.ts'
import { listening } from '../../support/listening.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const kHandle = Symbol('kHandle')

async function collect(): Promise<void> {
  await setImmediate()
  gc()
  await setImmediate()
}

it('a stream whose native part has another name is left alone', () => {
  expect(() => outlive({} as never, {} as never)).not.toThrow()
})

it('a session is freed later than its stream', async () => {
  const held: { stream?: object } = { stream: {} }
  const begin = (): WeakRef<object> => {
    const session = { [kHandle]: {} }
    outlive(session as never, { [kHandle]: held.stream } as never)
    return new WeakRef(session[kHandle])
  }
  const session = begin()
  for (let n = 0; n < 5; n++) await collect()
  expect(session.deref()).toBeDefined()
  delete held.stream
  const isFreed = async () => {
    await collect()
    return session.deref() === undefined
  }
  await expect.poll(isFreed).toBe(true)
})

it('a session ends behind what is parsed, and tells before it why', async () => {
  const running = await listening(createServer())
  onTestFinished(() => running[Symbol.asyncDispose]())
  const ended = async (failure?: Error) => {
    const session = connect(`http://127.0.0.1:${running.port}`)
    await once(session, 'connect')
    const told: unknown[] = []
    session.on('error', (error) => told.push(error))
    endLater(session, (error) => told.push(error, session.destroyed))
    const closed = once(session, 'close').catch(() => undefined)
    session.destroy(failure)
    expect([session.destroyed, told]).toEqual([false, []])
    await closed
    expect(session.destroyed).toBe(true)
    return told
  }
  const failure = new Error('a broken frame')
  expect((await ended(failure)).slice(0, 2)).toEqual([failure, false])
  expect(await ended()).toEqual([])
})

it('this version of Node has native parts of both', async () => {
  const running = await listening(createServer())
  onTestFinished(() => running[Symbol.asyncDispose]())
  const session = connect(`http://127.0.0.1:${running.port}`)
  await once(session, 'connect')
  const stream = session.request()
  stream.on('error', () => undefined)
  expect([nativePart(session), nativePart(stream)]).toEqual([
    expect.objectContaining({}),
    expect.objectContaining({}),
  ])
  session.destroy()
})

it.each([
  ['gRPC', (port: number) => check(grpc(), { host: '127.0.0.1', port })],
  [
    'HTTP/2',
    (port: number) =>
      check(http(), { url: `http://127.0.0.1:${port}/`, http_version: '2' } as const),
  ],
])('the session of a check by %s is freed later than its stream', async (_, ask) => {
  const running = await listening(createServer((_request, response) => void response.end()))
  onTestFinished(() => running[Symbol.asyncDispose]())
  const register = vi.spyOn(FinalizationRegistry.prototype, 'register')
  onTestFinished(() => register.mockRestore())
  await ask(running.port)
  const named = (part: unknown): string | undefined =>
    (part as object | undefined)?.constructor.name
  const pairs = register.mock.calls.map(([stream, session]) => [named(stream), named(session)])
  expect(pairs).toContainEqual(['Http2Stream', 'Http2Session'])
})
