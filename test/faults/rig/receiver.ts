/**
 * The rig's end of a receiver of webhooks: starts its process, scripts its answers, reads its log.
 *
 * @module
 */

import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { freePort } from '../../support/servers/ports.ts'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delay_ms?: number
  /** Instead of an answer. `die`: the process kills itself in the middle of its status line. */
  readonly do?: 'hang' | 'reset' | 'close' | 'garbage' | 'die'
}

export interface ReceiverOrder {
  readonly id: number
  readonly path: string
  readonly next: readonly Answer[]
  readonly fallback: Answer
}

/** One request, as it was written down before the answer. */
export interface Entry {
  /** Real wall time, epoch ms. */
  readonly at: number
  readonly path: string
  readonly method: string
  /** Raw: names and values in turn. */
  readonly headers: readonly string[]
  /** Base64 of the bytes. */
  readonly body: string
  readonly answer: Answer
}

export interface Receiver {
  readonly port: number
  url(path: string): string
  /** Answers of one path: each of `next` once, then `fallback`. Without a script all is answered 200. */
  script(path: string, next: readonly Answer[], fallback?: Answer): Promise<void>
  entries(): Entry[]
  kill(): Promise<void>
  /** Again, on the same port, with the scripts it had; those answers that are used up do not come back. */
  restart(): Promise<void>
  /** Resolves when the process ends. */
  ended(): Promise<void>
}

export async function startReceiver(program: string, log: string): Promise<Receiver> {
  writeFileSync(log, '')
  const fallbacks = new Map<string, Answer>()
  let child: ChildProcess
  // It is given up by each kill, and has to be there for the next start.
  const port = await freePort()
  let orders = 0

  async function start(): Promise<void> {
    child = fork(program, [log, String(port)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    await once(child, 'message')
    for (const [path, fallback] of fallbacks) await tell(path, [], fallback)
  }

  async function tell(path: string, next: readonly Answer[], fallback: Answer): Promise<void> {
    fallbacks.set(path, fallback)
    const order: ReceiverOrder = { id: ++orders, path, next, fallback }
    child.send(order)
    for (;;) {
      const [said] = (await once(child, 'message')) as [{ readonly scripted?: number }]
      if (said.scripted === order.id) return
    }
  }

  async function ended(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  await start()
  return {
    port,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    script: (path, next, fallback = { status: 200 }) => tell(path, next, fallback),
    entries: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        // A line that a killed process did not finish was not answered.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Entry),
    async kill() {
      child.kill('SIGKILL')
      await ended()
    },
    restart: start,
    ended,
  }
}
