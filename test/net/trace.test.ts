import { describe, expect, it } from 'vitest'
import { createTrace } from '../../src/net/timing/trace.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

describe('a trace', () => {
  it('sums a phase that is met again, and is in no phase between two', async () => {
    const clock = simulatedClock()
    const trace = createTrace(clock)
    for (const ms of [10, 20]) await trace.phase('connect', () => clock.advance(ms))
    expect(trace.phases()).toEqual({ connect_ms: 30 })
    expect(trace.current).toBeNull()
  })

  it('keeps the time and the name of a phase that failed', async () => {
    const clock = simulatedClock()
    const trace = createTrace(clock)
    const failing = trace.phase('tls', async () => {
      await clock.advance(15)
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    await clock.advance(100)
    expect(trace.current).toBe('tls')
    expect(trace.phases()).toEqual({ tls_ms: 15 })
  })

  it('counts the phase that is still under way', async () => {
    const clock = simulatedClock()
    const trace = createTrace(clock)
    void trace.phase('first_byte', () => new Promise(() => undefined))
    await clock.advance(3000)
    expect(trace.current).toBe('first_byte')
    expect(trace.phases()).toEqual({ first_byte_ms: 3000 })
  })

  it('keeps the loading of a package out of a phase that runs beside it', async () => {
    const clock = simulatedClock()
    const trace = createTrace(clock)
    const over = trace.begin('resolve')
    await clock.advance(5)
    await trace.loading(() => clock.advance(120))
    await clock.advance(7)
    over()
    expect(trace.phases()).toEqual({ resolve_ms: 12 })
    expect(trace.loading_ms()).toBe(120)
  })

  it('counts packages that load in parallel once, also in a phase that ends meanwhile', async () => {
    const clock = simulatedClock()
    const trace = createTrace(clock)
    const over = trace.begin('resolve')
    await clock.advance(5)
    const loads: (() => void)[] = []
    const load = () => trace.loading(() => new Promise<void>((resolve) => loads.push(resolve)))
    const all = [load(), load()]
    await clock.advance(40)
    over()
    expect(trace.phases()).toEqual({ resolve_ms: 5 })
    expect(trace.loading_ms()).toBe(40)
    await clock.advance(60)
    for (const loaded of loads) loaded()
    await Promise.all(all)
    await clock.advance(3)
    expect(trace.loading_ms()).toBe(100)
  })

  it('keeps the loading of a package out of every phase', async () => {
    const clock = simulatedClock()
    const trace = createTrace(clock)
    await trace.loading(() => clock.advance(120))
    await trace.phase('connect', () => clock.advance(10))
    expect(trace.loading_ms()).toBe(120)
    expect(trace.phases()).toEqual({ connect_ms: 10 })
  })
})
