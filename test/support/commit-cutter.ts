/**
 * A TCP proxy in front of PostgreSQL that cuts a connection in the middle of a COMMIT.
 *
 * @module
 */

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** `request`: the server never hears of the COMMIT. `answer`: it is carried out, and nobody hears of that. */
export type Cut = 'request' | 'answer'

export interface CommitCutter {
  readonly port: number
  /** The next COMMIT through any connection is cut like this; those after it pass. */
  cutNext(cut: Cut): void
  /** Cuts made so far. */
  readonly cuts: number
}

const COMMIT = Buffer.from('COMMIT\0')

export async function commitCutter(target: number): Promise<CommitCutter> {
  let wanted: Cut | undefined
  let cuts = 0
  const server = createServer((near) => {
    const far = connect({ port: target, host: '127.0.0.1' })
    let deaf = false
    const end = (): void => {
      near.destroy()
      far.destroy()
    }
    near.on('data', (bytes) => {
      const cut = bytes.includes(COMMIT) ? wanted : undefined
      if (cut !== undefined) {
        wanted = undefined
        cuts++
      }
      if (cut === 'request') return end()
      deaf ||= cut === 'answer'
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (deaf) end()
      else near.write(bytes)
    })
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    cutNext: (cut) => void (wanted = cut),
    get cuts() {
      return cuts
    },
  }
}
