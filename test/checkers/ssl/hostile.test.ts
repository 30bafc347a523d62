import { describe, expect, it, vi } from 'vitest'
import { ssl } from '../../../src/checkers/ssl/index.ts'
import { check } from '../../support/check.ts'
import { hostileTo } from '../../support/hostile/farm.ts'

const TIMEOUT_MS = 400

describe('ssl against the hostile farm', () => {
  it.each(hostileTo('any', 'tls'))('meets $name', async ({ start, expect: causes }) => {
    const hostile = await start()
    try {
      const input = { host: '127.0.0.1', port: hostile.port, alert_on_change: true }
      const outcome = await check(ssl(), input, { timeout_ms: TIMEOUT_MS })
      await vi.waitFor(() => expect(hostile.open()).toBe(0), { timeout: 5000 })
      expect(hostile.faults()).toEqual([])
      expect(outcome.duration_ms).toBeLessThan(TIMEOUT_MS + 3000)
      // Those without causes shake hands as they should; what they do afterwards is of no interest.
      if (causes === undefined) expect(outcome.cause_code).toBe(null)
      else expect([...causes, 'tls_not_tls', 'tls_handshake']).toContain(outcome.cause_code)
    } finally {
      await hostile.close()
    }
  })
})
