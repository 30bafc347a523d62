/** Node ends the process where it frees a session of HTTP/2 before a stream with headers of a block that never ended. */
import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { nativePart, outlive } from '../../../src/net/http/http2-lifetime.ts'
import { listening } from '../../support/listening.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const kHandle = Symbol('kHandle')

async function collect(): Promise<void> {
  await setImmediate()
  gc()
  await setImmediate()
}

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
