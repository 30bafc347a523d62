import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { certificates } from '../support/certificates.ts'
import { serve } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'
import { httpProxy, socksProxy } from '../support/test-proxies.ts'
import { rig } from './rig.ts'

const { good } = certificates()
const auth = { user: 'u', pass: 'secret' }

it.each([
  ['http', httpProxy],
  ['socks5', socksProxy],
] as const)('goes through the proxy of the operator: %s', async (_, start) => {
  await using proxy = await start({ login: 'u:secret' })
  const seen: (string | undefined)[] = []
  const listener: Parameters<typeof serve>[0] = (request, response) => {
    seen.push(request.headers['proxy-authorization'])
    request.resume().on('end', () => response.end('ok'))
  }
  await using plain = await serve(listener)
  await using secure = await serve(listener, good)
  const { attempt } = rig({ proxy: { url: proxy.url, auth } })
  for (const url of [`${plain.origin}/hook`, secure.origin]) {
    expect(await attempt({ url })).toMatchObject({ class: 'delivered', answer: 'ok' })
  }
  expect(proxy.asked).toHaveLength(2)
  // The login is of the proxy.
  expect(seen).toEqual([undefined, undefined])
  await expect.poll(() => proxy.open).toBe(0)
})

it('goes directly where the list says so', async () => {
  await using proxy = await httpProxy()
  await using receiver = await serve((request, response) => {
    request.resume().on('end', () => response.end())
  })
  const { port } = receiver
  const hosts = { 'a.example': ['127.0.0.1'], 'not-a.example': ['127.0.0.1'] }
  const url = (host: string): string => `http://${host}:${port}/`
  const viaProxy = async (direct: string[], host: string): Promise<boolean> => {
    const before = proxy.asked.length
    await rig({ proxy: { url: proxy.url, direct }, hosts }).attempt({ url: url(host) })
    return proxy.asked.length > before
  }
  expect(await viaProxy([], 'a.example')).toBe(true)
  expect(await viaProxy(['*'], 'a.example')).toBe(false)
  expect(await viaProxy(['example'], 'a.example')).toBe(false)
  expect(await viaProxy(['.a.example'], 'a.example')).toBe(false)
  expect(await viaProxy([`a.example:${port}`], 'a.example')).toBe(false)
  expect(await viaProxy(['a.example:1'], 'a.example')).toBe(true)
  expect(await viaProxy(['a.example'], 'not-a.example')).toBe(true)
  expect(await viaProxy(['127.0.0.1'], '127.0.0.1')).toBe(false)
  expect(await viaProxy(['::1'], '[::1]')).toBe(false)
})

it.each([
  ['http', httpProxy],
  ['socks5', socksProxy],
] as const)(
  'takes for an answer of the receiver what comes through a tunnel: %s',
  async (_, start) => {
    await using proxy = await start({})
    await using receiver = await serve((request, response) => {
      response.writeHead(407, { 'X-Squid-Error': 'ERR_NONE 0' })
      request.resume().on('end', () => response.end())
    }, good)
    const end = await rig({ proxy: { url: proxy.url } }).attempt({ url: receiver.origin })
    expect(end).toMatchObject({ class: 'failed', error: 'http_407' })
  },
)

it('takes for an answer of the receiver a 407 that asks for no login', async () => {
  await using proxy = await httpProxy()
  await using receiver = await serve((request, response) => {
    response.writeHead(407, { 'X-Squid-Error': 'ERR_NONE 0' })
    request.resume().on('end', () => response.end())
  })
  const end = await rig({ proxy: { url: proxy.url } }).attempt({ url: receiver.origin })
  expect(end).toMatchObject({ class: 'failed', error: 'http_407' })
})

it('judges the receiver, not the proxy', async () => {
  await using proxy = await httpProxy()
  const hosts = { 'inner.example': ['10.0.0.1'] }
  const { attempt } = rig({ proxy: { url: proxy.url }, guard: {}, hosts })
  const end = await attempt({ url: 'https://inner.example/' })
  expect(end).toMatchObject({ class: 'failed', error: 'blocked' })
  expect(proxy.asked).toEqual([])
})

it('waits while the proxy is down, wants another login, or cannot reach the receiver', async () => {
  const dead = await closedPort()
  await using proxy = await httpProxy({ login: 'u:secret' })
  const errorOf = async (url: string, target: string) => {
    const end = await rig({ proxy: { url } }).attempt({ url: target })
    expect(end.class).toBe('temporary')
    return end.error
  }
  const target = `http://127.0.0.1:${dead}/`
  expect(await errorOf(`http://127.0.0.1:${dead}`, target)).toBe('proxy_unreachable')
  expect(await errorOf(proxy.url, target)).toBe('proxy_auth')
  expect(await errorOf(proxy.url, target.replace('http:', 'https:'))).toBe('proxy_auth')
  const { attempt } = rig({ proxy: { url: proxy.url, auth } })
  expect((await attempt({ url: target })).error).toBe('proxy_target_unreachable')
})

it('is an option of the engine, whose password no error repeats', () => {
  const make = (url: string) => createEngine({ store: memoryStore(), checkers: [], proxy: { url } })
  expect(() => make('http://u:secret@proxy.example:3128')).not.toThrow()
  expect(() => make('ftp://u:secret@proxy.example:3128')).toThrow(
    'createEngine: proxy.url: http://, https:// or socks5:// and host:port are expected',
  )
})
