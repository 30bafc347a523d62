import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { AttemptResult } from '../../src/webhook/contact-kind.ts'

function made({ slow }: { readonly slow?: Promise<void> } = {}) {
  const clock = simulatedClock()
  const calls: string[] = []
  const probes: ProbeTransport = {
    start() {
      calls.push('start')
      return slow ?? Promise.resolve()
    },
    send: () => Promise.resolve(),
    cancel: () => undefined,
    stop() {
      calls.push('stop')
      return Promise.resolve()
    },
    online: () => true,
  }
  const engine = createEngine({ clock, store: memoryStore({ clock }), checkers: [], probes })
  return { engine, clock, calls }
}

it('an engine that is started twice at once begins once', async () => {
  const { engine, calls } = made()
  await Promise.all([engine.start(), engine.start()])
  expect([engine.running, calls]).toEqual([true, ['start']])
  await engine.stop()
})

it('an engine that is stopped while it starts is stopped whole', async () => {
  const { engine, clock, calls } = made()
  const before = clock.pending
  const started = engine.start()
  await engine.stop()
  await started
  await clock.settle()
  expect([engine.running, calls, clock.pending]).toEqual([false, ['start', 'stop'], before])
  await expect(engine.start()).rejects.toThrow('stopped')
})

it('an engine that is stopped twice at once stops once', async () => {
  const { engine, calls } = made()
  await engine.start()
  await Promise.all([engine.stop({ drainMs: 0 }), engine.stop({ drainMs: 0 })])
  expect(calls).toEqual(['start', 'stop'])
})

it('every call of stop waits until the engine has stopped, and streams have its last events', async () => {
  let arrive = (_result: AttemptResult): void => undefined
  const courier = defineContactKind({
    kind: 'courier',
    title: 'Courier',
    fields: {},
    policy: () => undefined,
    check: () => Promise.resolve({}),
    deliver: () => new Promise((resolve) => (arrive = resolve)),
  })
  const clock = simulatedClock()
  const store = memoryStore({ clock })
  const engine = createEngine({ clock, store, checkers: [], contacts: [courier] })
  await engine.start()
  const stream = engine.events('notification')
  const contact = await engine.contacts.create({ kind: 'courier', name: 'desk' })
  const tested = engine.contacts.test(contact.id)
  await clock.settle()
  const ended: string[] = []
  const first = engine.stop().then(() => ended.push('first'))
  const second = engine.stop().then(() => ended.push('second'))
  await clock.settle()
  expect(ended).toEqual([])
  arrive({
    class: 'delivered',
    http_status: null,
    error: null,
    answer: null,
    duration_ms: 1,
    retry_after_ms: null,
  })
  await tested
  await Promise.all([first, second])
  const seen: string[] = []
  for await (const { payload } of stream) seen.push(payload.status)
  expect(seen).toEqual(['sent'])
})

it('a stop with wrong options is refused, and streams go on', async () => {
  const { engine } = made()
  await engine.start()
  const stream = engine.events('stop')
  await expect(engine.stop({ drainMs: -1 })).rejects.toThrow('drainMs')
  await engine.stop({ drainMs: 7 })
  const seen: number[] = []
  for await (const { payload } of stream) seen.push(payload.drain_ms)
  expect(seen).toEqual([7])
})

it('a start that hangs keeps nobody from stopping, and begins nothing afterwards', async () => {
  let go = (): void => undefined
  const { engine, clock, calls } = made({ slow: new Promise((resolve) => (go = resolve)) })
  const started = engine.start()
  const refused = expect(started).rejects.toThrow('stopped while it started')
  await clock.settle()
  const stopped = engine.stop({ drainMs: 1000 })
  await clock.advance(1000)
  await stopped
  go()
  await refused
  expect([engine.running, calls]).toEqual([false, ['start', 'stop']])
})
