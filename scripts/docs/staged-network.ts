/** What servers say in the examples of docs/reference/webhook.md: the network as a checker sees it, with answers written down. */

import type { Clock } from '../../src/clock.ts'
import type { HttpExchange, Net } from '../../src/net/net.ts'

/** Makes what `ctx.net` answers at a time. */
export type Scene = (clock: Clock) => Partial<Net>

/** One monitor, and how the world changes around it. */
export interface Play {
  readonly type: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly first: Scene
  /** After five minutes. */
  readonly then?: Scene
  /** At the end. */
  readonly last?: Scene
  readonly repeats?: true
  /** Begins with a test delivery. */
  readonly test?: true
}

export const plays: readonly Play[] = [
  {
    type: 'http',
    settings: { name: 'Shop', url: 'https://shop.example.com/' },
    first: page(200, 'Welcome'),
    then: page(503, 'Back soon'),
    last: page(200, 'Welcome'),
    repeats: true,
    test: true,
  },
]

function page(status: number, text: string): Scene {
  return (clock) => ({
    async http({ url }) {
      await clock.sleep(124)
      return exchange(url, status, text)
    },
  })
}

function exchange(url: string, status: number, text: string): HttpExchange {
  const body = Buffer.from(text)
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    http_version: '1.1',
    hops: [
      {
        url,
        status,
        remote_ip: '192.0.2.10',
        resolve_ms: 4.1,
        connect_ms: 11.8,
        tls_ms: 24.6,
        first_byte_ms: 81.2,
        transfer_ms: 2.3,
      },
    ],
    final_url: url,
    body,
    body_cut: false,
    body_bytes: body.length,
    tls: null,
    text: () => text,
  }
}
