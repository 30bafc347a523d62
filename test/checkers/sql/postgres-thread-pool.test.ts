/** The keys of SCRAM are computed in the thread pool, which the files and the name lookups of the process need as well. */
import { cpuUsage } from 'node:process'
import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { check } from '../../support/check.ts'
import { hostile } from '../../support/hostile/any.ts'
import type { Peer } from '../../support/hostile/peer.ts'
import { scramAgain } from '../../support/hostile/postgres.ts'

const INPUT = { host: '127.0.0.1', user: 'u', pass: 'p', tls: 'prefer' } as const

it.each([2, 198])('a server that asks for keys %i times has them computed once', async (times) => {
  const does = 'wants the same keys again'
  const script = (peer: Peer) => scramAgain(peer, times)
  const server = await hostile({ protocol: 'postgres', does, script }).start()
  const before = cpuUsage()
  const outcome = await check(postgres(), { ...INPUT, port: server.port })
  // Behind what is computed.
  await stat('/')
  const { user } = cpuUsage(before)
  await server.close()
  expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'protocol_error' })
  // Each time takes 15 to 50 ms of one thread.
  expect(user / 1000).toBeLessThan(1000)
})
