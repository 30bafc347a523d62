import { expect, it } from 'vitest'
import { defineChecker, down } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { silentLogger } from '../../src/logger.ts'
import { createGuard } from '../../src/net/guard/guard.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import type { ScriptedAnswer } from '../../src/testing/recording-transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { verifyWebhook } from '../../src/webhook/verify.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

const broken = defineChecker({
  type: 'broken',
  title: 'Broken',
  description: 'Never works',
  fields: { host: field.host({ description: 'Host' }).required() },
  target: ({ host }) => host,
  run: () => Promise.resolve(down('connect_refused', 'It never works')),
})

const SECRET = 'a-secret-of-the-receiver'

/** The requests of one notification, a `down`, whose answers are told. */
async function deliveredWith(...answers: readonly ScriptedAnswer[]) {
  const transport = recordingTransport()
  const clock = simulatedClock()
  const guard = createGuard({ allowCidrs: ['192.0.2.0/24'] })
  await using engine = createEngine({
    store: memoryStore(),
    checkers: [broken],
    contacts: [webhookContact({ guard, transport })],
    clock,
    logger: silentLogger,
  })
  await engine.start()
  transport.answerWith(...answers)
  await engine.contacts.create({
    kind: 'webhook',
    name: 'ops',
    url: 'https://192.0.2.1/',
    secret: SECRET,
    all_monitors: true,
  })
  await engine.monitors.create({ type: 'broken', name: 'A', host: 'a.test', fail_threshold: 1 })
  await clock.advance(40 * 60_000)
  return transport.requests
}

it('every attempt is the same request: sent_at is the time of the first one', async () => {
  const requests = await deliveredWith(500, 'timeout', 503, 500, 500)
  expect(requests).toHaveLength(5)
  const [first, ...repeated] = requests
  expect(first?.json['sent_at']).toBe(new Date(first?.at ?? 0).toISOString())
  for (const { body, headers } of repeated) {
    expect(Buffer.from(body).toString()).toBe(Buffer.from(first?.body ?? []).toString())
    expect(headers).toEqual(first?.headers)
  }
  const last = requests.at(-1)
  const genuine = {
    body: last?.body ?? '',
    header: last?.header('X-Service-Signature'),
    secret: SECRET,
    now: last?.at ?? 0,
  }
  expect(verifyWebhook(genuine)).toMatchObject({ ok: true })
  expect(verifyWebhook({ ...genuine, toleranceSec: 60 })).toEqual({
    ok: false,
    reason: 'outside_tolerance',
  })
})

it.each([
  ['a 503 puts it off for as long as it asks', { status: 503, retry_after: '45' }, 45, 45],
  ['a date is understood as well', { status: 503, retry_after: 'in 50 s' }, 50, 51],
  ['twice the pause at most', { status: 503, retry_after: '86400' }, 60, 60],
  ['it never comes earlier', { status: 503, retry_after: '1' }, 30, 33],
])('Retry-After: %s', async (_title, { status, retry_after }, least, most) => {
  const at = simulatedClock().now() + 50_000
  const asked = retry_after === 'in 50 s' ? new Date(at).toUTCString() : retry_after
  const [first, second] = await deliveredWith({ status, retry_after: asked })
  const pause_sec = ((second?.at ?? 0) - (first?.at ?? 0)) / 1000
  expect(pause_sec).toBeGreaterThanOrEqual(least - 1)
  expect(pause_sec).toBeLessThanOrEqual(most + 1)
})
