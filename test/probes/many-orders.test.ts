/** Thousands of orders of one location are withdrawn at once. */

import { expect, it } from 'vitest'
import { setupOf } from '../../src/probes/bullmq/options.ts'
import { withdraw } from '../../src/probes/bullmq/pending-orders.ts'
import type { Asked } from '../../src/probes/bullmq/pending-orders.ts'
import type { Session } from '../../src/probes/bullmq/session.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const ORDERS = 20_000

it('in short turns', async () => {
  const { names, wire } = setupOf({ connection: { host: '127.0.0.1' }, plainText: true })
  const orders = Array.from({ length: ORDERS }, (_, n): Asked => {
    const order = { id: `1-${n}-1-1`, monitor_id: n, version: 1, round: 0, location_id: 1 }
    const times = { look_at: 0, until: 0, missed: false }
    return { order, location: 'far', job_id: `engine-${order.id}`, account_id: 1, ...times }
  })
  const withdrawn: string[] = []
  const told: string[] = []
  const queue = { remove: (id: string) => Promise.resolve(withdrawn.push(id)) }
  const redis = { publish: (_: string, text: string) => Promise.resolve(told.push(text)) }
  const session = { redis, queue: () => queue } as unknown as Session
  const { longest_ms } = await leastOf(
    3,
    () => measureTurns(() => withdraw(session, { names, wire }, orders)),
    TURN_MS,
  )
  expect(longest_ms).toBeLessThan(TURN_MS)
  const ids = orders.map(({ job_id }) => job_id)
  expect(withdrawn.slice(0, ORDERS)).toEqual(ids)
  expect(wire.openCancel(told[0] ?? '')).toEqual(ids)
})
