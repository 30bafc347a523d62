/**
 * Proxies on 127.0.0.1 that do as they should: HTTP with CONNECT and forwarding, plain or behind TLS, and SOCKS 5.
 * They know every host name as 127.0.0.1.
 *
 * @module
 */

import { createServer as createHttp, request } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { listening } from './listening.ts'

export interface TestProxy extends AsyncDisposable {
  /** Without credentials. */
  readonly url: string
  /** What it was asked for: `CONNECT host:port`, a whole address, `host:port`. */
  readonly asked: readonly string[]
  readonly open: number
}

interface ProxyOptions {
  /** `user:pass` */
  readonly login?: string
  readonly tls?: { readonly chain: string; readonly key: string }
}

async function started(server: Server, scheme: string, asked: string[]): Promise<TestProxy> {
  const running = await listening(server)
  return {
    url: `${scheme}://127.0.0.1:${running.port}`,
    asked,
    get open() {
      return running.open
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

function joined(near: Socket, far: Socket): void {
  near.on('error', () => far.destroy()).on('close', () => far.destroy())
  far.on('error', () => near.destroy()).on('close', () => near.destroy())
  near.pipe(far).pipe(near)
}

export function httpProxy({ login, tls }: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = []
  const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
  const server = tls === undefined ? createHttp() : createHttps({ cert: tls.chain, key: tls.key })
  server.on('connect', (message, near: Socket) => {
    asked.push(`CONNECT ${message.url}`)
    const port = Number(/:(\d+)$/.exec(message.url ?? '')?.[1])
    if (message.headers['proxy-authorization'] !== wanted) {
      near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      joined(near, far)
    })
    far.on('error', () => near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  })
  server.on('request', (message, answer) => {
    asked.push(message.url ?? '')
    if (message.headers['proxy-authorization'] !== wanted)
      return answer.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="test"' }).end()
    const { port, pathname, search } = new URL(message.url ?? '')
    const { 'proxy-authorization': _, ...headers } = message.headers
    const onward = request(
      { host: '127.0.0.1', port, path: pathname + search, method: message.method, headers },
      (got) => got.pipe(answer.writeHead(got.statusCode ?? 500, got.headers)),
    )
    onward.on('error', () =>
      answer.writeHead(502, { 'Proxy-Status': 'test; error=connection_refused' }).end(),
    )
    message.pipe(onward)
    return undefined
  })
  return started(server, tls === undefined ? 'http' : 'https', asked)
}

export function socksProxy({ login }: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = []
  const server = createServer((near) => {
    let buffer = Buffer.alloc(0)
    let step: (() => boolean) | undefined = greeting
    const take = (count: number): Buffer => {
      const taken = buffer.subarray(0, count)
      buffer = buffer.subarray(count)
      return taken
    }
    near.on('data', onData)
    function onData(chunk: Buffer): void {
      buffer = Buffer.concat([buffer, chunk])
      while (step?.() === true);
    }
    function greeting(): boolean {
      if (buffer.length < 2 || buffer.length < 2 + buffer[1]!) return false
      const methods = take(2 + buffer[1]!).subarray(2)
      const method = login === undefined ? 0 : methods.includes(2) ? 2 : 0xff
      near.write(Buffer.of(5, method))
      step = method === 2 ? password : request
      return true
    }
    function password(): boolean {
      const user = buffer[1] ?? Infinity
      const pass = buffer[2 + user] ?? Infinity
      if (buffer.length < 3 + user + pass) return false
      const all = take(3 + user + pass)
      const given = `${all.toString('utf8', 2, 2 + user)}:${all.toString('utf8', 3 + user)}`
      near.write(Buffer.of(1, given === login ? 0 : 1))
      step = given === login ? request : undefined
      return true
    }
    function request(): boolean {
      const length = buffer[3] === 1 ? 4 : buffer[3] === 4 ? 16 : 1 + (buffer[4] ?? Infinity)
      if (buffer.length < 6 + length) return false
      const all = take(6 + length)
      const port = all.readUInt16BE(4 + length)
      const host =
        all[3] === 3
          ? all.toString('latin1', 5, 4 + length)
          : [...all.subarray(4, 4 + length)].join('.')
      asked.push(`${host}:${port}`)
      step = undefined
      near.off('data', onData)
      const far = connect(port, '127.0.0.1', () => {
        near.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        joined(near, far)
      })
      far.on('error', () => near.end(Buffer.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)))
      return false
    }
  })
  return started(server, 'socks5', asked)
}
