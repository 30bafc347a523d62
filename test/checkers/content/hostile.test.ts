import { describe, expect, it } from 'vitest'
import { SHARED_CAUSES } from '../../../src/checkers/causes.ts'
import { content } from '../../../src/checkers/content/index.ts'
import { certificates } from '../../support/certificates.ts'
import { check } from '../../support/check.ts'
import { hostileTo } from '../../support/hostile/farm.ts'

const TIMEOUT_MS = 600

/** Sockets of this process, ours and those of the hostile servers. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

describe('content against the hostile farm', () => {
  it.each(hostileTo('any', 'http'))('meets $name', async ({ start, secure }) => {
    const hostile = await start()
    try {
      const url = `${secure === true ? 'https' : 'http'}://127.0.0.1:${hostile.port}/`
      const options = { timeout_ms: TIMEOUT_MS, ca: certificates().ca }
      const outcome = await check(content(), { url, ignore_regex: '\\d+' }, options)
      expect(outcome.duration_ms).toBeLessThan(TIMEOUT_MS + 8000)
      expect(hostile.faults()).toEqual([])
      // Limits of ours are not a fault of the page.
      if (outcome.verdict === 'unknown')
        expect(['http_coding_limit', 'http_header_limit', 'content_ignore_slow']).toContain(
          outcome.cause_code,
        )
      expect([null, ...Object.keys({ ...SHARED_CAUSES, ...content().causes })]).toContain(
        outcome.cause_code,
      )
      if (outcome.verdict === 'fail') expect(outcome).not.toHaveProperty('memo')
    } finally {
      await hostile.close()
    }
    await expect.poll(sockets, { interval: 5 }).toBe(0)
  })
})
