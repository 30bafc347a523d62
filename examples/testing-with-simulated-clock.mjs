/**
 * A day of monitoring in some milliseconds: a clock that moves when it is told to, a checker that says
 * what the test wants, and a webhook transport that keeps what it is given.
 *
 *   node --test examples/testing-with-simulated-clock.mjs
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, defineChecker, down, field, up } from 'watchpost'
import { memoryStore } from 'watchpost/store/memory'
import { recordingTransport, simulatedClock } from 'watchpost/testing'
import { webhookContact } from 'watchpost/webhook'

const MINUTE = 60_000

await test('an outage at night is told once, repeated twice, and its end is told', async () => {
  const clock = simulatedClock({ now: Date.UTC(2026, 0, 1) })
  const webhooks = recordingTransport()
  const shop = { works: true }
  const engine = createEngine({
    store: memoryStore({ clock }),
    clock,
    checkers: [scripted(shop)],
    contacts: [webhookContact({ transport: webhooks, guard: { allowCidrs: ['127.0.0.1/32'] } })],
  })
  await engine.start()
  await engine.contacts.create({
    kind: 'webhook',
    name: 'ops',
    url: 'http://127.0.0.1/hook',
    secret: 'a secret',
    all_monitors: true,
  })
  const { id } = await engine.monitors.create({
    type: 'scripted',
    name: 'Shop',
    host: 'shop.example.com',
    notify_repeat_min: 60,
    notify_repeat_max: 2,
  })

  await clock.advance(30 * MINUTE)
  assert.equal((await engine.monitors.get(id)).state, 'up')

  shop.works = false
  webhooks.answerWith(503) // the receiver is not well either; the second attempt arrives
  await clock.advance(300 * MINUTE)
  shop.works = true
  await clock.advance(30 * MINUTE)

  const arrived = webhooks.requests.slice(1)
  assert.deepEqual(
    arrived.map(({ json }) => json.event),
    ['down', 'repeat', 'repeat', 'up'],
  )
  assert.equal(arrived[0]?.verify('a secret').ok, true)

  const { items } = await engine.incidents.list({ monitor_id: id })
  assert.equal(items.length, 1)
  assert.equal(items[0]?.duration_sec, 300 * 60)
  await engine.stop()
})

/** @param {{ works: boolean }} shop */
function scripted(shop) {
  return defineChecker({
    type: 'scripted',
    title: 'Scripted',
    description: 'Says what the test wants.',
    fields: { host: field.host({ description: 'Host' }).required() },
    causes: { broken: { text: 'It is broken' } },
    target: ({ host }) => host,
    run: () => Promise.resolve(shop.works ? up() : down('broken', 'It is broken')),
  })
}
