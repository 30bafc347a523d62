import { describe, expect, it } from 'vitest'
import { withDeadline } from '../support/deadlines.ts'
import { fullListener } from '../support/full-listener.ts'
import { openTestNet } from '../support/open-net.ts'
import { closedPort, scriptedServer } from '../support/scripted-server.ts'
import { freePort } from '../support/servers/ports.ts'

const host = 'several.test'
const silent = (): void => undefined

describe('several addresses', () => {
  it('are tried in order, one at a time, until one answers', async () => {
    const server = await scriptedServer(silent, { host: '127.0.0.4', port: await freePort() })
    const hosts = { [host]: ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'] }
    const net = openTestNet({ hosts })
    const connection = await net.connect({ host, port: server.port })
    expect(connection.remote).toEqual({ address: '127.0.0.4', family: 4, port: server.port })
    expect(connection.attempts.map(({ address, cause_code }) => [address, cause_code])).toEqual([
      ['127.0.0.1', 'connect_refused'],
      ['127.0.0.2', 'connect_refused'],
      ['127.0.0.3', 'connect_refused'],
      ['127.0.0.4', null],
    ])
    expect(net.trace.remote_ip).toBe('127.0.0.4')
  })

  it('are tried at most four at a time, though the fifth would answer', async () => {
    const server = await scriptedServer(silent, { host: '127.0.0.5', port: await freePort() })
    const hosts = { [host]: ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'] }
    const net = openTestNet({ hosts })
    await expect(net.connect({ host, port: server.port })).rejects.toMatchObject({
      code: 'connect_refused',
      message: `several.test:${server.port} refused the connection (4 addresses tried)`,
    })
    expect(server.connections).toBe(0)
    expect(net.trace.remote_ip).toBe('127.0.0.4')
  })

  it('have half of the time that is left each, so that a silent one does not use it up', async () => {
    const port = await fullListener('127.0.0.1')
    await scriptedServer(silent, { host: '127.0.0.2', port })
    const hosts = { [host]: ['127.0.0.1', '127.0.0.2'] }
    await withDeadline(400, async (deadline_ms) => {
      const connection = await openTestNet({ hosts, deadline_ms }).connect({ host, port })
      expect(connection.attempts).toMatchObject([
        { address: '127.0.0.1', cause_code: 'connect_timeout' },
        { address: '127.0.0.2', cause_code: null },
      ])
      expect(connection.attempts[0]?.duration_ms).toBeLessThan(deadline_ms)
    })
  })

  it('are refused together where one of them is not allowed', async () => {
    const server = await scriptedServer(silent)
    const policy = ({ address }: { address: string }) =>
      address === '127.0.0.9' ? 'no' : undefined
    const net = openTestNet({ hosts: { [host]: ['127.0.0.1', '127.0.0.9'] }, policy })
    await expect(net.connect({ host, port: server.port })).rejects.toMatchObject({
      code: 'connect_blocked',
    })
    await expect(net.resolve(host)).rejects.toMatchObject({ code: 'connect_blocked' })
    expect(server.connections).toBe(0)
  })
})

describe('one address', () => {
  it('that never answers has the whole time, and is let go when that is up', async () => {
    const port = await fullListener()
    const net = openTestNet({ deadline_ms: 10 })
    const connected = net.connect({ host: '127.0.0.1', port })
    const stop = new Error('the time is up')
    setTimeout(() => net.abort(stop), 100)
    await expect(connected).rejects.toBe(stop)
    expect(net.trace.current).toBe('connect')
    await net.close()
    expect(process.getActiveResourcesInfo()).not.toContain('TCPConnectWrap')
  })

  it('that refuses is asked once', async () => {
    const port = await closedPort()
    await expect(openTestNet().connect({ host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'connect_refused',
      message: `127.0.0.1:${port} refused the connection`,
      phase: 'connect',
    })
  })

  it('needs no name resolution, and none is timed', async () => {
    const server = await scriptedServer(silent)
    const net = openTestNet()
    await net.connect({ host: '127.0.0.1', port: server.port })
    expect(Object.keys(net.trace.phases())).toEqual(['connect_ms'])
  })
})
