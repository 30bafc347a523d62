/**
 * A way through a proxy to a target, on a connection to the proxy that stands: CONNECT (RFC 9110, 9.3.6) with the
 * parser of node:http, and SOCKS 5 (RFC 1928, RFC 1929).
 *
 * @module
 */

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostPort, toAddress } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import { MAX_HEADER_BYTES, request as send } from '../http/wire.ts'
import type { Connection } from '../net.ts'
import type { StopSignal } from '../timing/stop.ts'
import { failure, loginOf, placeOf, refusalOf } from './proxy.ts'
import type { Proxy } from './proxy.ts'

export interface Target {
  readonly host: string
  readonly port: number
}

/**
 * Afterwards the connection leads to the target.
 *
 * @throws CheckFailure `proxy_auth`, `proxy_refused`, `proxy_target_unreachable`, `proxy_unreachable`; the signal's
 * reason when it aborts
 */
export async function openTunnel(
  connection: Connection,
  {
    proxy,
    target,
    signal,
  }: { readonly proxy: Proxy; readonly target: Target; readonly signal: StopSignal },
): Promise<void> {
  const place = placeOf(proxy)
  try {
    if (place.scheme === 'socks5') await socks5(connection, proxy, target)
    else await connectMethod(connection, proxy, target)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof CheckFailure && error.code.startsWith('proxy_')) throw error
    const text = `The proxy ${hostPort(place.host, place.port)} broke off the request`
    throw failure('proxy_unreachable', text, error)
  }
  if (connection.buffered() === 0) return
  connection.close()
  throw failure('proxy_refused', 'The proxy sent data before it was asked for any')
}

function connectMethod(connection: Connection, proxy: Proxy, target: Target): Promise<void> {
  const { socket } = connection
  const authority = hostPort(target.host, target.port)
  return new Promise<void>((resolve, reject) => {
    if (socket.destroyed) return reject(new Error('The connection is closed'))
    const closed = (): void => reject(new Error('The connection was closed'))
    const sent = send({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      headers: ['host', authority, ...loginOf(proxy).flat()],
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    sent
      .on('connect', (answer: IncomingMessage, _socket, early: Buffer) => {
        socket.off('close', closed)
        const { statusCode: status = 0 } = answer
        if (status < 200 || status > 299) {
          socket.destroy()
          reject(refusalOf(placeOf(proxy), target, status))
        } else {
          if (early.length > 0) socket.unshift(early)
          resolve()
        }
      })
      .on('error', reject)
    socket.once('close', closed)
    sent.end()
  })
}

const VERSION = 5
const CONNECT = 1
const NO_LOGIN = 0
const PASSWORD = 2

/** Replies of RFC 1928, 6, that are about the target; the others are about the request. */
const UNREACHABLE: Readonly<Record<number, string>> = {
  1: 'general failure',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
}

async function socks5(connection: Connection, proxy: Proxy, target: Target): Promise<void> {
  const exactly = (count: number): Promise<Buffer> =>
    connection.readUntil((got) => got.length >= count, { max: count })
  const { host, port } = placeOf(proxy)
  const who = `The proxy ${hostPort(host, port)}`
  const methods = proxy.auth === undefined ? [NO_LOGIN] : [NO_LOGIN, PASSWORD]
  await connection.write(Buffer.of(VERSION, methods.length, ...methods))
  const [version, method] = await exactly(2)
  if (version !== VERSION) throw failure('proxy_refused', `${who} does not speak SOCKS 5`)
  if (method === PASSWORD) await login(connection, proxy, exactly)
  else if (method !== NO_LOGIN) throw failure('proxy_auth', `${who} wants a login`)
  await connection.write(Buffer.concat([Buffer.of(VERSION, CONNECT, 0), addressOf(target)]))
  const [, reply = 0, , kind] = await exactly(4)
  if (reply !== 0) {
    const to = hostPort(target.host, target.port)
    const why = UNREACHABLE[reply]
    throw why === undefined
      ? failure('proxy_refused', `${who} refuses to connect to ${to} (reply ${reply})`)
      : failure('proxy_target_unreachable', `${who} cannot reach ${to} (${why})`)
  }
  const length = kind === 1 ? 4 : kind === 4 ? 16 : (await exactly(1))[0]
  await exactly((length ?? 0) + 2)
}

async function login(
  connection: Connection,
  proxy: Proxy,
  exactly: (count: number) => Promise<Buffer>,
): Promise<void> {
  const { user = '', pass = '' } = proxy.auth ?? {}
  const counted = (text: string): Buffer => {
    const bytes = Buffer.from(text, 'utf8').subarray(0, 255)
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  }
  await connection.write(Buffer.concat([Buffer.of(1), counted(user), counted(pass)]))
  const [, status] = await exactly(2)
  if (status !== 0) throw failure('proxy_auth', 'The proxy refuses the login')
}

/** Kind, address or name, and port. */
function addressOf({ host, port }: Target): Buffer {
  const portBytes = Buffer.of(port >> 8, port & 0xff)
  const family = isIP(host)
  if (family === 4) return Buffer.concat([Buffer.of(1, ...host.split('.').map(Number)), portBytes])
  if (family === 6) return Buffer.concat([Buffer.of(4), ipv6Bytes(host), portBytes])
  const name = Buffer.from(host, 'latin1').subarray(0, 255)
  return Buffer.concat([Buffer.of(3, name.length), name, portBytes])
}

function ipv6Bytes(host: string): Buffer {
  const { address } = toAddress(host) ?? { address: host }
  const [head = '', tail] = address.split('::')
  const groups = (part: string | undefined): string[] => (part ? part.split(':') : [])
  const before = groups(head)
  const after = groups(tail)
  const gap = Array<string>(8 - before.length - after.length).fill('0')
  const all = tail === undefined ? before : [...before, ...gap, ...after]
  return Buffer.concat(all.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
