import { describe, expect, it } from 'vitest'
import {
  afterInterruption,
  classify,
  MAX_ATTEMPTS,
  parseRetryAfter,
  pauseAfter,
  nextAttempt,
} from '../../src/webhook/retry.ts'

const status = (http_status: number) => classify({ http_status, error: null })
const error = (code: string, rules = {}) => classify({ http_status: null, error: code }, rules)

describe('classify', () => {
  it('knows every status: 2xx delivered, 5xx temporary, all else failed', () => {
    for (let code = 100; code <= 999; code++) {
      const expected =
        code >= 200 && code < 300 ? 'delivered' : code >= 500 && code < 600 ? 'temporary' : 'failed'
      expect(status(code)).toBe(expected)
    }
  })

  it.each([
    'timeout',
    'connect_refused',
    'connect_reset',
    'connect_unreachable',
    'closed_early',
    'dns_nxdomain',
    'dns_timeout',
    'dns_no_records',
    'tls_expired',
    'tls_untrusted',
    'http_protocol_error',
    'http_header_limit',
    'send_failed',
    'probe_overloaded',
    'stopped',
  ])('takes %s for temporary', (code) => {
    expect(error(code)).toBe('temporary')
  })

  it.each(['blocked', 'invalid_url', 'invalid_request'])('takes %s for final', (code) => {
    expect(error(code)).toBe('failed')
  })

  it('retries what failed for no known reason', () => {
    expect(classify({ http_status: null, error: null })).toBe('temporary')
    const literal = { retryConnectionErrors: false }
    expect(classify({ http_status: null, error: null }, literal)).toBe('temporary')
    for (const other of ['xstopped', 'stoppedx', 'timeout_x', 'xinternal_error', 'internal_errorx'])
      expect(error(other, literal)).toBe('failed')
  })

  it('retries the 4xx that the operator lists', () => {
    const rules = { retryStatuses: [408, 425, 429] }
    expect(classify({ http_status: 429, error: null }, rules)).toBe('temporary')
    expect(classify({ http_status: 410, error: null }, rules)).toBe('failed')
    expect(status(429)).toBe('failed')
  })

  it('can take the specification literally: only 5xx and timeouts are temporary', () => {
    const rules = { retryConnectionErrors: false }
    expect(
      ['timeout', 'connect_timeout', 'tls_timeout', 'stopped'].map((code) => error(code, rules)),
    ).toEqual(Array(4).fill('temporary'))
    expect(
      ['connect_refused', 'dns_nxdomain', 'tls_expired', 'closed_early'].map((code) =>
        error(code, rules),
      ),
    ).toEqual(Array(4).fill('failed'))
    expect(classify({ http_status: 503, error: null }, rules)).toBe('temporary')
  })
})

describe('pauseAfter', () => {
  it('doubles from 30 s to 240 s, and ends with the fifth attempt', () => {
    expect([1, 2, 3, 4, 5, 6].map((attempt) => pauseAfter(attempt))).toEqual([
      30_000,
      60_000,
      120_000,
      240_000,
      null,
      null,
    ])
    expect(MAX_ATTEMPTS).toBe(5)
  })

  it('is the first one where no attempt was counted', () => {
    expect([0, -1].map((attempt) => pauseAfter(attempt))).toEqual([30_000, 30_000])
  })

  it('adds up to 10 %, and never takes anything away', () => {
    expect(pauseAfter(1, { random: () => 0 })).toBe(30_000)
    expect(pauseAfter(1, { random: () => 0.5 })).toBe(31_500)
    expect(pauseAfter(4, { random: () => 0.999999 })).toBe(264_000)
  })

  it('grants a receiver up to twice the pause, never less than the pause', () => {
    const asked = (retryAfterMs: number) => pauseAfter(2, { retryAfterMs, random: () => 0.5 })
    expect(asked(0)).toBe(63_000)
    expect(asked(1000)).toBe(63_000)
    expect(asked(90_000)).toBe(90_000)
    expect(asked(120_000)).toBe(120_000)
    expect(asked(86_400_000)).toBe(120_000)
  })
})

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  it.each([
    ['120', 120_000],
    [' 5 ', 5000],
    ['0', 0],
    ['Thu, 01 Jan 2026 12:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2026 11:59:00 GMT', null],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['soon', null],
    ['999999999', 999_999_999_000],
    ['Thu, 01 Jan 2026 12:00:00 GMT', null],
    ['xThu, 01 Jan 2026 12:01:00 GMT', null],
    ['Thu, 01 Jan 2026 12:01:00 GMTx', null],
    ['Thu, 01 Jan 2026 12:01:00 GMT-0100', null],
    ['THU, 01 Jan 2026 12:01:00 GMT', null],
    ['Thu, 01 JAN 2026 12:01:00 GMT', null],
    ['5x', null],
    ['', null],
    [undefined, null],
    ['2026-01-01T12:01:00Z', null],
    ['99999999999', null],
  ])('reads %j as %s', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected)
  })
})

describe('afterInterruption and settle', () => {
  const options = { now: 1_000_000, random: () => 0 }
  const temporary = { class: 'temporary', retry_after_ms: null } as const

  it('make the first three interruptions free, and the attempt again at once', () => {
    for (const interruptions of [0, 1, 2, 3])
      expect(afterInterruption({ attempts: 2, interruptions }, options)).toBeNull()
  })

  it('count every further interruption as a failed attempt, with its pause', () => {
    const queued = { status: 'queued', interruptions: 3 }
    expect(afterInterruption({ attempts: 0, interruptions: 4 }, options)).toEqual({
      ...queued,
      attempts: 1,
      due_at: 1_030_000,
    })
    expect(afterInterruption({ attempts: 2, interruptions: 5 }, options)).toEqual({
      ...queued,
      attempts: 4,
      due_at: 1_240_000,
    })
    expect(afterInterruption({ attempts: 4, interruptions: 5 }, options)).toEqual({
      status: 'failed',
      attempts: 5,
      interruptions: 3,
    })
    // Written back and claimed again: what was counted is not counted twice.
    expect(afterInterruption({ attempts: 4, interruptions: 3 }, options)).toBeNull()
  })

  it('end a row whose attempts nobody ever sees the end of', () => {
    let row = { attempts: 0, interruptions: 0 }
    let requests = 0
    let paused_ms = 0
    for (;;) {
      const next = afterInterruption(row, options)
      if (next?.status === 'failed') break
      paused_ms += (next?.due_at ?? options.now) - options.now
      requests += 1
      row = { ...(next ?? row), interruptions: (next ?? row).interruptions + 1 }
    }
    expect(requests).toBe(MAX_ATTEMPTS + 3)
    expect(paused_ms).toBe(450_000)
  })

  it('send, fail, or queue the next attempt after the pause', () => {
    const row = { attempts: 1, interruptions: 0 }
    expect(nextAttempt(row, { class: 'delivered', retry_after_ms: null }, options)).toEqual({
      status: 'sent',
      attempts: 2,
      interruptions: 0,
    })
    expect(nextAttempt(row, { class: 'failed', retry_after_ms: null }, options)).toEqual({
      status: 'failed',
      attempts: 2,
      interruptions: 0,
    })
    expect(nextAttempt(row, temporary, options)).toEqual({
      status: 'queued',
      attempts: 2,
      interruptions: 0,
      due_at: 1_060_000,
    })
    expect(nextAttempt({ attempts: 4, interruptions: 0 }, temporary, options)).toEqual({
      status: 'failed',
      attempts: 5,
      interruptions: 0,
    })
  })

  it('lengthen the pause by chance, or as the receiver asks', () => {
    const half = { now: 1_000_000, random: () => 0.5 }
    const row = { attempts: 0, interruptions: 0 }
    expect(nextAttempt(row, temporary, half)).toMatchObject({ due_at: 1_031_500 })
    const asked = { ...temporary, retry_after_ms: 45_000 }
    expect(nextAttempt(row, asked, half)).toMatchObject({ due_at: 1_045_000 })
    const interrupted = { attempts: 0, interruptions: 4 }
    expect(afterInterruption(interrupted, half)).toMatchObject({ due_at: 1_031_500 })
  })

  it('do not count an attempt that was stopped before anything was sent', () => {
    const row = { attempts: 2, interruptions: 1 }
    const end = { ...temporary, uncounted: true } as const
    expect(nextAttempt(row, end, options)).toEqual({
      status: 'queued',
      attempts: 2,
      interruptions: 1,
      due_at: 1_000_000,
    })
  })

  it.each([
    'probe_offline',
    'probe_resolver_broken',
    'probe_overloaded',
    'storage',
    'proxy_unreachable',
    'proxy_auth',
  ])('do not count what never left this machine (%s), for a day', (error) => {
    expect(classify({ http_status: null, error }, { retryConnectionErrors: false })).toBe(
      'temporary',
    )
    const end = { ...temporary, error }
    const first = { attempts: 4, interruptions: 1, claims: 1 }
    expect(nextAttempt(first, end, options)).toEqual({
      ...{ status: 'queued', attempts: 4, interruptions: 1 },
      due_at: 1_030_000,
    })
    const after = (claims: number) => nextAttempt({ ...first, claims }, end, options)
    const { claims: _, ...unclaimed } = first
    expect(nextAttempt(unclaimed, end, options)).toMatchObject({ due_at: 1_030_000 })
    expect(after(2)).toMatchObject({ attempts: 4, due_at: 1_037_500 })
    expect(after(299)).toMatchObject({ status: 'queued', attempts: 4 })
    expect(after(30)).toMatchObject({ attempts: 4, due_at: 1_300_000 })
    // 300 of them, nearly all followed by five minutes, are a day.
    expect(after(300)).toMatchObject({ status: 'failed', attempts: 5 })
  })
})
