/**
 * A server under a flood: its memory and the time that `/healthz` takes, from the first packet on.
 *
 * @module
 */

import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { systemClock } from '../../../src/clock.ts'
import { startServing } from '../rig/serving.ts'
import type { Serving } from '../rig/serving.ts'
import type { Finding } from './attack.ts'

export const FLOOD_BOUND = '/healthz within 1 s, RSS growth below 100 MB, the process lives'

/** More connections than the server has places. */
export const CROWD = 1100

const HEALTH_LIMIT_MS = 1000
/** 100 MB in MiB. */
const GROWTH_LIMIT_MIB = 95
const PAUSE_MS = 100

export interface Flood {
  /** How long it is looked at once all has begun. */
  readonly seconds: number
  readonly args?: readonly string[]
  /** What else is made on first use. */
  warm?(serving: Serving): Promise<void>
  /** Opens what floods; what it returns is closed in the end. */
  begin(serving: Serving): Promise<readonly Socket[]> | readonly Socket[]
  /** Further figures, when the time is over. */
  seen?(): string
  /** What else has to hold when the time is over. */
  check?(serving: Serving): string | undefined | Promise<string | undefined>
}

export async function underFlood(flood: Flood): Promise<Finding> {
  const serving = await startServing(flood.args)
  let sockets: readonly Socket[] = []
  try {
    await warm(serving)
    await flood.warm?.(serving)
    const before = serving.rss()
    let rss = before
    let slowest = 0
    let slowestWall = 0
    const sampling = new AbortController()
    const sampled = sample(sampling.signal, () => (rss = Math.max(rss, serving.rss())))
    const begin = systemClock.monotonic()
    const begun = Promise.resolve(flood.begin(serving))
    // A crowd takes a while to be let in.
    let over = Infinity
    void begun.then(() => (over = systemClock.monotonic() + flood.seconds * 1000))
    while (systemClock.monotonic() < over && serving.ended() === undefined) {
      const { own_ms, wall_ms } = await serving.health()
      slowest = Math.max(slowest, own_ms)
      slowestWall = Math.max(slowestWall, wall_ms)
      await systemClock.sleep(PAUSE_MS)
    }
    sockets = await begun
    const spent = (systemClock.monotonic() - begin) / 1000
    sampling.abort()
    await sampled
    const ended = serving.ended()
    const wrong = ended === undefined ? await flood.check?.(serving) : undefined
    const growth = rss - before
    const open = serving.connections()
    return {
      held:
        ended === undefined &&
        wrong === undefined &&
        slowest < HEALTH_LIMIT_MS &&
        growth < GROWTH_LIMIT_MIB,
      seen:
        `/healthz at most ${slowest.toFixed(0)} ms (${slowestWall.toFixed(0)} with its waits for a CPU), RSS ${before.toFixed(0)} → ${rss.toFixed(0)} MiB ` +
        `(+${growth.toFixed(0)}), ${ended ?? 'alive'} after ${spent.toFixed(1)} s, ` +
        (flood.seen?.() ?? `${open} of ${sockets.length} connections open`) +
        (wrong === undefined ? '' : `; ${wrong}`),
    }
  } finally {
    for (const socket of sockets) socket.destroy()
    await serving.stop()
  }
}

/** What is made on first use is made. */
async function warm({ port, health }: Serving): Promise<void> {
  for (const path of ['/', '/api/v1/openapi.json', '/sign-in']) {
    await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer()
  }
  for (let count = 0; count < 50; count++) await health()
}

async function sample(signal: AbortSignal, look: () => void): Promise<void> {
  while (!signal.aborted) {
    look()
    await systemClock.sleep(20)
  }
}

/** Whether it ended in order or was reset. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
}

/** A connection whose answers nobody reads. */
export async function deafSocket({ port }: Pick<Serving, 'port'>): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  socket.pause()
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed(socket)])
  return socket
}
