/**
 * Checks of one account that hang, on the host of another one and on so many more that all places are taken.
 *
 * @module
 */

import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tcp } from '../../../src/checkers/tcp.ts'
import { systemClock } from '../../../src/clock.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { silentLogger } from '../../../src/logger.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import type { Attack, Finding } from './attack.ts'

const HOST = '127.0.0.1'
const ON_THE_HOST = 16
const OTHER_HOSTS = 40
const PLACES = 64

const INTERVAL_SEC = 10
const LONGEST_SEC = 15
/** Longer than a check of the attacker hangs, so that every place is given away anew at least once. */
const SECONDS = 80
const FILLED_IN_MS = 20_000

export const hangingChecks: Attack = {
  name: 'hanging-checks',
  does: `${ON_THE_HOST} tcp monitors of B on A's host and two on each of ${OTHER_HOSTS} more wait 60 s for a banner that never comes; B asks for checks of all of them every second`,
  bound: `A's monitor of ${INTERVAL_SEC} s is looked at every ${LONGEST_SEC} s at least, is up and not stale`,
  attempt,
}

async function attempt(): Promise<Finding> {
  const looks: number[] = []
  const good = await listening(HOST, (socket) => {
    looks.push(systemClock.monotonic())
    socket.end()
  })
  let [open, most] = [0, 0]
  const hang = (socket: Socket): void => {
    most = Math.max(most, ++open)
    socket.on('close', () => open--)
  }
  const hosts = [HOST, ...Array.from({ length: OTHER_HOSTS }, (_, index) => `127.0.0.${index + 2}`)]
  const silent = await Promise.all(hosts.map((host) => listening(host, hang)))
  const engine = createEngine({ store: memoryStore(), checkers: [tcp], logger: silentLogger })
  await engine.start()
  try {
    const b = engine.account((await engine.accounts.create({ name: 'B' })).id)
    const ids: number[] = []
    for (const { host, port } of silent) {
      for (let count = host === HOST ? ON_THE_HOST : 2; count > 0; count--) {
        const waits = { banner_regex: 'never', timeout_ms: 60_000, interval_sec: 61 } as const
        ids.push((await b.monitors.create({ type: 'tcp', name: host, host, port, ...waits })).id)
      }
    }
    const press = (): Promise<unknown> =>
      Promise.allSettled(ids.map((id) => b.monitors.queueCheck(id)))
    await until(() => open >= PLACES, FILLED_IN_MS, press)

    const { host, port } = good
    const begun = systemClock.monotonic()
    const interval = { interval_sec: INTERVAL_SEC, timeout_ms: 5000 } as const
    const { id } = await engine.monitors.create({ type: 'tcp', name: 'A', host, port, ...interval })
    const filled: number[] = []
    await until(
      () => systemClock.monotonic() > begun + SECONDS * 1000,
      Infinity,
      () => {
        filled.push(open)
        return press()
      },
    )
    const times = [begun, ...looks, systemClock.monotonic()]
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
    const longest = Math.max(...gaps) / 1000
    const { state, stale } = await engine.monitors.get(id)
    const places = filled.toSorted((one, other) => one - other)[filled.length >> 1] ?? 0
    return {
      held: longest <= LONGEST_SEC && state === 'up' && !stale && most >= PLACES,
      seen:
        `longest gap between looks of A ${longest.toFixed(1)} s, ${looks.length} looks in ${SECONDS} s, ${state}${stale ? ', stale' : ''}; ` +
        `B held ${places} places at the median and ${most} at most`,
    }
  } finally {
    await engine.stop({ drainMs: 0 })
    for (const each of [good, ...silent]) each.close()
  }
}

/** Presses about every second until it is done, or so long. */
async function until(
  done: () => boolean,
  longest_ms: number,
  press: () => Promise<unknown>,
): Promise<void> {
  const end = systemClock.monotonic() + longest_ms
  while (!done() && systemClock.monotonic() < end) {
    await press()
    await systemClock.sleep(1000)
  }
}

interface Listening {
  readonly host: string
  readonly port: number
  close(): void
}

async function listening(host: string, onSocket: (socket: Socket) => void): Promise<Listening> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    socket.resume()
    onSocket(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, host, resolve)
  })
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
