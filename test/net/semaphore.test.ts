import { describe, expect, it } from 'vitest'
import { createSemaphore } from '../../src/net/resolve/semaphore.ts'

const never = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

describe('a semaphore', () => {
  it('lets in so many at a time, the others in order', async () => {
    const semaphore = createSemaphore(2)
    const begun: string[] = []
    const finish = new Map<string, () => void>()
    const work = (name: string) => () => {
      begun.push(name)
      return new Promise<string>((resolve) => finish.set(name, () => resolve(name)))
    }
    const runs = ['a', 'b', 'c', 'd'].map((name) => semaphore.run(never, work(name)))
    await settled()
    expect(begun).toEqual(['a', 'b'])
    finish.get('b')?.()
    await settled()
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const name of ['a', 'c']) finish.get(name)?.()
    await settled()
    finish.get('d')?.()
    expect(await Promise.all(runs)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('gives a free place to another account than the one that had it', async () => {
    const semaphore = createSemaphore(1)
    const begun: string[] = []
    let finish = (): void => undefined
    const work = (name: string) => () => {
      begun.push(name)
      return new Promise<void>((resolve) => (finish = resolve))
    }
    const runs = [
      semaphore.run(never, work('b1'), 2),
      semaphore.run(never, work('b2'), 2),
      semaphore.run(never, work('a1'), 1),
    ]
    for (let n = 0; n < runs.length; n++) {
      finish()
      await settled()
    }
    await Promise.all(runs)
    expect(begun).toEqual(['b1', 'a1', 'b2'])
  })

  it('gives the place of work that fails to the next', async () => {
    const semaphore = createSemaphore(1)
    const failed = semaphore.run(never, () => Promise.reject(new Error('no')))
    const next = semaphore.run(never, () => Promise.resolve('yes'))
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('yes')
  })

  it('keeps the place of work that was given up, and drops what only waited', async () => {
    const semaphore = createSemaphore(1)
    const stop = new AbortController()
    let finish = (): void => undefined
    const stuck = semaphore.run(
      stop.signal,
      () => new Promise<void>((resolve) => (finish = resolve)),
    )
    const dropped = semaphore.run(stop.signal, () => Promise.resolve('never begun'))
    let begun = false
    const next = semaphore.run(never, () => {
      begun = true
      return Promise.resolve('next')
    })
    stop.abort(new Error('enough'))
    await expect(stuck).rejects.toThrow('enough')
    await expect(dropped).rejects.toThrow('enough')
    await settled()
    expect(begun).toBe(false)
    finish()
    expect(await next).toBe('next')
  })
})
