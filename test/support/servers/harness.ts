/**
 * Starts real servers for tests: as a user without rights, on free ports of 127.0.0.1, in a directory
 * of their own that goes away with them.
 *
 * @module
 */

import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import type { Account } from './account.ts'
import { serverAccount } from './account.ts'
import { freePorts } from './ports.ts'
import type { Launched } from './process.ts'
import { boundedLog, kill, launch, processesIn } from './process.ts'
import type { Undertaker } from './undertaker.ts'
import { hireUndertaker } from './undertaker.ts'

const ATTEMPTS = 3
const READY_MS = 90_000
const PREPARE_MS = 90_000
const STOP_MS = 30_000
const POLL_MS = 15
/** Some servers start a process for every look, which on a busy machine is what they then wait for. */
const LONGEST_POLL_MS = 120

/** Where an instance lives. */
export interface Place<P extends string = string> {
  readonly dir: string
  readonly ports: Readonly<Record<P, number>>
  readonly account: Account
}

export type Run = (binary: string, args: readonly string[], input?: string) => Promise<void>

export interface ServerPlan<P extends string> {
  /** Part of the directory's name and of messages. */
  readonly name: string
  readonly binary: string
  /** Names of the ports it needs. */
  readonly ports: readonly P[]
  readonly args: (place: Place<P>) => readonly string[]
  /** Path below the directory → text. Written with mode 0600. */
  readonly files?: (place: Place<P>) => Readonly<Record<string, string | Uint8Array>>
  /** Further directories below the directory. */
  readonly folders?: readonly string[]
  /** Work before the first start, such as making a database. */
  readonly prepare?: (place: Place<P>, run: Run) => Promise<void>
  /** Rejects while the server is not ready; tried until it resolves. Default: every port accepts a connection. */
  readonly ready?: (place: Place<P>) => Promise<void>
  /** Asks it to end at once but in order. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals
}

export interface RunningServer<P extends string = string> extends Place<P> {
  /** Of its first process; another one after a restart. */
  readonly pid: number
  /** Ends it in order, keeps directory and ports: the server is down, `restart` brings it back. */
  halt(): Promise<void>
  /** The same without any warning. */
  kill9(): Promise<void>
  /** Comes back on the same ports with the same data; ends it first where it runs. */
  restart(): Promise<void>
  /** Ends it and removes its directory. May be called twice. */
  stop(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** The last 256 KiB of what it printed. */
  log(): string
}

/** Starts a server and waits until it is ready. Fails with the end of its log. */
export async function startServer<P extends string>(
  plan: ServerPlan<P>,
): Promise<RunningServer<P>> {
  for (let attempt = 1; ; attempt++) {
    const server = await settle(plan)
    try {
      await server.prepare()
      await server.restart()
      return server
    } catch (error) {
      await server.stop()
      if (attempt === ATTEMPTS || !/in use|bind/i.test(server.log())) throw error
    }
  }
}

async function settle<P extends string>(
  plan: ServerPlan<P>,
): Promise<RunningServer<P> & { prepare(): Promise<void> }> {
  const account = serverAccount()
  const dir = await mkdtemp(join(tmpdir(), `watchpost-${plan.name}-`))
  const undertaker = hireUndertaker(dir)
  const place: Place<P> = { dir, ports: await freePorts(plan.ports), account }
  const log = boundedLog()
  let current: Launched | undefined
  let stopped = false

  const start = (binary: string, args: readonly string[], input?: string): Launched => {
    current = launch({ binary, args, dir, account, input, onOutput: log.add })
    undertaker.watch(current.pid)
    return current
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (current !== undefined) await endProcess(current, signal)
    current = undefined
    await sweep(dir)
    undertaker.watch(undefined)
  }
  const bringDown = async (signal: NodeJS.Signals): Promise<void> => {
    await end(signal)
    await refusesOnAllPorts(place)
  }
  const halt = (): Promise<void> => bringDown(plan.stopSignal ?? 'SIGTERM')

  return {
    ...place,
    get pid() {
      return current?.pid ?? 0
    },
    halt,
    kill9: () => bringDown('SIGKILL'),
    async prepare() {
      await furnish(place, plan)
      await plan.prepare?.(place, (binary, args, input) =>
        runToEnd(start(binary, args, input), `${plan.name}: ${binary}`, log.text),
      )
    },
    async restart() {
      if (current !== undefined) await halt()
      const launched = start(plan.binary, plan.args(place))
      await waitUntilReady(launched, plan, place, log.text)
    },
    async stop() {
      if (stopped) return
      stopped = true
      await end(plan.stopSignal ?? 'SIGTERM')
      await clearAway(dir, undertaker)
    },
    signal: (signal) => current?.signal(signal),
    log: log.text,
  }
}

async function furnish<P extends string>(place: Place<P>, plan: ServerPlan<P>): Promise<void> {
  const { dir, account } = place
  const own = async (path: string, mode: number): Promise<void> => {
    await chmod(path, mode)
    if (process.getuid?.() === 0) await chown(path, account.uid, account.gid)
  }
  await own(dir, 0o700)
  for (const folder of plan.folders ?? []) {
    await mkdir(join(dir, folder), { recursive: true })
    await own(join(dir, folder), 0o700)
  }
  for (const [name, text] of Object.entries(plan.files?.(place) ?? {})) {
    const path = join(dir, name)
    await mkdir(dirname(path), { recursive: true })
    await own(dirname(path), 0o700)
    await writeFile(path, text)
    await own(path, 0o600)
  }
}

async function runToEnd(launched: Launched, what: string, log: () => string): Promise<void> {
  const ended = await launched.waitForEnd(PREPARE_MS)
  launched.killGroup()
  if (ended && launched.ending() === 0) return
  throw new Error(`${what} ended with ${launched.ending() ?? 'no end in time'}\n${tail(log())}`)
}

async function waitUntilReady<P extends string>(
  launched: Launched,
  plan: ServerPlan<P>,
  place: Place<P>,
  log: () => string,
): Promise<void> {
  const ready = plan.ready ?? acceptsOnAllPorts
  const deadline = systemClock.monotonic() + READY_MS
  let last: unknown
  let pause = POLL_MS
  while (systemClock.monotonic() < deadline) {
    if (launched.ending() !== undefined) break
    try {
      await ready(place)
      if (launched.ending() === undefined) return
    } catch (error) {
      last = error
    }
    await systemClock.sleep(pause)
    pause = Math.min(pause * 1.5, LONGEST_POLL_MS)
  }
  const ending = launched.ending()
  const why = ending === undefined ? `not ready: ${String(last)}` : `ended with ${ending}`
  throw new Error(`${plan.name} did not start, ${why}\n${tail(log())}`)
}

async function acceptsOnAllPorts(place: Place): Promise<void> {
  for (const port of Object.values(place.ports)) await accepts(port)
}

/** A child that is dying, seen or not, may still hold the port on which its parent listened. */
async function refusesOnAllPorts(place: Place): Promise<void> {
  const deadline = systemClock.monotonic() + STOP_MS
  for (const port of Object.values(place.ports)) {
    while (
      await accepts(port).then(
        () => true,
        () => false,
      )
    ) {
      if (systemClock.monotonic() > deadline) throw new Error(`port ${port} still accepts`)
      await systemClock.sleep(POLL_MS)
    }
  }
}

/** Resolves when 127.0.0.1 accepts a connection on the port. */
export function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}

async function endProcess(launched: Launched, signal: NodeJS.Signals): Promise<void> {
  launched.signal(signal)
  const ended = signal === 'SIGKILL' ? false : await launched.waitForEnd(STOP_MS)
  launched.killGroup()
  if (!ended) await launched.waitForEnd(STOP_MS)
}

/** Ends what has left the process group, and waits until all of it is gone. */
async function sweep(dir: string): Promise<void> {
  const deadline = systemClock.monotonic() + STOP_MS
  for (let left = processesIn(dir); left.length > 0; left = processesIn(dir)) {
    if (systemClock.monotonic() > deadline) throw new Error(`processes ${left.join()} do not end`)
    left.forEach(kill)
    await systemClock.sleep(POLL_MS)
  }
}

async function clearAway(dir: string, undertaker: Undertaker): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  await undertaker.dismiss()
}

function tail(text: string): string {
  return text.slice(-4000)
}
