/** Requests with an `Idempotency-Key`, on a place for responses and locks that is the test's own. */
import { describe, expect, it } from 'vitest'
import type { RepeatableResponse } from '../../src/engine/services/request-services.ts'
import type { Reply } from '../../src/rest/envelope.ts'
import { idempotency } from '../../src/rest/idempotency.ts'
import type { JsonObject } from '../../src/model.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

interface Asking {
  readonly key?: string
  readonly method?: string
  readonly path?: string
  readonly body?: JsonObject
  readonly account_id?: number
}

/** `locked`: the store is shared, and its locks are taken and released as the test says. */
function repeating({ locked = false } = {}) {
  const clock = simulatedClock()
  const responses = new Map<string, RepeatableResponse>()
  const locks = new Set<string>()
  const logged: unknown[] = []
  const runningRepeatable = new Map<string, Promise<unknown>>()
  const trouble = { put: false, release: false }
  const refused = () => Promise.reject(new Error('the disk is full'))
  let tries = 0
  const idempotencyLocks = {
    acquire(account_id: number, key: string) {
      tries += 1
      const lock = `${account_id} ${key}`
      if (locks.has(lock)) return Promise.resolve(undefined)
      locks.add(lock)
      return Promise.resolve(() => {
        locks.delete(lock)
        return trouble.release ? refused() : Promise.resolve()
      })
    },
  }
  const { once } = idempotency({
    clock,
    logger: { warn: (...what: unknown[]) => void logged.push(what) } as never,
    whileWaiting: (_account_id, wait) => wait(),
    services: {
      ...(locked ? { idempotencyLocks } : {}),
      runningRepeatable,
      idempotencyResponses: {
        get: (account_id, key) => Promise.resolve(responses.get(`${account_id} ${key}`)),
        put(account_id, key, response) {
          if (trouble.put) return refused()
          responses.set(`${account_id} ${key}`, response)
          return Promise.resolve()
        },
      },
    },
  })
  let count = 0
  const made = (): Promise<Reply> =>
    Promise.resolve({ status: 201, body: { n: ++count }, headers: { Location: '/x' } } as never)
  return {
    ...{ clock, responses, locks, logged, runningRepeatable, trouble },
    tries: () => tries,
    /** What the request gets: its answer, or the code of its error. */
    async ask(
      { key = 'k', method = 'POST', path = '/a', body = {}, account_id = 1 }: Asking = {},
      work: () => Promise<Reply> = made,
    ): Promise<unknown> {
      const headers = key === '' ? {} : { 'idempotency-key': key }
      const request = new Request('http://a.example/a', { method, headers })
      const admitted = () => Promise.resolve()
      return once({ request, account_id, path, body, admitted }, work).catch(
        (error: { readonly code?: string; readonly error?: string }) => error,
      )
    },
  }
}

const first = { status: 201, body: { n: 1 }, headers: { Location: '/x' } }
const replayed = { ...first, headers: { Location: '/x', 'Idempotent-Replayed': 'true' } }
const second = { ...first, body: { n: 2 } }
const inProgress = {
  failure: {
    ...{ status: 409, error: 'idempotency_in_progress', retry_after: 10 },
    message: 'An equal request is still being worked on',
  },
}

describe('a request with a key', () => {
  it('is answered from what is kept', async () => {
    const { ask } = repeating()
    expect([await ask(), await ask()]).toEqual([first, replayed])
  })

  it('is another one of another account, or under another key', async () => {
    const { ask } = repeating()
    expect(await ask()).toEqual(first)
    expect(await ask({ key: 'l' })).toEqual(second)
    expect(await ask({ account_id: 2 })).toMatchObject({ body: { n: 3 } })
    expect(await ask({ key: '' })).toMatchObject({ body: { n: 4 } })
    expect(await ask({ key: '' })).toMatchObject({ body: { n: 5 } })
  })

  it.each<Asking>([{ method: 'PUT' }, { path: '/b' }, { body: { a: 1 } }])(
    'is a conflict where it is %j',
    async (change) => {
      const { ask } = repeating()
      await ask()
      expect(await ask(change)).toMatchObject({
        ...{ code: 'idempotency_conflict' },
        message: 'This Idempotency-Key was used for another request',
      })
    },
  )

  it('is carried out again where it failed, and a failure is not kept', async () => {
    const { ask, responses } = repeating()
    const failing = () => Promise.reject(new Error('no'))
    expect(await ask({}, failing)).toEqual(new Error('no'))
    expect(responses.size).toBe(0)
    expect(await ask()).toEqual(first)
  })

  it('is answered though the answer cannot be kept', async () => {
    const { ask, trouble, logged } = repeating()
    trouble.put = true
    expect(await ask()).toEqual(first)
    expect(logged).toEqual([
      [
        { err: new Error('the disk is full') },
        'a response could not be stored for its Idempotency-Key',
      ],
    ])
  })

  it('has a key of 255 characters at most', async () => {
    const { ask } = repeating()
    const key = 'x'.repeat(255)
    expect([await ask({ key }), await ask({ key })]).toEqual([first, replayed])
  })

  it.each(['a b', 'ä', 'x'.repeat(256)])('%j is refused', async (key) => {
    const encoded = key === 'ä' ? '\u00e4' : key
    expect(await repeating().ask({ key: encoded })).toMatchObject({
      fields: { 'Idempotency-Key': 'invalid: 1..255 visible ASCII characters are expected' },
    })
  })
})

describe('equal requests at the same time', () => {
  /** A request that ends when the test says so. */
  async function running() {
    const all = repeating()
    let end = (_: Reply): void => undefined
    const one = all.ask({}, () => new Promise((resolve) => (end = resolve)))
    await all.clock.settle()
    return { ...all, one, end: () => end(first) }
  }

  it('are carried out once, one after the other, and forgotten then', async () => {
    const { ask, one, end, clock, runningRepeatable } = await running()
    const others = [ask(), ask()]
    await clock.settle()
    end()
    expect([await one, ...(await Promise.all(others))]).toEqual([first, replayed, replayed])
    await clock.settle()
    expect([runningRepeatable.size, clock.pending]).toEqual([0, 0])
  })

  it('are forgotten where there was one', async () => {
    const { one, end, clock, runningRepeatable } = await running()
    expect(runningRepeatable.size).toBe(1)
    end()
    await one
    await clock.settle()
    expect(runningRepeatable.size).toBe(0)
  })

  it('of others do not wait', async () => {
    const { ask, one, end } = await running()
    expect(await ask({ key: 'l' })).toMatchObject({ status: 201 })
    expect(await ask({ account_id: 2 })).toMatchObject({ status: 201 })
    end()
    await one
  })

  it('wait for a minute at most', async () => {
    const { ask, one, end, clock } = await running()
    let got: unknown
    const waiting = ask().then((answer) => (got = answer))
    await clock.advance(59_999)
    expect(got).toBeUndefined()
    await clock.advance(1)
    await waiting
    expect(got).toMatchObject(inProgress)
    end()
    expect(await one).toEqual(first)
    expect(await ask()).toEqual(replayed)
  })

  it('are carried out by the next where the first fails', async () => {
    const { ask, clock } = repeating()
    let fail = (_: Error): void => undefined
    const one = ask({}, () => new Promise((_, reject) => (fail = reject)))
    await clock.settle()
    const other = ask()
    fail(new Error('no'))
    expect([await one, await other]).toEqual([new Error('no'), first])
  })

  it('wait for the next as well, while it is carried out', async () => {
    const { ask, clock } = repeating()
    const ends: (() => void)[] = []
    const failing = () =>
      new Promise<Reply>((_, reject) => void ends.push(() => reject(new Error('no'))))
    const asked = [ask({}, failing), ask({}, failing)]
    await clock.settle()
    ends[0]?.()
    await clock.settle()
    asked.push(ask({}, failing))
    await clock.settle()
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await clock.settle()
    ends[2]?.()
    expect(await Promise.all(asked)).toEqual(Array(3).fill(new Error('no')))
  })
})

describe('an equal request of another process', () => {
  it('is waited for, four times a second, for a minute at most', async () => {
    const { ask, locks, clock, tries } = repeating({ locked: true })
    locks.add('1 k')
    let got: unknown
    const waiting = ask().then((answer) => (got = answer))
    await clock.advance(1000)
    expect(tries()).toBe(5)
    locks.delete('1 k')
    await clock.advance(250)
    await waiting
    expect([got, locks.size]).toEqual([first, 0])

    locks.add('1 k')
    got = undefined
    const late = ask().then((answer) => (got = answer))
    await clock.advance(59_999)
    expect(got).toBeUndefined()
    await clock.advance(1)
    await late
    expect(got).toMatchObject(inProgress)
  })

  it('finds the lock free after a failure, and where it could not be given back', async () => {
    const { ask, locks, trouble, logged } = repeating({ locked: true })
    await ask({}, () => Promise.reject(new Error('no')))
    expect(locks.size).toBe(0)
    trouble.release = true
    expect(await ask()).toEqual(first)
    expect(logged).toEqual([
      [{ err: new Error('the disk is full') }, 'an idempotency lock could not be released'],
    ])
  })
})
