/** What becomes of a notification after an attempt. */
import { describe, expect, it } from 'vitest'
import { afterAttempt } from '../../src/engine/delivery/after-attempt.ts'
import type { NotificationRecord } from '../../src/model.ts'
import type { AttemptResult } from '../../src/webhook/contact-kind.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const BEGAN = NOON - 700

const result = (change: Partial<AttemptResult> = {}): AttemptResult => ({
  ...{ class: 'temporary', http_status: 503, error: 'http_503', answer: 'busy', duration_ms: 690 },
  ...{ retry_after_ms: null, ...change },
})
const after = (row: Partial<NotificationRecord>, change?: Partial<AttemptResult>) =>
  afterAttempt(
    {
      event: 'down',
      attempts: 0,
      interruptions: 0,
      claims: 1,
      error: null,
      ...row,
    } as NotificationRecord,
    result(change),
    { began_at: BEGAN, ended_at: NOON, random: () => 0 },
  )
const delivered = { class: 'delivered', http_status: 200, error: null } as const

describe('after an attempt', () => {
  it('that was accepted the row is sent', () => {
    expect(after({ attempts: 1, interruptions: 2 }, delivered)).toEqual({
      ...{ status: 'sent', attempts: 2, interruptions: 2, error: null, at: NOON },
      attempt: { at: BEGAN, duration_ms: 690, http_status: 200, error: null, answer: 'busy' },
    })
  })

  it('that failed for now the row waits for the next one', () => {
    expect(after({})).toEqual({
      ...{ status: 'queued', attempts: 1, interruptions: 0, due_at: NOON + 30_000, at: NOON },
      error: 'http_503',
      attempt: { at: BEGAN, duration_ms: 690, http_status: 503, error: 'http_503', answer: 'busy' },
    })
  })

  it('that failed for good, or was the fifth, the row has failed, and is due no more', () => {
    const final = after({}, { class: 'failed', http_status: 404, error: 'http_404' })
    expect(final).toMatchObject({ status: 'failed', attempts: 1, error: 'http_404' })
    expect(final).not.toHaveProperty('due_at')
    expect(after({ attempts: 4 })).toMatchObject({ status: 'failed', attempts: 5 })
  })

  it('the pause is drawn and grows with the attempts, and the receiver may ask for a longer one', () => {
    const drawn = (random: number) =>
      afterAttempt({ event: 'down', attempts: 1, interruptions: 0 } as never, result(), {
        ...{ began_at: BEGAN, ended_at: NOON, random: () => random },
      }).due_at
    expect(drawn(0)).toBe(NOON + 60_000)
    expect(drawn(0.5)).toBe(NOON + 63_000)
    expect(after({}, { retry_after_ms: 45_000 }).due_at).toBe(NOON + 45_000)
  })
})

describe('a test', () => {
  it('is one attempt, whose failure is final', () => {
    const failed = after({ event: 'test' })
    expect(failed).toMatchObject({ status: 'failed', attempts: 1, error: 'http_503' })
    expect(failed).not.toHaveProperty('due_at')
    expect(after({ event: 'test' }, delivered)).toMatchObject({ status: 'sent' })
  })
})

describe('an attempt without a code', () => {
  it('has that of its status, or an internal error', () => {
    expect(after({}, { error: null }).error).toBe('http_503')
    expect(after({}, { error: null, http_status: null }).attempt?.error).toBe('internal_error')
    // What was accepted is no error, whatever else it says.
    expect(after({}, { ...delivered, error: 'x' })).toMatchObject({
      error: null,
      attempt: { error: null },
    })
  })
})

describe('a row that has waited', () => {
  const stopped = { http_status: null, error: 'stopped', uncounted: true } as const

  it.each(['grouped', 'quiet_hours'])('still says so (%s) where nothing was sent', (error) => {
    expect(after({ error }, stopped)).toMatchObject({
      ...{ status: 'queued', attempts: 0, error, due_at: NOON },
      attempt: { error: 'stopped' },
    })
  })

  it('says how its attempt ended once one counts, or where it waited for something else', () => {
    expect(after({ error: 'grouped' })).toMatchObject({ attempts: 1, error: 'http_503' })
    expect(after({ error: 'grouped', attempts: 1 }, stopped)).toMatchObject({ error: 'stopped' })
    expect(after({ error: 'http_500' }, stopped)).toMatchObject({ error: 'stopped' })
    expect(after({ error: 'grouped', event: 'test' }, stopped)).toMatchObject({
      ...{ status: 'failed', error: 'stopped' },
    })
  })
})
