/**
 * The rig's end of the receivers that count.
 *
 * @module
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Counts {
  /** Id of each notification → its arrivals, epoch ms with fractions. */
  readonly arrivals: readonly (readonly [id: number, at: readonly number[]])[]
  /** Requests whose signature is wrong. */
  readonly unverified: number
  /** Requests that came after a later one of the same monitor to the same contact. */
  readonly out_of_order: number
}

export interface Counting {
  readonly urls: readonly string[]
  counts(): Promise<Counts>
  stop(): void
}

export async function startCounting(
  program: string,
  { addresses, secret }: { readonly addresses: number; readonly secret: string },
): Promise<Counting> {
  const child = fork(program, [String(addresses), secret], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ ports }] = (await once(child, 'message')) as [{ readonly ports: readonly number[] }]
  return {
    urls: ports.map((port, index) => `http://127.0.0.${index + 1}:${port}/${index}`),
    async counts() {
      child.send('counts')
      const [counts] = (await once(child, 'message')) as [Counts]
      return counts
    },
    stop: () => void child.kill(),
  }
}
