/**
 * Header blocks of HTTP/2 that never end: a server can bring Node to end its process with them.
 *
 * @module
 */

import { systemClock } from '../../../src/clock.ts'
import { HTTP2 } from '../../support/hostile/http2.ts'
import { startHttp2Checking } from '../rig/http2-checking.ts'
import type { Attack, Finding } from './attack.ts'

const SECONDS = 20
const MONITORS = 8
const HEALTH_LIMIT_MS = 1000
const PAUSE_MS = 100
const SERVER = 'http2: continues its headers without end'

export const unendedHeaders: Attack = {
  name: 'unended-headers',
  does: 'Answers eight gRPC and eight HTTP/2 monitors, checked without a pause, with header blocks that never end.',
  bound: '/healthz within 1 s, the process lives, checks of both types end',
  attempt,
}

async function attempt(): Promise<Finding> {
  const { start } = HTTP2.find(({ name }) => name === SERVER) ?? {}
  if (start === undefined) throw new Error(`There is no hostile server "${SERVER}"`)
  const server = await start()
  const checking = await startHttp2Checking({
    port: server.port,
    monitors: MONITORS,
    types: ['grpc', 'http'],
  })
  try {
    let slowest = 0
    const begin = systemClock.monotonic()
    const spent = (): number => systemClock.monotonic() - begin
    let checked = await checking.checked()
    while (spent() < 1000 * SECONDS && checking.ended() === undefined) {
      slowest = Math.max(slowest, await health(checking.port))
      checked = await checking.checked()
      await systemClock.sleep(PAUSE_MS)
    }
    const ended = checking.ended()
    const { grpc, http } = checked
    return {
      held: ended === undefined && slowest < HEALTH_LIMIT_MS && grpc > 0 && http > 0,
      seen:
        `${grpc} checks by gRPC, ${http} by HTTP/2, /healthz at most ${slowest.toFixed(0)} ms, ` +
        `${ended ?? 'alive'} after ${(spent() / 1000).toFixed(1)} s on Node ${process.versions.node}`,
    }
  } finally {
    await checking.stop()
    await server.close()
  }
}

/** Milliseconds until it answered; without an end where it did not. */
async function health(port: number): Promise<number> {
  const begin = systemClock.monotonic()
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(20 * HEALTH_LIMIT_MS),
    })
    await answer.arrayBuffer()
    return systemClock.monotonic() - begin
  } catch {
    return Infinity
  }
}
