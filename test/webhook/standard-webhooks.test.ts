/** The headers of Standard Webhooks: as the project's own library takes them, and as `watchpost/verify` does. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyStandardWebhook } from '../../src/webhook/verify.ts'
import type { VerifyStandardOptions } from '../../src/webhook/verify.ts'
import { rawReceiver } from '../contacts/raw-receiver.ts'
import type { RawRequest } from '../contacts/raw-receiver.ts'
import { delivery, rig, SENT_AT } from './rig.ts'

const secretOf = (bytes: number, fill = 7): string =>
  `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`
const secret = secretOf(24)
const other = secretOf(32, 9)

/** The request of one real delivery. */
async function delivered(settings: Readonly<Record<string, unknown>>): Promise<RawRequest> {
  const server = await rawReceiver()
  const end = await rig().attempt({ url: server.url, ...settings })
  expect(end).toMatchObject({ class: 'delivered' })
  return server.only()
}

function theirs(request: RawRequest, with_secret: string): unknown {
  return new Webhook(with_secret).verify(request.body, request.headers as Record<string, string>)
}

const ours = (
  { body, headers }: Pick<RawRequest, 'body' | 'headers'>,
  options: Partial<VerifyStandardOptions> = {},
) => verifyStandardWebhook({ body, headers, secret, ...options })

describe('a webhook with a standard_secret', () => {
  it('is verified by the library of Standard Webhooks and by ours, beside our own signature', async () => {
    const request = await delivered({ secret: 'our own', standard_secret: secret })
    expect(theirs(request, secret)).toEqual(JSON.parse(request.body))
    expect(() => theirs(request, other)).toThrow()
    expect(ours(request)).toMatchObject({
      ok: true,
      id: `msg_42_${SENT_AT}`,
      event: 'down',
      notificationId: 42,
      secretIndex: 0,
      payload: delivery.payload,
    })
    expect(request.headers['x-service-signature']).toMatch(/^sha256=/)
  })

  it('has the same id at every attempt, and the time of each', async () => {
    const server = await rawReceiver()
    const { attempt } = rig()
    for (const _ of [1, 2]) await attempt({ url: server.url, standard_secret: secret })
    const [first, second] = server.received.map(({ headers }) => headers)
    expect(first?.['webhook-id']).toBe(second?.['webhook-id'])
    expect(Math.abs(Number(second?.['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
  })

  it('is signed with both secrets while one replaces the other', async () => {
    const request = await delivered({ standard_secret: `${other} ${secret}` })
    expect(theirs(request, secret)).toEqual(theirs(request, other))
    expect(ours(request)).toMatchObject({ ok: true, secretIndex: 0 })
    expect(ours(request, { secret: [secretOf(24, 1), other] })).toMatchObject({ secretIndex: 1 })
  })

  it('has none of these headers without it, and nobody else may set them', async () => {
    const { headers } = await delivered({ secret: 'our own' })
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    const server = await rawReceiver()
    await expect(
      async () => await rig().attempt({ url: server.url, headers: { 'Webhook-Id': 'x' } }),
    ).rejects.toThrow(/Webhook-Id cannot be set/)
  })

  it.each([
    ['plain text', /^invalid: whsec_/],
    [secretOf(23), /^invalid: whsec_ and the base64 of 24 to 64 bytes/],
    [secretOf(65), /^invalid: whsec_/],
    [secretOf(24).slice(6), /^invalid: whsec_/],
    [secretOf(24).replace('whsec_', 'secret'), /^invalid: whsec_/],
    [secretOf(25).replace('==', '='), /^invalid: whsec_/],
    [`${secret}!`, /^invalid: whsec_/],
    [`${secret} plain`, /^invalid: whsec_/],
    [`${secret} ${other} ${secret}`, /^out_of_range: 1\.\.2 secrets/],
  ])('is not saved with %s', async (standard_secret, problem) => {
    const { kind } = rig()
    expect(
      await kind.check({ url: 'http://127.0.0.1:9/', method: 'POST', standard_secret }),
    ).toEqual({
      standard_secret: expect.stringMatching(problem),
    })
  })

  it.each([
    ['24 bytes', secretOf(24)],
    ['64 bytes', secretOf(64)],
    ['without padding', secretOf(25).replace(/=+$/, '')],
    ['two, with spaces around and between', `  ${secret} \n ${other} `],
  ])('is saved with %s', async (_, standard_secret) => {
    const { kind } = rig()
    expect(
      await kind.check({ url: 'http://127.0.0.1:9/', method: 'POST', standard_secret }),
    ).toEqual({})
  })

  it('shows its secret in no answer', async () => {
    const server = await rawReceiver()
    const { attempt, kind } = rig()
    expect(kind.fields.standard_secret.info.secret).toBe('value')
    await attempt({ url: server.url, standard_secret: secret })
    expect(JSON.stringify(server.only().headers)).not.toContain(secret.slice(6))
  })
})

describe('verifyStandardWebhook', () => {
  const NOW = Date.UTC(2026, 0, 1)
  const body = JSON.stringify(delivery.payload)
  const signed = (key = secret, at = NOW, id = 'msg_1') => ({
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(at / 1000),
      'webhook-signature': new Webhook(key).sign(id, new Date(at), body),
    },
  })
  const verify = (
    request: ReturnType<typeof signed>,
    options: Partial<VerifyStandardOptions> = {},
  ) => ours(request, { now: NOW, ...options })

  it('takes what the library signs, in every form of headers', () => {
    const request = signed()
    expect(verify(request)).toMatchObject({ ok: true, id: 'msg_1' })
    expect(verify(request, { headers: new Headers(request.headers) })).toMatchObject({ ok: true })
    const fields = { event: 'down', notificationId: 42, payload: delivery.payload }
    expect(verify(request)).toEqual({ ok: true, id: 'msg_1', secretIndex: 0, ...fields })
  })

  it('says which of several secrets has signed, and passes over what is no secret', () => {
    const secrets = ['', 'plain', 'whsec_', `x${secret}`, 'whsec_!!!!', other, ` ${secret} `]
    expect(verify(signed(), { secret: secrets })).toMatchObject({ ok: true, secretIndex: 6 })
    expect(verify(signed(), { secret: [secret, other, secret] })).toMatchObject({ secretIndex: 0 })
  })

  it.each([
    ['plain', 'a secret of another form'],
    ['whsec_', 'an empty one'],
    ['A'.repeat(64), 'one without whsec_'],
    ['whsec_a$==', 'one that is not base64'],
    ['whsec_AAAAA', 'one that base64 cannot have'],
    [`whsec_${'A'.repeat(1028)}`, 'one of more than 1024 characters'],
  ])('has no use for %s, %s', (unusable) => {
    expect(verify(signed(), { secret: unusable })).toEqual({ ok: false, reason: 'no_secret' })
  })

  it('takes a secret of 1024 characters of base64', () => {
    const long = `whsec_${Buffer.alloc(768, 5).toString('base64')}`
    expect(verify(signed(long), { secret: long })).toMatchObject({ ok: true })
  })

  it('compares ten signatures of a request', () => {
    const { headers } = signed()
    const wrong = `v1,${Buffer.alloc(32).toString('base64')} `
    const behind = (count: number) => ({
      body,
      headers: {
        ...headers,
        'webhook-signature': wrong.repeat(count) + headers['webhook-signature'],
      },
    })
    expect(verify(behind(9))).toMatchObject({ ok: true })
    expect(verify(behind(10))).toEqual({ ok: false, reason: 'mismatch' })
  })

  it('takes an id of 256 characters, and a time of 12 digits', () => {
    expect(verify(signed(secret, NOW, 'i'.repeat(256)))).toMatchObject({ ok: true })
    const malformed = { ok: false, reason: 'malformed_header' }
    expect(verify(signed(secret, NOW, 'i'.repeat(257)))).toEqual(malformed)
    for (const id of ['a b', 'a.b', '.a', 'a.', 'a\n']) {
      expect(verify(signed(secret, NOW, id))).toEqual(malformed)
    }
    const at = 999_999_999_999_000
    expect(verify(signed(secret, at), { now: at })).toMatchObject({ ok: true })
    const { headers } = signed()
    for (const timestamp of ['1234567890123', '-1', ' 1', '1 ', '1.5']) {
      const request = { body, headers: { ...headers, 'webhook-timestamp': timestamp } }
      expect(verify(request)).toEqual(malformed)
    }
  })

  it('refuses a header that is repeated: it is ambiguous', () => {
    const { headers } = signed()
    const repeated = { ...headers, 'webhook-id': ['msg_1', 'msg_1'] } as never
    expect(verify({ body, headers: repeated })).toEqual({ ok: false, reason: 'missing_header' })
  })

  it('refuses a signed body that is not ours', () => {
    const id = 'msg_1'
    const text = '{"event":"down"}'
    const { headers } = signed()
    const signature = new Webhook(secret).sign(id, new Date(NOW), text)
    const request = { body: text, headers: { ...headers, 'webhook-signature': signature } }
    expect(verify(request)).toEqual({ ok: false, reason: 'bad_body' })
  })

  it('takes the time of the machine where none is given', () => {
    const at = Math.floor(Date.now() / 1000) * 1000
    expect(ours(signed(secret, at))).toMatchObject({ ok: true })
  })

  it('takes one good signature among others', () => {
    const { headers } = signed()
    const further = `v1a,AAAA v1,${Buffer.alloc(32).toString('base64')} ${headers['webhook-signature']}`
    const request = { body, headers: { ...headers, 'webhook-signature': further } }
    expect(verify(request)).toMatchObject({ ok: true })
  })

  it.each([
    ['another body', { body: `${body} ` }, 'mismatch'],
    ['another secret', { secret: other }, 'mismatch'],
    ['no secret', { secret: undefined }, 'no_secret'],
    ['a secret of another form', { secret: 'plain' }, 'no_secret'],
  ])('refuses %s', (_, options, reason) => {
    expect(verify(signed(), options as Partial<VerifyStandardOptions>)).toEqual({
      ok: false,
      reason,
    })
  })

  it.each([
    ['webhook-id', undefined, 'missing_header'],
    ['webhook-timestamp', '', 'missing_header'],
    ['webhook-signature', undefined, 'missing_header'],
    ['webhook-id', 'msg_2', 'mismatch'],
    ['webhook-id', 'msg.1', 'malformed_header'],
    ['webhook-timestamp', '1e9', 'malformed_header'],
    ['webhook-timestamp', String(NOW / 1000 + 1), 'mismatch'],
    ['webhook-signature', 'v1,short', 'malformed_header'],
    ['webhook-signature', 'v1,AAAA', 'malformed_header'],
    ['webhook-signature', `v2,${'A'.repeat(43)}=`, 'malformed_header'],
    ['webhook-signature', 'sha256=00', 'malformed_header'],
    ['webhook-signature', `v1,${'A'.repeat(43)}=`, 'mismatch'],
  ])('refuses %s: %s', (name, value, reason) => {
    const request = signed()
    const headers = { ...request.headers, [name]: value }
    expect(verify({ body, headers })).toEqual({ ok: false, reason })
  })

  it('refuses an attempt that is older or newer than the window, 5 minutes unless said otherwise', () => {
    for (const sec of [301, -301]) {
      expect(verify(signed(), { now: NOW + sec * 1000 })).toEqual({
        ok: false,
        reason: 'outside_tolerance',
      })
      expect(verify(signed(), { now: NOW + sec * 1000, toleranceSec: 0 })).toMatchObject({
        ok: true,
      })
    }
    expect(verify(signed(), { now: NOW + 300_000 })).toMatchObject({ ok: true })
    expect(verify(signed(), { now: NOW - 300_000 })).toMatchObject({ ok: true })
    expect(verify(signed(), { now: NaN })).toEqual({ ok: false, reason: 'outside_tolerance' })
  })

  it('throws where it is called with a parsed body, or too many secrets', () => {
    expect(() => verify(signed(), { body: {} as never })).toThrow(/raw bytes/)
    expect(() => verify(signed(), { secret: Array<string>(11).fill(secret) })).toThrow(TypeError)
    for (const toleranceSec of [-1, NaN]) {
      expect(() => verify(signed(), { toleranceSec })).toThrow(
        new TypeError('toleranceSec: 0 or more seconds are expected'),
      )
    }
    const wrong = { tolerance: 60 } as Partial<VerifyStandardOptions>
    expect(() => verify(signed(), wrong)).toThrow(/verifyStandardWebhook.*"tolerance"/)
  })
})
