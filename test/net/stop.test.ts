import { describe, expect, it } from 'vitest'
import { createStop, orAborted } from '../../src/net/timing/stop.ts'

const REASON = new Error('time is up')

describe('the early end of a check', () => {
  it('is told once to everybody who listens, with the first reason', () => {
    const stop = createStop()
    const heard: string[] = []
    const left = (): void => void heard.push('left')
    stop.addEventListener('abort', () => heard.push('one'), { once: true })
    stop.addEventListener('abort', left, { once: true })
    stop.addEventListener('abort', () => heard.push('two'), { once: true })
    stop.removeEventListener('abort', left)
    expect(() => stop.throwIfAborted()).not.toThrow()
    stop.abort(REASON)
    stop.abort(new Error('later'))
    expect(heard).toEqual(['one', 'two'])
    expect(stop.aborted).toBe(true)
    expect(() => stop.throwIfAborted()).toThrow(REASON)
  })

  it('ends every wait with its reason', async () => {
    const stop = createStop()
    const waiting = orAborted(stop, new Promise(() => undefined))
    stop.abort(REASON)
    await expect(waiting).rejects.toBe(REASON)
    await expect(orAborted(stop, Promise.resolve(1))).rejects.toBe(REASON)
  })

  it('reaches the signal of the platform, whether that was asked for before or after', () => {
    const before = createStop()
    const signal = before.platformSignal()
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(signal.aborted).toBe(false)
    before.abort(REASON)
    expect(signal.reason).toBe(REASON)
    expect(before.platformSignal()).toBe(signal)

    const after = createStop()
    after.abort(REASON)
    expect(after.platformSignal().reason).toBe(REASON)
  })
})
