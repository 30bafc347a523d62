import { describe, expect, it } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { hostileTo } from '../../support/hostile/farm.ts'
import type { HostileServer } from '../../support/hostile/farm.ts'

const SHORTEST_MS = 1200

/** Sockets of this process, ours and those of the hostile servers. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

describe('ssl against the hostile farm', () => {
  it.each(hostileTo('any', 'tls'))('meets $name', (server) =>
    withDeadline(SHORTEST_MS, (timeout_ms) => meet(server, timeout_ms)),
  )
})

async function meet(server: HostileServer, timeout_ms: number): Promise<void> {
  const { name, start, protocol, expect: causes, secure } = server
  const hostile = await start()
  try {
    const input = { host: '127.0.0.1', port: hostile.port, alert_on_change: true }
    const outcome = await check(ssl(), input, { timeout_ms })
    expect(outcome.duration_ms).toBeLessThan(timeout_ms + 8000)
    expect(hostile.faults()).toEqual([])
    if (secure === true || name.includes('speaks TLS only')) {
      // Who shakes hands as he should has a good certificate, whatever he does afterwards.
      expect(outcome.cause_code).toBe(null)
    } else {
      expect(outcome.verdict).toBe('fail')
      expect(outcome.cause_code).toMatch(/^(tls_|closed_early|connect_reset)/)
      // An end in mid-handshake is one of the handshake.
      if (protocol === 'tls')
        expect([...(causes ?? []), 'tls_handshake']).toContain(outcome.cause_code)
    }
  } finally {
    await hostile.close()
  }
  await expect.poll(sockets, { interval: 5 }).toBe(0)
}
