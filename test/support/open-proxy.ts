/**
 * A TCP proxy on this machine whose way can be cut: between an engine and its store, a probe and Redis.
 *
 * @module
 */

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/**
 * `pass`: as if it were not there. `blackhole`: connections are accepted and stay open, no byte gets
 * through either way; what was held flows on with `pass`. `reset`: connections are cut with RST.
 */
type ProxyMode = 'pass' | 'blackhole' | 'reset'

export interface Proxy {
  readonly port: number
  /** For connections there are, and for those that come. */
  set(mode: ProxyMode): void
  /** Pairs that are open now. */
  readonly open: number
}

export interface OpenProxy extends Proxy {
  close(): Promise<void>
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/** In front of a port of 127.0.0.1. */
export async function openProxy(target: number): Promise<OpenProxy> {
  const pairs = new Set<Pair>()
  let mode: ProxyMode = 'pass'
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mode === 'reset') {
      near.on('error', () => undefined).resetAndDestroy()
      return
    }
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    const pair = { near, far }
    pairs.add(pair)
    join(near, far)
    join(far, near)
    near.once('close', () => pairs.delete(pair))
    apply(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function join(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (!to.write(bytes)) from.pause()
    })
    to.on('drain', () => {
      if (mode === 'pass') from.resume()
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
  }

  function apply({ near, far }: Pair): void {
    for (const each of [near, far]) {
      if (mode === 'reset') each.resetAndDestroy()
      else if (mode === 'blackhole') each.pause()
      else each.resume()
    }
  }

  return {
    port: (server.address() as AddressInfo).port,
    set(given) {
      mode = given
      pairs.forEach(apply)
    },
    get open() {
      return pairs.size
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}
