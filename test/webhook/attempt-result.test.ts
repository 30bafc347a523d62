/** What an answer says of its attempt. */
import { describe, expect, it } from 'vitest'
import { attemptResultOf } from '../../src/webhook/attempt-result.ts'
import type { RetryRules } from '../../src/webhook/retry.ts'
import type { WebhookAnswer } from '../../src/webhook/transport.ts'

const NOW = Date.UTC(2026, 0, 1)

const resultOf = (answer: Partial<WebhookAnswer>, rules: RetryRules = {}, secrets: string[] = []) =>
  attemptResultOf(
    {
      ...{ http_status: null, error: null, retry_after: undefined, answer: null },
      ...{ duration_ms: 7, written: true, ...answer },
    },
    { rules, secrets, now: NOW },
  )

describe('the result of an attempt', () => {
  it('is the class and the status of the answer', () => {
    expect(resultOf({ http_status: 204, answer: 'ok' })).toEqual({
      ...{ class: 'delivered', http_status: 204, error: null, answer: 'ok', duration_ms: 7 },
      retry_after_ms: null,
    })
    expect(resultOf({ http_status: 404 })).toMatchObject({ class: 'failed', error: 'http_404' })
    expect(resultOf({ http_status: 500 })).toMatchObject({ class: 'temporary', error: 'http_500' })
    expect(resultOf({ http_status: 404 }, { retryStatuses: [404] }).class).toBe('temporary')
  })

  it('is the code of what went wrong without one', () => {
    expect(resultOf({ error: 'timeout' })).toMatchObject({ class: 'temporary', error: 'timeout' })
    expect(resultOf({ error: 'blocked' })).toMatchObject({ class: 'failed', error: 'blocked' })
    const literally = { retryConnectionErrors: false }
    expect(resultOf({ error: 'connect_refused' }, literally).class).toBe('failed')
  })

  it('has no secrets of the contact in its answer', () => {
    const { answer } = resultOf({ http_status: 400, answer: 'no topsecret' }, {}, ['topsecret'])
    expect(answer).toBe('no ***')
    expect(resultOf({ error: 'timeout' }, {}, ['topsecret']).answer).toBeNull()
  })
})

describe('an attempt that the stop of the engine ended', () => {
  it.each<[string, Partial<WebhookAnswer>, true | undefined]>([
    ['before anything was sent does not count', { error: 'stopped', written: false }, true],
    ['after it was sent counts', { error: 'stopped', written: true }, undefined],
    ['counts otherwise, though nothing was sent', { error: 'timeout', written: false }, undefined],
  ])('%s', (_, answer, uncounted) => {
    expect(resultOf(answer).uncounted).toBe(uncounted)
    expect('uncounted' in resultOf(answer)).toBe(uncounted === true)
  })
})

describe('the pause that a receiver asks for', () => {
  it.each<[string, Partial<WebhookAnswer>, RetryRules, number | null]>([
    ['is heard on 503', { http_status: 503 }, {}, 45_000],
    ['is not heard on 500', { http_status: 500 }, {}, null],
    ['is not heard on 429, which is final', { http_status: 429 }, {}, null],
    [
      'is heard on 429 where that is retried',
      { http_status: 429 },
      { retryStatuses: [429] },
      45_000,
    ],
    ['is not heard on 425 then', { http_status: 425 }, { retryStatuses: [429] }, null],
    ['is not heard without an answer', { error: 'timeout' }, {}, null],
  ])('%s', (_, answer, rules, pause_ms) => {
    expect(resultOf({ retry_after: '45', ...answer }, rules).retry_after_ms).toBe(pause_ms)
  })

  it('may be a time, from now', () => {
    const retry_after = new Date(NOW + 20_000).toUTCString()
    expect(resultOf({ http_status: 503, retry_after }).retry_after_ms).toBe(20_000)
  })
})
