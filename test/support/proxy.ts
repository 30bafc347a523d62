/**
 * The proxy of open-proxy.ts, for as long as a test runs.
 *
 * @module
 */

import { onTestFinished } from 'vitest'
import { openProxy } from './open-proxy.ts'
import type { Proxy } from './open-proxy.ts'

export type { Proxy } from './open-proxy.ts'

/** In front of a port of 127.0.0.1. Closed when the test ends. */
export async function tcpProxy(target: number): Promise<Proxy> {
  const proxy = await openProxy(target)
  onTestFinished(() => proxy.close())
  return proxy
}
