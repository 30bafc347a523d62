import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'

const MONITOR = { type: 'tcp', name: 'n', host: '127.0.0.1', port: 1 } as const

it.each(['create', 'list', 'get'] as const)(
  'monitors.%s, awaited again and again, lets timers fire on a store that answers at once',
  async (call) => {
    const { monitors, stop } = createEngine({
      store: memoryStore(),
      checkers: [tcp()],
      logger: false,
    })
    onTestFinished(() => stop())
    const { id } = await monitors.create(MONITOR)
    const calls = {
      create: () => monitors.create(MONITOR),
      list: () => monitors.list(),
      get: () => monitors.get(id),
    }
    const timer = { fired: false }
    const armed = setTimeout(() => (timer.fired = true), 1)
    const until = systemClock.monotonic() + 2000
    while (!timer.fired && systemClock.monotonic() < until) await calls[call]()
    clearTimeout(armed)
    expect(timer.fired).toBe(true)
  },
)
