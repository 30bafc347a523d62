import { once } from 'node:events'
import { systemClock } from '../../src/clock.ts'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { asSocket } from '../../src/net/connection/as-socket.ts'
import type { Connection } from '../../src/net/net.ts'
import { openTestNet } from '../support/open-net.ts'
import type { TestNet } from '../support/open-net.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import type { Script, ScriptedServer } from '../support/scripted-server.ts'

interface Met {
  readonly net: TestNet
  readonly connection: Connection
  readonly server: ScriptedServer
}

async function meet(script: Script): Promise<Met> {
  const server = await scriptedServer(script)
  const net = openTestNet()
  return { net, server, connection: await net.connect({ host: '127.0.0.1', port: server.port }) }
}

const echo = (socket: Socket): void => void socket.on('data', (bytes) => socket.write(bytes))

/** What a library would do: reads until the pattern has come. */
async function heard(stream: Socket, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (pattern.test(text)) break
  }
  return text
}

const rest = (): Promise<void> => systemClock.sleep(0)

describe('a lent connection', () => {
  it('carries both ways, after what was put in front', async () => {
    const { connection } = await meet(echo)
    const text = await asSocket(connection, { rest, first: '220 hi\r\n' }, async (stream) => {
      stream.write('over there\r\n')
      return heard(stream, /there/)
    })
    expect(text).toBe('220 hi\r\nover there\r\n')
  })

  it('survives what a library does to a socket at its end', async () => {
    const { connection, server } = await meet(echo)
    await asSocket(connection, { rest }, async (stream) => {
      stream.setTimeout(1).setKeepAlive(true).setNoDelay().unref().ref()
      stream.write('one\n')
      await heard(stream, /one/)
      stream.removeAllListeners()
      stream.destroy()
    })
    expect(server.open).toBe(1)
    await connection.write('two\n')
    connection.close()
    await server.idle()
  })

  it('tells why it broke, not what the library made of it', async () => {
    const { connection } = await meet((socket) => void socket.end())
    const work = asSocket(connection, { rest }, async (stream) => {
      await once(stream, 'data').catch(() => undefined)
      throw new Error('ESOMETHING')
    })
    await expect(work).rejects.toMatchObject({ code: 'closed_early' })
  })

  it('passes on what the library found where the connection is sound', async () => {
    const { connection } = await meet(echo)
    const work = asSocket(connection, { rest }, () => Promise.reject(new Error('535 no')))
    await expect(work).rejects.toThrow('535 no')
  })

  it('ends a server that talks without end', async () => {
    const { connection } = await meet((socket) => {
      const talk = (): void => {
        while (socket.writable && socket.write('x'.repeat(1000)));
        if (socket.writable) socket.once('drain', talk)
      }
      talk()
    })
    const work = asSocket(connection, { rest, max: 4096 }, (stream) => heard(stream, /never/))
    await expect(work).rejects.toMatchObject({ code: 'too_long' })
  })

  it('ends with the check', async () => {
    const { net, connection, server } = await meet(() => undefined)
    const work = asSocket(connection, { rest }, (stream) => heard(stream, /never/))
    net.abort(new Error('the time is up'))
    await expect(work).rejects.toThrow('the time is up')
    await server.idle()
  })
})
