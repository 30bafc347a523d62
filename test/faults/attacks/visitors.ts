/**
 * Strangers who read each answer and ask again at once, each on a connection of its own.
 *
 * @module
 */

import { Agent, request } from 'node:http'
import { systemClock } from '../../../src/clock.ts'
import type { Serving } from '../rig/serving.ts'
import type { Finding } from './attack.ts'
import { underFlood } from './flood.ts'

const STRANGERS = 100
const SECONDS = 20
/** After a connection that broke, which stands as 0 among the answers. */
const PAUSE_MS = 50

export const STRANGERS_BOUND = 'each answer is 200 or 429'

export interface Visit {
  readonly path: string
  readonly method?: string
  readonly body?: string
}

/** Prepares a server, which names what the strangers ask for in turn. */
export function underVisitors(
  prepare: (serving: Serving) => Promise<readonly Visit[]>,
): Promise<Finding> {
  const answers = new Map<number, number>()
  let gone: Promise<unknown> = Promise.resolve()
  const seen = (): string =>
    [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
  return underFlood({
    seconds: SECONDS,
    seen,
    async begin(serving) {
      const visits = await prepare(serving)
      gone = visitAll(serving.port, visits, answers)
      return []
    },
    async check() {
      await gone
      const odd = [...answers.keys()].filter((status) => status !== 200 && status !== 429)
      return odd.length > 0 || !answers.has(200) ? 'another answer' : undefined
    },
  })
}

async function visitAll(
  port: number,
  visits: readonly Visit[],
  answers: Map<number, number>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: STRANGERS })
  const over = systemClock.monotonic() + SECONDS * 1000
  const come = async (first: number): Promise<void> => {
    for (let n = first; systemClock.monotonic() < over; n++) {
      const status = await visit(agent, port, visits[n % visits.length] as Visit)
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status === 0) await systemClock.sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: STRANGERS }, (_, n) => come(n)))
  agent.destroy()
}

function visit(agent: Agent, port: number, { path, method, body }: Visit): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, agent, path, method }, (answer) => {
      answer.on('error', () => resolve(0))
      answer.once('end', () => resolve(answer.statusCode ?? 0))
      answer.resume()
    })
    asked.once('error', () => resolve(0))
    asked.end(body)
  })
}

/** Creates something with the key of the server. */
export async function create<T>({ port, key }: Serving, path: string, body: unknown): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201)
    throw new Error(`${path} took ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}
