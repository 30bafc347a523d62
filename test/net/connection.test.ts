import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { Connection } from '../../src/net/net.ts'
import { certificates } from '../support/certificates.ts'
import { openTestNet } from '../support/open-net.ts'
import type { TestNetOptions, TestNet } from '../support/open-net.ts'
import { scriptedServer, secureServerSide } from '../support/scripted-server.ts'
import type { Script, ScriptedServer } from '../support/scripted-server.ts'

interface Met {
  readonly net: TestNet
  readonly server: ScriptedServer
  readonly connection: Connection
}

async function meet(script: Script, options: TestNetOptions = {}): Promise<Met> {
  const server = await scriptedServer(script)
  const net = openTestNet(options)
  const connection = await net.connect({ host: 'localhost', port: server.port, ip_family: 'ipv4' })
  return { net, server, connection }
}

const says = (text: string) => (socket: Socket) => socket.write(text, 'latin1')

/** Not before all of `text` has arrived on our side. */
async function arrived({ connection }: Met, bytes: number): Promise<void> {
  while (connection.buffered() < bytes) await sleep(1)
}

describe('readLine', () => {
  it('gives line after line without their ends, however they were cut into packets', async () => {
    const { connection } = await meet(async (socket) => {
      for (const piece of ['one\r', '\ntwo\nth', 'ree\xe9\r\n\r\nrest']) {
        socket.write(piece, 'latin1')
        await sleep(5)
      }
    })
    const lines = []
    for (let n = 0; n < 4; n++) lines.push(await connection.readLine())
    expect(lines).toEqual(['one', 'two', 'threeé', ''])
    expect((await connection.readUntil((bytes) => bytes.length === 4)).toString()).toBe('rest')
  })

  it('of more bytes than allowed fails as too_long, with its end in sight or not', async () => {
    const endless = await meet(says('x'.repeat(200)))
    await expect(endless.connection.readLine({ max: 100 })).rejects.toMatchObject({
      code: 'too_long',
    })
    const ended = await meet(says(`${'x'.repeat(101)}\n`))
    await expect(ended.connection.readLine({ max: 100 })).rejects.toMatchObject({
      code: 'too_long',
    })
    const fitting = await meet(says(`${'x'.repeat(100)}\n`))
    expect(await fitting.connection.readLine({ max: 100 })).toHaveLength(100)
  })

  it('fails as closed_early when the stream ends within the line', async () => {
    const { connection } = await meet((socket) => socket.end('half a li'))
    await expect(connection.readLine()).rejects.toMatchObject({
      code: 'closed_early',
      message: expect.stringMatching(/^localhost:\d+ closed the connection too early$/),
    })
  })
})

describe('readUntil', () => {
  it('gives what is enough and leaves what lies beyond max for the next read', async () => {
    const met = await meet(says('abcdef\n'))
    await arrived(met, 7)
    const read = await met.connection.readUntil((bytes) => bytes.includes('c'), { max: 4 })
    expect(read.toString()).toBe('abcd')
    expect(met.connection.buffered()).toBe(3)
    expect(await met.connection.readLine()).toBe('ef')
  })

  it('holds up a server that sends without end', async () => {
    const { connection } = await meet((socket) => {
      const flood = (): void => {
        while (socket.writable && socket.write(Buffer.alloc(65536)));
        socket.once('drain', flood)
      }
      flood()
    })
    const read = connection.readUntil(() => false, { max: 10_000 })
    await expect(read).rejects.toMatchObject({ code: 'too_long' })
    expect(connection.socket.bytesRead).toBeLessThan(1_000_000)
  })

  it('fails as closed_early at the end of the stream, unless the end is enough', async () => {
    const script: Script = (socket) => socket.end('all there is')
    const strict = await meet(script)
    await expect(strict.connection.readUntil(() => false)).rejects.toMatchObject({
      code: 'closed_early',
    })
    const { connection } = await meet(script)
    const read = await connection.readUntil(() => false, { orEnd: true })
    expect(read.toString()).toBe('all there is')
  })

  it('fails as closed_early when the connection is reset', async () => {
    const { connection } = await meet((socket) =>
      socket.once('data', () => socket.resetAndDestroy()),
    )
    await connection.write('x')
    await expect(connection.readUntil(() => false, { orEnd: true })).rejects.toMatchObject({
      code: 'closed_early',
      message: expect.stringContaining('reset'),
    })
  })
})

describe('write', () => {
  it('waits for a server that does not read', async () => {
    const { net, connection } = await meet((socket) => socket.pause())
    const written = connection.write(Buffer.alloc(64 * 1024 * 1024)).then(
      () => 'written',
      (error: Error) => error.message,
    )
    await new Promise((resolve) => setImmediate(resolve))
    net.abort(new Error('enough'))
    expect(await written).toBe('enough')
  })

  it('fails as send_failed when the connection is gone', async () => {
    const { connection } = await meet(() => undefined)
    connection.close()
    await expect(connection.write('x')).rejects.toMatchObject({ code: 'send_failed' })
  })
})

describe('upgrade', () => {
  const startTls =
    (extra = ''): Script =>
    async (socket) => {
      await once(socket, 'data')
      socket.removeAllListeners('data')
      socket.write(`220 go ahead\r\n${extra}`)
      const secure = await secureServerSide(socket, certificates().good)
      secure.write('secret\r\n')
    }

  async function ask({ connection }: Met): Promise<void> {
    await connection.write('STARTTLS\r\n')
    expect(await connection.readLine()).toBe('220 go ahead')
  }

  it('goes on over TLS on the same socket', async () => {
    const met = await meet(startTls())
    await ask(met)
    const secured = await met.connection.upgrade()
    expect(await secured.readLine()).toBe('secret')
    expect(secured.tls).toMatchObject({ authorized: true })
    expect(met.connection.tls).toBeNull()
    expect(met.net.trace.phases()).toHaveProperty('starttls_ms')
    expect(met.server.connections).toBe(1)
  })

  it('refuses what was slipped in behind the consent in clear (CVE-2011-0411)', async () => {
    const met = await meet(startTls('250 injected\r\n'))
    await ask(met)
    await expect(met.connection.upgrade()).rejects.toMatchObject({
      code: 'protocol_error',
      phase: 'starttls',
    })
    await met.server.idle()
  })

  it('refuses it as well where it has arrived but was not looked at', async () => {
    const met = await meet(async (socket) => {
      await once(socket, 'data')
      socket.write('go\r\n')
      await once(socket, 'data')
      socket.write('injected\r\n')
    })
    await met.connection.write('1')
    await met.connection.readLine()
    await met.connection.write('2')
    await arrived(met, 10)
    await expect(met.connection.upgrade()).rejects.toMatchObject({ code: 'protocol_error' })
  })

  it('to a server that answers in clear fails as tls_not_tls', async () => {
    const met = await meet((socket) => socket.on('data', () => socket.write('500 what?\r\n')))
    await expect(met.connection.upgrade()).rejects.toMatchObject({
      code: 'tls_not_tls',
      phase: 'starttls',
    })
    await met.server.idle()
  })

  it('closes the secured connection when the first one is closed', async () => {
    const met = await meet(startTls())
    await ask(met)
    await met.connection.upgrade()
    met.connection.close()
    await met.server.idle()
    expect(met.server.open).toBe(0)
  })
})

const tls = { tls: certificates().good }

describe('TLS', () => {
  it('without verification connects all the same and says that it is not authorized', async () => {
    const { port } = await scriptedServer(says('hi'), { tls: certificates().expired })
    const connection = await openTestNet().connect({
      host: 'localhost',
      port,
      tls: { verify: false },
    })
    expect(connection.tls).toMatchObject({
      authorized: false,
      not_after: '2025-02-01T00:00:00.000Z',
    })
  })

  it('is held against the given name, which is what is sent', async () => {
    const { port } = await scriptedServer(says('hi'), tls)
    const connect = (servername: string) =>
      openTestNet().connect({ host: '127.0.0.1', port, tls: { servername } })
    expect((await connect('www.example.test')).tls?.authorized).toBe(true)
    await expect(connect('example.org')).rejects.toMatchObject({ code: 'tls_name_mismatch' })
  })

  it('sends the name, but never an address in its place (RFC 6066, 3)', async () => {
    const heard: unknown[] = []
    const script: Script = (socket) => {
      heard.push((socket as TLSSocket & { servername?: unknown }).servername)
      socket.write('hi')
    }
    const { port } = await scriptedServer(script, tls)
    for (const host of ['localhost', '127.0.0.1']) {
      const connection = await openTestNet().connect({ host, port, tls: {} })
      await connection.readUntil((bytes) => bytes.length === 2)
    }
    expect(heard).toEqual(['localhost', false])
  })

  it('agrees on a protocol of the list', async () => {
    const { port } = await scriptedServer(says('hi'), { ...tls, alpn: ['pop3', 'imap'] })
    const connect = async (alpn?: string[]) => {
      const options = { host: 'localhost', port, tls: alpn === undefined ? {} : { alpn } }
      return (await openTestNet().connect(options)).tls?.alpn
    }
    expect(await connect(['http/1.1', 'imap'])).toBe('imap')
    expect(await connect()).toBeNull()
  })

  it('may be over at once: closing within the handshake does not crash the process', async () => {
    const server = await scriptedServer(() => undefined, tls)
    for (let n = 0; n < 20; n++) {
      const net = openTestNet()
      await net.connect({ host: 'localhost', port: server.port, tls: {} })
      await net.close()
    }
    await server.idle()
    expect(server.connections).toBe(20)
  })
})

describe('the end of the check', () => {
  const stop = new Error('the time is up')

  it('ends a read at once, with its reason, and cuts the connection', async () => {
    const { net, server, connection } = await meet(() => undefined)
    const read = connection.readLine()
    net.abort(stop)
    await expect(read).rejects.toBe(stop)
    await server.idle()
  })

  it('ends a handshake that nobody answers', async () => {
    const server = await scriptedServer(() => undefined)
    const net = openTestNet()
    const connected = net.connect({ host: 'localhost', port: server.port, tls: {} })
    while (server.received === '') await sleep(1)
    net.abort(stop)
    await expect(connected).rejects.toBe(stop)
    expect(net.trace.current).toBe('tls')
    await server.idle()
  })

  it('lets nothing be opened any more', async () => {
    const { net, server } = await meet(() => undefined)
    // The client may know of the connection before the server does.
    await expect.poll(() => server.connections).toBe(1)
    net.abort(stop)
    await expect(net.connect({ host: 'localhost', port: server.port })).rejects.toBe(stop)
    expect(server.connections).toBe(1)
  })

  it('leaves no handle behind, whatever was open', async () => {
    const plain = await scriptedServer(says('220\r\n'))
    const secure = await scriptedServer(says('220\r\n'), tls)
    const net = openTestNet()
    for (const { port } of [plain, plain, secure]) {
      const options = port === secure.port ? { tls: {} } : {}
      const connection = await net.connect({ host: 'localhost', port, ...options })
      await connection.readLine()
    }
    const handles = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'))
    expect(handles()).toContain('TCPSocketWrap')
    await net.close()
    await Promise.all([plain.close(), secure.close()])
    await expect.poll(() => handles()).toEqual([])
  })
})
