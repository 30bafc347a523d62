import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

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
