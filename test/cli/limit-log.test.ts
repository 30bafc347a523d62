import { expect, it } from 'vitest'
import { limitLog } from '../../src/cli/serve/web-server.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

it('says that a limit was reached at once, then once a minute with how many connections it took', async () => {
  const clock = simulatedClock()
  const lines: unknown[] = []
  const tell = limitLog({ warn: (fields) => lines.push(fields) }, clock)
  const address = '127.0.0.1'
  for (let times = 0; times < 500; times++) tell({ limit: 'maxConnections', address })
  tell({ limit: 'headersTimeoutMs', address })
  expect(lines).toEqual([
    { limit: 'maxConnections', connections: 1, address },
    { limit: 'headersTimeoutMs', connections: 1, address },
  ])
  await clock.advance(60_000)
  tell({ limit: 'maxConnections', address })
  expect(lines[2]).toEqual({ limit: 'maxConnections', connections: 500, address })
})

it('is silent about what happens every day', () => {
  const lines: unknown[] = []
  const tell = limitLog({ warn: (fields) => lines.push(fields) }, simulatedClock())
  for (const limit of ['idleTimeoutMs', 'writeTimeoutMs'] as const) tell({ limit, address: 'a' })
  expect(lines).toEqual([])
})
