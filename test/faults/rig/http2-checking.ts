/**
 * The rig's end of an engine that checks one server by gRPC and by HTTP/2.
 *
 * @module
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { systemClock } from '../../../src/clock.ts'
import { bundle } from './programs.ts'

export interface Http2Checking {
  /** Of the server on 127.0.0.1. */
  readonly port: number
  /** Of each type, each with one check under way all the time. */
  readonly monitors: number
  readonly types: readonly ('grpc' | 'http')[]
}

export interface Checked {
  readonly grpc: number
  readonly http: number
}

export interface CheckingProcess {
  /** Of `/healthz`. */
  readonly port: number
  /** How it ended, `undefined` while it lives. */
  ended(): string | undefined
  /** Checks that have ended; the last that was told, where the process is gone. */
  checked(): Promise<Checked>
  stop(): Promise<void>
}

const ANSWER_LIMIT_MS = 5000

export async function startHttp2Checking(plan: Http2Checking): Promise<CheckingProcess> {
  const built = await bundle({ checking: 'test/faults/rig/http2-checking-child.ts' })
  const child = fork(built.programs.checking, [JSON.stringify(plan)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  let end: string | undefined
  void closed.then(([code, signal]) => (end = signal ?? `exit ${code}`))
  let last: Checked = { grpc: 0, http: 0 }
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  return {
    port,
    ended: () => end,
    async checked() {
      if (end !== undefined) return last
      const told = once(child, 'message')
      // It may be gone before it is asked.
      child.send('how many', () => undefined)
      const answer = await Promise.race([told, closed, systemClock.sleep(ANSWER_LIMIT_MS)])
      const [counts] = (answer ?? []) as [Checked | number | null | undefined]
      if (typeof counts === 'object' && counts !== null) last = counts
      return last
    },
    async stop() {
      if (end === undefined) child.kill('SIGKILL')
      await closed
      built.remove()
    },
  }
}
