import { describe, expect, it } from 'vitest'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import { http } from '../../src/checkers/http/index.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { HTTP2 } from '../support/hostile/http2.ts'

const TIMEOUT_MS = 1000

/** Sockets of this process, ours and those of the hostile servers. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

describe('http against the hostile farm of HTTP/2', () => {
  it.each(HTTP2)('meets $name', async ({ start, causes }) => {
    await withDeadline(TIMEOUT_MS, async (timeout_ms) => {
      const hostile = await start()
      try {
        const url = `http://127.0.0.1:${hostile.port}/`
        const settings = { url, http_version: '2' } as const
        const outcome = await check(http(), settings, { timeout_ms })
        expect(causes, outcome.cause_text ?? '').toContain(outcome.cause_code)
        expect(outcome.duration_ms).toBeLessThan(timeout_ms + 8000)
        expect(hostile.faults()).toEqual([])
        expect([null, ...Object.keys({ ...SHARED_CAUSES, ...http().causes })]).toContain(
          outcome.cause_code,
        )
      } finally {
        await hostile.close()
      }
    })
    await expect.poll(sockets, { interval: 5 }).toBe(0)
  })
})
