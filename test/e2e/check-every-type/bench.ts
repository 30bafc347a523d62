/**
 * A table of trials against one real server, in as many variations as its rows want: each variation is
 * started once, and all rows that want it follow.
 *
 * @module
 */

import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { JsonObject, Outcome, Phase } from '../../../src/model.ts'
import type { CommandLine } from '../../support/command-line.ts'
import type { ServerNeed } from '../../support/servers/binaries.ts'
import type { RunningServer } from '../../support/servers/harness.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import { checkOnce, checkWithin, expectFound, expectHealthy } from './trial.ts'
import type { Health } from './trial.ts'

type Ports<P extends string> = Readonly<Record<P, number>>

/** Others who have come before us and stay. */
export interface Crowd<P extends string> {
  readonly port: P
  readonly count: number
  /** Sent once the server has greeted; a string or what a function makes. */
  readonly say?: string | Uint8Array
  /** They are in once this has come. Default: the connection is accepted. */
  readonly until?: RegExp
}

export interface Variation<O, P extends string> {
  /** Options of the server. Default: healthy. */
  readonly server?: O
  readonly stopped?: true
  readonly crowd?: Crowd<P>
}

export interface Change<O, P extends string> extends Variation<O, P> {
  /** Over those of the healthy check; `undefined` takes one away. */
  readonly settings?: JsonObject | ((ports: Ports<P>) => JsonObject)
  /** Deadline of the whole check; on a busy machine up to sixteen times as long, which what it waits for has to outlast. */
  readonly timeout_ms?: number
  readonly flags?: readonly string[]
}

export type HealthyRow<O, P extends string> = readonly [
  type: string,
  what: string,
  health: Health,
  change?: Change<O, P>,
]

export type BrokenRow<O, P extends string> = readonly [
  type: string,
  broken: string,
  cause_code: string,
  phase: Phase | null,
  change: Change<O, P>,
]

export interface Bench<O, P extends string> {
  readonly need: ServerNeed
  readonly start: (options: O) => Promise<RunningServer<P>>
  /** Settings with which a healthy server is found healthy. */
  readonly settings: Readonly<Record<string, (ports: Ports<P>) => JsonObject>>
  readonly healthy: readonly HealthyRow<O, P>[]
  readonly broken: readonly BrokenRow<O, P>[]
}

export function runBench<O extends object, P extends string>(
  watchpost: CommandLine,
  bench: Bench<O, P>,
): void {
  const rows = [
    ...bench.healthy.map(([type, what, health, change = {}], index, all) => {
      // One of each type as users have it, with the start and the end of the process.
      const own = all.findIndex(([other]) => other === type) === index
      return { type, what, health, change, own }
    }),
    ...bench.broken.map(([type, broken, cause_code, phase, change]) => {
      const what = `${broken}: ${cause_code}${phase === null ? '' : ` (${phase})`}`
      return { type, what, found: [cause_code, phase] as const, change, own: false }
    }),
  ]
  const variations = [...new Set(rows.map(({ change }) => titleOf(change)))].map(
    (title) => [title, rows.filter(({ change }) => titleOf(change) === title)] as const,
  )

  describeWithServer(bench.need, `against ${bench.need.name}`, () => {
    describe.each(variations)('%s', (_, [first, ...more]) => {
      const trials = first === undefined ? [] : [first, ...more]
      const ports = setUp(bench, first?.change ?? {})

      it.each(trials)('$type: $what', async ({ type, change, own, ...expected }) => {
        const { settings = {}, timeout_ms, flags = [] } = change
        const changed = typeof settings === 'function' ? settings(ports()) : settings
        const call = {
          type,
          settings: { ...bench.settings[type]?.(ports()), ...changed },
          ...{ flags, own },
        }
        const judge = (outcome: Outcome): void => {
          if ('health' in expected) expectHealthy(outcome, expected.health)
          else expectFound(outcome, expected.found)
        }
        if (timeout_ms === undefined) judge(await checkOnce(watchpost, call))
        else await checkWithin(timeout_ms, watchpost, call, judge)
      })
    })
  })
}

function titleOf<O, P extends string>({ server, stopped, crowd }: Variation<O, P>): string {
  if (stopped === true) return 'stopped'
  const options = server === undefined ? 'healthy' : `with ${JSON.stringify(server)}`
  return crowd === undefined ? options : `${options}, ${crowd.count} others at ${crowd.port}`
}

/** Starts the variation for the tests of this `describe`; its ports are known once they run. */
function setUp<O extends object, P extends string>(
  { start }: Bench<O, P>,
  { server: options, stopped, crowd }: Variation<O, P>,
): () => Ports<P> {
  let server: RunningServer<P> | undefined
  let others: readonly Socket[] = []
  beforeAll(async () => {
    server = await start(options ?? ({} as O))
    if (stopped === true) await server.halt()
    if (crowd !== undefined) others = await gather(server.ports, crowd)
  })
  afterAll(async () => {
    for (const socket of others) socket.destroy()
    await server?.stop()
  })
  return () => {
    if (server === undefined) throw new Error('The server is not started yet')
    return server.ports
  }
}

/** A server that has just started may still count those who looked whether it is ready. */
const TRIES = 600
const PAUSE_MS = 100

async function gather<P extends string>(
  ports: Ports<P>,
  crowd: Crowd<P>,
): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  for (let tries = 0; sockets.length < crowd.count; tries++) {
    const socket = await enter(ports[crowd.port], crowd)
    if (socket !== undefined) sockets.push(socket)
    else if (tries === TRIES) throw new Error('The server lets nobody in')
    else await systemClock.sleep(PAUSE_MS)
  }
  return sockets
}

/** `undefined` where the server closes the connection. */
async function enter(
  port: number,
  { say, until }: Pick<Crowd<string>, 'say' | 'until'>,
): Promise<Socket | undefined> {
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  if (say !== undefined) socket.write(say)
  if (until === undefined) return socket
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      if (until.test(text)) resolve(socket)
    })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(undefined))
  })
}
