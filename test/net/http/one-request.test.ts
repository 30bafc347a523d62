/** One request on one connection, of which little more than the status is wanted: real sockets. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeptSocket } from '../../../src/net/http/kept-socket.ts'
import { sendOne } from '../../../src/net/http/one-request.ts'
import type { OneAnswer, OneRequest } from '../../../src/net/http/one-request.ts'
import type { Connection } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { failed } from './rules.ts'

const REQUEST: OneRequest = {
  ...{ url: new URL('http://hook.example/a?b=c'), method: 'POST', headers: [['X-A', '1']] },
  ...{ body: Buffer.from('{}'), keep_bytes: 5 },
}
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A server that says this when a request has come. */
async function asked(reply: string | Buffer | ((socket: Socket) => unknown)) {
  const server = await scriptedServer((socket) => {
    socket.once(
      'data',
      () => void (typeof reply === 'function' ? reply(socket) : socket.write(reply)),
    )
  })
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const stop = createStop()
  const connection = { socket } as unknown as Connection
  const send = (of: Partial<OneRequest> = {}) => sendOne(connection, { ...REQUEST, ...of }, stop)
  return { server, socket, stop, send, failure: () => send().then(() => 'an answer', failed) }
}

/** What the answer was when its body was done. */
async function read(answer: OneAnswer) {
  await answer.body
  return { status: answer.status, text: String(answer.received()) }
}

describe('one request', () => {
  it('is sent as it is given, and says that the connection ends with it', async () => {
    const { server, send, socket } = await asked(OK)
    const answer = await send()
    expect(await read(answer)).toEqual({ status: 200, text: 'ok' })
    expect(server.received).toBe(
      [
        ...['POST /a?b=c HTTP/1.1', 'host: hook.example', 'connection: close', 'X-A: 1'],
        ...['content-length: 2', '', '{}'],
      ].join('\r\n'),
    )
    await once(socket, 'close')
    expect(answer.finish()).toBe(false)
  })

  it('has the whole address where a proxy is asked', async () => {
    const { server, send } = await asked(OK)
    await send({ absolute: true })
    expect(server.received).toMatch(/^POST http:\/\/hook\.example\/a\?b=c HTTP/)
  })

  it('has the headers of its answer by their names, the first of each, however many', async () => {
    const many = Array.from({ length: 2500 }, (_, n) => `X: ${n}`).join('\r\n')
    const head = `HTTP/1.1 503 Busy\r\nValue: Retry-After\r\nRetry-After: 5\r\n${many}\r\nLast: 7\r\n\r\n`
    const { send } = await asked(head)
    const answer = await send()
    expect(answer.status).toBe(503)
    expect(
      ['retry-after', 'x', 'last', 'value', 'none'].map((name) => answer.header(name)),
    ).toEqual(['5', '0', '7', 'Retry-After', undefined])
  })

  it('takes headers of 64 KiB, and no more', async () => {
    const head = (bytes: number) => `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(bytes)}\r\n\r\n`
    expect((await (await asked(head(60 * 1024))).send()).status).toBe(200)
    expect(await (await asked(head(65 * 1024))).failure()).toEqual({
      ...{ code: 'http_header_limit', phase: 'first_byte' },
      message: 'The answer has more than 64 KiB of headers',
    })
  })

  it('takes no answer that is malformed', async () => {
    const { failure } = await asked('HTTP/1.1 200 OK\r\nX: a\x01b\r\n\r\n')
    expect(await failure()).toMatchObject({ code: 'http_protocol_error', phase: 'first_byte' })
  })
})

describe('the body of its answer', () => {
  it.each([
    ['shorter than what is kept', 4],
    ['as long', 5],
    ['longer', 6],
  ])('is kept where it is %s', async (_, length) => {
    const text = 'abcdef'.slice(0, length)
    const { send } = await asked(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${text}`)
    expect((await read(await send())).text).toBe(text.slice(0, 5))
  })

  it('is read no further than what is kept', async () => {
    let more = (): unknown => undefined
    const { send, socket } = await asked((peer) => {
      more = () => peer.write(Buffer.alloc(8 * 2 ** 20, 'd'))
      peer.write('HTTP/1.1 200 OK\r\n\r\nabc')
    })
    const answer = await send()
    await expect.poll(() => String(answer.received())).toBe('abc')
    more()
    expect((await read(answer)).text).toBe('abcdd')
    expect(socket.bytesRead).toBeLessThan(4 * 2 ** 20)
  })

  it('is done where as much has come as is kept, though more may follow', async () => {
    const { send } = await asked('HTTP/1.1 200 OK\r\n\r\nabcde')
    expect((await read(await send())).text).toBe('abcde')
  })

  it('may be nothing that is kept', async () => {
    const { send } = await asked('HTTP/1.1 200 OK\r\n\r\nabc')
    expect((await read(await send({ keep_bytes: 0 }))).text).toBe('')
  })

  it('is what has come where it breaks off, or is reset', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab'
    const ended = await asked((peer) => peer.end(head))
    expect((await read(await ended.send())).text).toBe('ab')
    const reset = await asked((peer) => peer.write(head))
    const answer = await reset.send()
    reset.socket.destroy()
    expect((await read(answer)).text).toBe('ab')
  })
})

describe('interim answers', () => {
  const interim = (status: number) => `HTTP/1.1 ${status} X\r\n\r\n`

  it.each([
    ['switches protocols', 'HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nmore'],
    ['says so without their name', 'HTTP/1.1 101 X\r\n\r\n'],
  ])('that %s are answers', async (_, text) => {
    const { send } = await asked(text)
    const answer = await send()
    expect(await read(answer)).toEqual({ status: 101, text: '' })
    expect([answer.header('upgrade'), answer.finish()]).toEqual([undefined, false])
  })

  it('are followed by the answer', async () => {
    const { send } = await asked(interim(102) + interim(103) + OK)
    expect(await read(await send())).toEqual({ status: 200, text: 'ok' })
  })

  it.each([
    [102, true],
    [199, true],
    [100, false],
    [103, false],
  ])('%i alone is the answer: %s', async (status, isAnswer) => {
    const { send } = await asked((peer) => peer.end(interim(status)))
    const answer = await send().then(read, failed)
    expect(answer).toEqual(
      isAnswer
        ? { status, text: '' }
        : {
            ...{ code: 'closed_early', phase: 'first_byte' },
            message: 'The connection was closed before an answer came',
          },
    )
  })

  it('are a hundred at most, and the connection ends behind them', async () => {
    const { failure, socket, server } = await asked(interim(103).repeat(101))
    expect(await failure()).toMatchObject({
      message: 'No final answer within 100 interim answers',
    })
    expect(socket.destroyed).toBe(true)
    await server.idle()
  })
})

describe('a request without an answer', () => {
  const CLOSED = {
    ...{ code: 'closed_early', phase: 'first_byte' },
    message: 'The connection was closed before an answer came',
  }

  it('has failed where the connection is closed, or was', async () => {
    const { failure } = await asked((peer) => peer.end())
    expect(await failure()).toEqual(CLOSED)
    const late = await asked(OK)
    late.socket.destroy()
    await once(late.socket, 'close')
    const { code, message } = CLOSED
    expect(await late.failure()).toMatchObject({ code, message })
    expect(late.server.received).toBe('')
    const amid = await asked(OK)
    const sent = amid.failure()
    amid.socket.destroy()
    expect(await sent).toMatchObject({ code, message })
  })

  it('has failed where it is reset', async () => {
    const { failure } = await asked((peer) => peer.resetAndDestroy())
    expect(await failure()).toMatchObject({ code: 'connect_reset' })
  })

  it('has the reason of who stops it', async () => {
    const { send, stop, socket } = await asked(() => {
      stop.abort(new Error('enough'))
      socket.destroy()
    })
    await expect(send()).rejects.toThrow('enough')
  })

  it('that was stopped after an interim answer has the reason as well', async () => {
    const { send, stop, socket } = await asked((peer) => peer.write('HTTP/1.1 102 X\r\n\r\n'))
    const sent = send()
    await once(socket, 'data')
    stop.abort(new Error('enough'))
    socket.destroy()
    await expect(sent).rejects.toThrow('enough')
  })
})

describe('a connection that is kept', () => {
  /** Each request is answered with the next of these texts. */
  async function keeping(...answers: readonly string[]) {
    let nth = 0
    const server = await scriptedServer((socket) =>
      socket.on('data', () => void socket.write(answers[nth++] ?? OK)),
    )
    const socket = connect({ port: server.port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const kept = createKeptSocket(socket)
    const connection = { socket } as unknown as Connection
    const send = async () => {
      const answer = await sendOne(connection, { ...REQUEST, kept }, createStop())
      await answer.body
      return [answer.status, String(answer.received()), answer.finish()]
    }
    return { server, socket, send }
  }

  it('has several requests, one after the other', async () => {
    const { server, send } = await keeping()
    for (let n = 0; n < 3; n++) expect(await send()).toEqual([200, 'ok', true])
    expect(server.received.match(/\r\nconnection: keep-alive\r\n/g)).toHaveLength(3)
    expect(server.connections).toBe(1)
  })

  it.each([
    [
      'says that it ends',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
      'ok',
    ],
    ['has more', `${OK}x`, 'ok'],
    ['has a line end more', `${OK}\r\n`, 'ok'],
    ['has another one behind', `${OK}${OK}`, 'ok'],
    [
      'is longer than what is kept',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcdefghi',
      'abcde',
    ],
  ])('has no other behind an answer that %s', async (_, text, body) => {
    const { send } = await keeping(text)
    expect(await send()).toEqual([200, body, false])
  })

  it('has no other once it speaks another protocol', async () => {
    const { send } = await keeping('HTTP/1.1 101 X\r\n\r\n')
    expect(await send()).toEqual([101, '', false])
  })
})
