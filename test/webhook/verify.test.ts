import { describe, expect, expectTypeOf, it } from 'vitest'
import { isWatchpostError } from '../../src/errors.ts'
import { signWebhook } from '../../src/webhook/signature.ts'
import { assertWebhook, createReplayGuard, verifyWebhook } from '../../src/webhook/verify.ts'
import type { VerifyOptions } from '../../src/webhook/verify.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const secret = 'a secret of the contact'
const payload = {
  event: 'down',
  monitor: { id: 1, name: 'Shop', type: 'http', target: 'https://shop.example/' },
  incident: null,
  sent_at: '2026-01-01T12:00:00.000Z',
  notification_id: 42,
}
const body = Buffer.from(JSON.stringify(payload))
const header = signWebhook(secret, body)
const verify = (options: Partial<VerifyOptions> = {}): ReturnType<typeof verifyWebhook> =>
  verifyWebhook({ body, header, secret, now: NOW, ...options })
const signed = (text: string | Buffer): Pick<VerifyOptions, 'body' | 'header'> => ({
  body: text,
  header: signWebhook(secret, text),
})
const sentAt = (sent_at: unknown) => signed(JSON.stringify({ ...payload, sent_at }))
const refused = (reason: string) => ({ ok: false, reason })

describe('verifyWebhook', () => {
  it('tells event, notification and body of a genuine request', () => {
    expect(verify()).toEqual({
      ok: true,
      event: 'down',
      notificationId: 42,
      secretIndex: 0,
      payload,
    })
  })

  it('answers at once', () => {
    expectTypeOf(verifyWebhook).returns.not.toExtend<Promise<unknown>>()
  })

  it('takes the body in every form of bytes, and as text', () => {
    const framed = Buffer.concat([Buffer.from('xx'), body, Buffer.from('yy')])
    const view = framed.subarray(2, 2 + body.length)
    const own = Uint8Array.from(body)
    const forms = [view, own, own.buffer, new DataView(own.buffer), body.toString('utf8')]
    for (const form of forms) expect(verify({ body: form })).toMatchObject({ ok: true })
  })

  it.each([[payload], [{}], [[...body]], [null], [undefined], [42]])(
    'throws a TypeError with a hint for a body that is not raw: %j',
    (parsed) => {
      expect(() => verify({ body: parsed as never })).toThrow(
        'body: the raw bytes of the request are expected, before anything has parsed them ' +
          '(express.raw({ type: "application/json" }), await request.arrayBuffer(), …)',
      )
      expect(() => verify({ body: parsed as never })).toThrow(TypeError)
    },
  )

  it('tells bodies apart that differ in invalid UTF-8 only', () => {
    const text = (byte: number): Buffer =>
      Buffer.concat([
        Buffer.from('{"event":"test","notification_id":1,"name":"'),
        Buffer.from([byte]),
        Buffer.from('"}'),
      ])
    const genuine = signed(text(0xff))
    expect(verify({ ...genuine, toleranceSec: 0 })).toMatchObject({ ok: true })
    for (const other of [text(0xfe), Buffer.from(text(0xff).toString('utf8'))]) {
      const forged = { ...genuine, body: other, toleranceSec: 0 }
      expect(verify(forged)).toEqual(refused('mismatch'))
    }
  })

  it('notices every changed bit of the body', () => {
    for (let at = 0; at < body.length; at += 7) {
      const changed = Buffer.from(body)
      changed[at]! ^= 1
      expect(verify({ body: changed })).toEqual(refused('mismatch'))
    }
    expect(verify({ body: body.subarray(1) })).toEqual(refused('mismatch'))
    expect(verify({ body: Buffer.concat([body, Buffer.from('\n')]) })).toEqual(refused('mismatch'))
  })

  it('notices every changed digit of the signature', () => {
    for (let at = 7; at < header.length; at++) {
      const digit = header[at] === '0' ? '1' : '0'
      const changed = header.slice(0, at) + digit + header.slice(at + 1)
      expect(verify({ header: changed })).toEqual(refused('mismatch'))
    }
  })

  it.each([undefined, null, []])('reports a missing header: %j', (missing) => {
    expect(verify({ header: missing })).toEqual(refused('missing_header'))
  })

  const hex = header.slice(7)
  it.each([
    '',
    hex,
    `sha256=`,
    `sha1=${hex}`,
    `SHA256=${hex}`,
    `sha256=${hex.toUpperCase()}`,
    `sha256=${hex}\n`,
    ` ${header}`,
    `${header} `,
    `sha256= ${hex.slice(1)}`,
    `sha256=${hex.slice(2)}`,
    `sha256=${hex}00`,
    `sha256=${hex.slice(0, 62)}zz`,
    `sha256=${hex.slice(0, 63)}\n`,
    `sha256=0x${hex.slice(2)}`,
    `sha256=${'٠'.repeat(64)}`,
    `${header},${header}`,
    `${header}, ${header}`,
    `v1=${hex}`,
  ])('refuses the form %j', (malformed) => {
    expect(verify({ header: malformed })).toEqual(refused('malformed_header'))
  })

  it('takes a list of exactly one header', () => {
    expect(verify({ header: [header] })).toMatchObject({ ok: true })
    expect(verify({ header: [header, header] })).toEqual(refused('malformed_header'))
    expect(verify({ header: [42] as never })).toEqual(refused('malformed_header'))
    expect(verify({ header: {} as never })).toEqual(refused('malformed_header'))
  })

  it('accepts any of several secrets while one replaces another, and says which', () => {
    expect(verify({ secret: ['old', secret] })).toMatchObject({ ok: true, secretIndex: 1 })
    expect(verify({ secret: [secret, 'new', secret] })).toMatchObject({ secretIndex: 0 })
    expect(verify({ secret: ['', null, undefined, secret] })).toMatchObject({ secretIndex: 3 })
    expect(verify({ secret: Buffer.from(secret) })).toMatchObject({ ok: true })
    expect(verify({ secret: ['old', 'new'] })).toEqual(refused('mismatch'))
    expect(verify({ secret: `${secret} ` })).toEqual(refused('mismatch'))
  })

  it('never takes an empty or missing secret for one', () => {
    const emptily = { body, header: `sha256=${'0'.repeat(64)}`, now: NOW }
    for (const none of ['', null, undefined, [], [''], [null], new Uint8Array(0)]) {
      expect(verifyWebhook({ ...emptily, secret: none })).toEqual(refused('no_secret'))
    }
    expect(verify({ secret: [42] as never })).toEqual(refused('no_secret'))
  })

  it('throws for more than ten secrets', () => {
    expect(verify({ secret: [...Array<string>(9).fill('x'), secret] })).toMatchObject({ ok: true })
    expect(() => verify({ secret: Array<string>(11).fill(secret) })).toThrow(
      new TypeError('secret: at most 10 are expected'),
    )
  })

  it.each([
    [900, 0, true],
    [900, 900_000, true],
    [900, 900_001, false],
    [900, -900_000, true],
    [900, -900_001, false],
    [1, 1001, false],
    [0, 1e12, true],
    [Infinity, 1e12, true],
  ])('with a tolerance of %d s accepts an age of %d ms: %s', (toleranceSec, age_ms, ok) => {
    const result = verify({ toleranceSec, now: NOW + age_ms })
    expect(result).toMatchObject(ok ? { ok } : refused('outside_tolerance'))
  })

  it('has a tolerance of 900 s by default and takes now as number, Date or function', () => {
    expect(verify({ now: new Date(NOW + 900_000) })).toMatchObject({ ok: true })
    expect(verify({ now: () => NOW + 900_000 })).toMatchObject({ ok: true })
    expect(verify({ now: () => NOW + 900_001 })).toEqual(refused('outside_tolerance'))
    expect(verifyWebhook({ body, header, secret })).toEqual(refused('outside_tolerance'))
    expect(verify({ now: NaN })).toEqual(refused('outside_tolerance'))
    const wrong = new TypeError('toleranceSec: 0 or more seconds are expected')
    expect(() => verify({ toleranceSec: NaN })).toThrow(wrong)
    expect(() => verify({ toleranceSec: -1 })).toThrow(wrong)
  })

  it('takes the time of the machine where none is given', () => {
    const fresh = sentAt(new Date().toISOString())
    expect(verifyWebhook({ ...fresh, secret })).toMatchObject({ ok: true })
  })

  it('names an option that there is none of', () => {
    const wrong = { body, header, secret, tolerance: 60 } as VerifyOptions
    expect(() => verifyWebhook(wrong)).toThrow(/verifyWebhook.*"tolerance"/)
  })

  it('does not look at the age before the signature', () => {
    const forged = Buffer.from(JSON.stringify({ ...payload, sent_at: 'x' }))
    expect(verify({ body: forged })).toEqual(refused('mismatch'))
  })

  it.each([
    undefined,
    null,
    NOW,
    '2026-01-01T12:00:00Z',
    '2026-01-01T12:00:00.000+00:00',
    '2026-01-01 12:00:00.000Z',
    ' 2026-01-01T12:00:00.000Z',
    '2026-01-01T12:00:00.000Z\n',
    '2026-13-01T12:00:00.000Z',
    '+002026-01-01T12:00:00.000Z',
    '2026-01-01T12:00:00.000Zx',
  ])('refuses sent_at in the form %j', (sent_at) => {
    expect(verify(sentAt(sent_at))).toEqual(refused('bad_body'))
  })

  it.each([
    '',
    'hello',
    '[]',
    'null',
    '42',
    '{}',
    '{"event":"test"}',
    '{"event":1,"notification_id":1}',
    '{"event":"test","notification_id":"1"}',
    '{"event":"test","notification_id":1.5}',
    '[{"event":"test","notification_id":1}]',
    '{"notification_id":1}',
  ])('reports a signed body that is not ours: %j', (text) => {
    expect(verify({ ...signed(text), toleranceSec: 0 })).toEqual(refused('bad_body'))
  })
})

describe('assertWebhook', () => {
  it('returns what verifyWebhook does', () => {
    expect(assertWebhook({ body, header, secret, now: NOW })).toEqual(verify())
  })

  it('throws the same text for every reason, and keeps the reason for the log', () => {
    const errors = [
      { header: undefined },
      { header: 'x' },
      { secret: '' },
      { secret: 'y' },
      { now: 0 },
    ].map((wrong) => {
      try {
        return assertWebhook({ body, header, secret, now: NOW, ...wrong })
      } catch (error) {
        return error as Error & { readonly reason: string }
      }
    }) as (Error & { readonly reason: string })[]
    for (const { message, name } of errors) {
      expect(message).toBe('The webhook could not be verified')
      expect(name).toBe('WebhookVerificationError')
    }
    expect(errors).toMatchObject(errors.map(() => ({ code: 'webhook_not_verified' })))
    expect(errors.map(({ reason }) => reason)).toEqual([
      'missing_header',
      'malformed_header',
      'no_secret',
      'mismatch',
      'outside_tolerance',
    ])
    expect(errors.every(isWatchpostError)).toBe(true)
    expect(errors.map((error) => JSON.stringify(error)).join()).not.toMatch(
      /mismatch|tolerance|secret/,
    )
  })
})

describe('createReplayGuard', () => {
  it('accepts a notification once', () => {
    const guard = createReplayGuard({ now: () => 0 })
    expect([guard.accept(1), guard.accept(2), guard.accept(1), guard.accept(2)]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('accepts it again after the work on it has failed', () => {
    const guard = createReplayGuard({ now: () => 0 })
    guard.accept(1)
    guard.forget(1)
    expect(guard.accept(1)).toBe(true)
  })

  it('remembers for ttlSec seconds', () => {
    let at = 0
    const guard = createReplayGuard({ ttlSec: 10, now: () => at })
    guard.accept(1)
    at = 9999
    expect(guard.accept(1)).toBe(false)
    at = 10_000
    expect(guard.accept(1)).toBe(true)
  })

  it('holds at most max notifications, and lets the oldest go', () => {
    const guard = createReplayGuard({ max: 3, now: () => 0 })
    for (const id of [1, 2, 3, 4]) guard.accept(id)
    expect([4, 3, 2].map((id) => guard.accept(id))).toEqual([false, false, false])
    expect(guard.accept(1)).toBe(true)
  })

  it('remembers for half an hour, and 10000 notifications, unless told otherwise', () => {
    let at = 0
    const guard = createReplayGuard({ now: () => at })
    guard.accept(1)
    at = 1_799_999
    expect(guard.accept(1)).toBe(false)
    at = 1_800_000
    expect(guard.accept(1)).toBe(true)
    for (let id = 2; id <= 10_000; id++) guard.accept(id)
    expect(guard.accept(1)).toBe(false)
    guard.accept(10_001)
    expect(guard.accept(1)).toBe(true)
  })

  it('goes by the clock of the machine unless told otherwise', () => {
    const guard = createReplayGuard()
    expect([guard.accept(1), guard.accept(1)]).toEqual([true, false])
  })

  it('keeps one notification where max is 1', () => {
    const guard = createReplayGuard({ max: 1, now: () => 0 })
    expect([guard.accept(1), guard.accept(1), guard.accept(2), guard.accept(1)]).toEqual([
      true,
      false,
      true,
      true,
    ])
  })

  it('refuses bounds that make no sense', () => {
    for (const ttlSec of [0, -1, NaN]) {
      expect(() => createReplayGuard({ ttlSec })).toThrow(
        new TypeError('ttlSec: a number above 0 is expected'),
      )
    }
    for (const max of [0, 1.5, -1, NaN]) {
      expect(() => createReplayGuard({ max })).toThrow(
        new TypeError('max: an integer above 0 is expected'),
      )
    }
    expect(() => createReplayGuard({ ttl: 5 } as never)).toThrow(/createReplayGuard.*"ttl"/)
  })
})
