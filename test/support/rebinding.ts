/**
 * A name that changes its address between the verdict of the guard and the connection: both addresses are of this
 * machine, the guard allows the first only, and one port is open on both.
 *
 * @module
 */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { freePort } from './servers/ports.ts'

export const [OUTER, INNER] = ['127.0.0.2', '127.0.0.1']

export const guard = { allowCidrs: [`${OUTER}/32`] }

export interface Trap {
  readonly port: number
  /** Connections so far. */
  readonly visits: { outer: number; inner: number }
}

/** Answers nobody, and counts who comes, until the end of the test. */
export async function openTrap(): Promise<Trap> {
  const visits = { outer: 0, inner: 0 }
  const server = (where: keyof typeof visits) =>
    createServer((socket) => {
      visits[where]++
      socket.on('error', () => undefined).end()
    })
  const [outer, inner] = [server('outer'), server('inner')]
  const port = await freePort()
  await once(inner.listen(port, INNER), 'listening')
  await once(outer.listen(port, OUTER), 'listening')
  onTestFinished(() => {
    outer.close()
    inner.close()
  })
  return { visits, port }
}
