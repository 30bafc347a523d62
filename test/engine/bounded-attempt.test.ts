/** One attempt of a contact kind, which may do anything. */
import { describe, expect, it } from 'vitest'
import { bounded, internalFailure } from '../../src/engine/delivery/bounded-attempt.ts'
import type { Logger } from '../../src/logger.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { AttemptResult } from '../../src/webhook/contact-kind.ts'

const GOOD: AttemptResult = {
  ...{ class: 'delivered', http_status: 200, error: null, answer: 'ok', duration_ms: 5 },
  ...{ retry_after_ms: null },
}
const cut = (error: string, duration_ms: number) => ({
  ...{ class: 'temporary', http_status: null, error, answer: null, duration_ms },
  ...{ retry_after_ms: null },
})

/** An attempt under a clock that stands still until the test moves it. */
function attempt(deliver: (end: (result: AttemptResult) => void) => unknown, stopped = false) {
  const clock = simulatedClock()
  const stop = new AbortController()
  if (stopped) stop.abort()
  const errors: string[] = []
  const log = {
    error: ({ err }: { err?: Error }, text: string) =>
      void errors.push(err === undefined ? text : `${text}: ${err.message}`),
  } as unknown as Logger
  let end: (result: AttemptResult) => void = () => undefined
  const ended = new Promise<AttemptResult>((resolve) => (end = resolve))
  const result = bounded({ clock, log }, stop.signal, () => {
    const given = deliver(end)
    return (given === undefined ? ended : given) as Promise<AttemptResult>
  })
  let seen: AttemptResult | undefined
  void result.then((one) => (seen = one))
  return { clock, stop, errors, result, end, seen: () => seen }
}

describe('the result of an attempt', () => {
  it('is what the kind says, and nothing is left behind', async () => {
    const { result, clock, errors } = attempt(() => Promise.resolve(GOOD))
    expect(await result).toEqual(GOOD)
    expect([clock.pending, errors]).toEqual([0, []])
  })

  it('may be more than is known here', async () => {
    const uncounted = { ...GOOD, class: 'temporary', uncounted: true }
    expect(await attempt(() => Promise.resolve(uncounted)).result).toEqual(uncounted)
  })

  it.each<[string, object, object]>([
    ['a status that is a text', { http_status: '200' }, { http_status: null }],
    ['half a status', { http_status: 200.5 }, { http_status: null }],
    ['no status', { http_status: undefined }, { http_status: null }],
    ['an error that is none', { error: new Error('x') }, { error: null }],
    ['an error', { class: 'failed', error: 'http_400' }, { error: 'http_400' }],
    ['an answer that is no text', { answer: { a: 1 } }, { answer: null }],
    ['a duration that is a text', { duration_ms: '5' }, { duration_ms: 0 }],
    ['a duration without end', { duration_ms: Infinity }, { duration_ms: 0 }],
    ['no duration', { duration_ms: undefined }, { duration_ms: 0 }],
    ['a pause', { retry_after_ms: 5000 }, { retry_after_ms: 5000 }],
    ['a pause without end', { retry_after_ms: Infinity }, { retry_after_ms: null }],
    ['no pause', { retry_after_ms: undefined }, { retry_after_ms: null }],
  ])('with %s is read as one', async (_, given, read) => {
    const { result } = attempt(() => Promise.resolve({ ...GOOD, ...given }))
    expect(await result).toEqual({ ...GOOD, ...given, ...read })
  })

  const NONE = 'The contact kind returned something that is not the result of an attempt'

  it.each<[string, () => unknown, string?]>([
    ['nothing', () => Promise.resolve()],
    ['null', () => Promise.resolve(null)],
    ['a text', () => Promise.resolve('sent')],
    ['another class', () => Promise.resolve({ ...GOOD, class: 'sent' })],
    ['a rejection', () => Promise.reject(new Error('no')), 'no'],
    [
      'an error that is thrown',
      () => {
        throw new Error('no')
      },
      'no',
    ],
  ])('is an internal failure where the kind gives %s', async (_, deliver, why = NONE) => {
    const { result, clock, errors } = attempt(deliver)
    expect(await result).toEqual(cut('internal_error', 0))
    expect(errors).toEqual([`a contact kind failed: ${why}`])
    expect(clock.pending).toBe(0)
    expect(internalFailure(7)).toEqual(cut('internal_error', 7))
  })
})

describe('an attempt that does not end', () => {
  it('is cut off after fourteen seconds', async () => {
    const { clock, seen, errors } = attempt(() => undefined)
    await clock.advance(13_999)
    expect(seen()).toBeUndefined()
    await clock.advance(1)
    expect(seen()).toEqual(cut('timeout', 14_000))
    expect(errors).toEqual(['a contact kind did not end its delivery: timeout'])
    expect(clock.pending).toBe(0)
  })

  it('has 200 ms to end once the engine stops, and may use them', async () => {
    const slow = attempt(() => undefined)
    await slow.clock.advance(1000)
    slow.stop.abort()
    await slow.clock.advance(199)
    expect(slow.seen()).toBeUndefined()
    await slow.clock.advance(1)
    expect(slow.seen()).toEqual(cut('stopped', 1200))
    expect(slow.errors).toEqual(['a contact kind did not end its delivery: stopped'])
    const quick = attempt(() => undefined)
    quick.stop.abort()
    quick.end(GOOD)
    expect(await quick.result).toEqual(GOOD)
    expect(quick.clock.pending).toBe(0)
  })

  it('has no more where the engine stopped before', async () => {
    const { clock, seen } = attempt(() => undefined, true)
    await clock.advance(200)
    expect(seen()).toEqual(cut('stopped', 200))
  })

  it('is as old as its beginning', async () => {
    const clock = simulatedClock()
    await clock.advance(5000)
    const log = { error: () => undefined } as unknown as Logger
    const never = () => new Promise<AttemptResult>(() => undefined)
    const result = bounded({ clock, log }, new AbortController().signal, never)
    await clock.advance(14_000)
    expect(await result).toEqual(cut('timeout', 14_000))
  })

  it('does not hear the stop any more once it has ended', async () => {
    const { clock, stop, result, errors } = attempt(() => Promise.resolve(GOOD))
    await result
    stop.abort()
    expect(clock.pending).toBe(0)
    await clock.advance(1000)
    expect(errors).toEqual([])
  })
})
