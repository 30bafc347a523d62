import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { slidingLog } from '../../src/engine/core/sliding-log.ts'
import { DEFAULT_RATE, rateHeaders } from '../../src/rest/rate-limit.ts'
import type { Taken } from '../../src/rest/rate-limit.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { Requests } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

function setUp() {
  const clock = simulatedClock()
  const log = slidingLog(clock)
  const { requests: limit, windowSec } = DEFAULT_RATE
  const take = (id: number | string = 'a'): Taken =>
    log.take(String(id), { limit, window_ms: windowSec * 1000 })
  return { clock, log, take }
}

describe('the request limit', () => {
  it('lets 60 requests pass and refuses the next', () => {
    const { take } = setUp()
    const taken = Array.from({ length: 61 }, () => take())
    expect(taken.map(({ allowed }) => allowed).indexOf(false)).toBe(60)
    expect(taken[0]).toEqual({ allowed: true, remaining: 59, reset_ms: 60_000 })
    expect(taken[60]).toEqual({ allowed: false, remaining: 0, reset_ms: 60_000 })
  })

  it('frees one place when the oldest request is a minute old, not all of them', async () => {
    const { clock, take } = setUp()
    take()
    await clock.advance(10_000)
    for (let n = 0; n < 59; n++) take()
    await clock.advance(49_999)
    expect(take()).toEqual({ allowed: false, remaining: 0, reset_ms: 1 })
    await clock.advance(1)
    expect([take().allowed, take().allowed]).toEqual([true, false])
  })

  it('does not count refused requests: whoever keeps asking is let in again', async () => {
    const { clock, take } = setUp()
    for (let n = 0; n < 60; n++) take()
    for (let n = 0; n < 59; n++) {
      await clock.advance(1000)
      expect(take().allowed).toBe(false)
    }
    await clock.advance(1000)
    expect(take().allowed).toBe(true)
  })

  it('counts each key by itself', () => {
    const { take } = setUp()
    for (let n = 0; n < 61; n++) take('a')
    expect(take('b')).toMatchObject({ allowed: true, remaining: 59 })
  })

  it('is not moved by the wall clock', () => {
    const { clock, take } = setUp()
    for (let n = 0; n < 60; n++) take()
    clock.jump(3_600_000)
    expect(take().allowed).toBe(false)
  })

  it('counts keys of two accounts apart, whatever the host calls them', async () => {
    const clock = simulatedClock()
    const engine = createEngine({ store: memoryStore({ clock }), checkers: [], clock })
    await engine.open()
    await engine.accounts.create({ name: 'second' })
    const authenticate = (request: Request) => ({
      account_id: Number(request.headers.get('x-account')),
      key: { id: 'session' },
    })
    const { fetch } = createRest(engine, { clock, authenticate })
    const ask = (account: string) =>
      fetch(new Request('http://localhost/api/v1/types', { headers: { 'x-account': account } }))
    for (let n = 0; n < 61; n++) await ask('1')
    expect((await ask('1')).status).toBe(429)
    expect((await ask('2')).headers.get('x-ratelimit-remaining')).toBe('59')
  })

  it('never lets more than 60 pass in any 60 seconds, refuses nothing else, and keeps keys apart', async () => {
    // Bursts and pauses of three keys; what is right is counted again from all that has passed.
    const arrival = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      requests: fc.integer({ min: 1, max: 40 }),
      pause_ms: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 3000 }),
        fc.constantFrom(19_999, 20_000, 59_999, 60_000, 60_001, 200_000),
      ),
    })
    const arrivals = fc.array(arrival, { minLength: 10, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(arrivals, async (bursts) => {
        const { clock, take } = setUp()
        const passed = new Map<string, number[]>()
        for (const { key, requests, pause_ms } of bursts) {
          await clock.advance(pause_ms)
          const times = passed.get(key) ?? []
          passed.set(key, times)
          for (let n = 0; n < requests; n++) {
            const now = clock.monotonic()
            const within = times.filter((at) => now - at < 60_000).length
            const { allowed, remaining } = take(key)
            if (allowed) times.push(now)
            expect({ allowed, remaining }).toEqual({
              allowed: within < 60,
              remaining: Math.max(0, 59 - within),
            })
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('opens exactly when it says, to a refused key', async () => {
    const { clock, take } = setUp()
    for (let n = 0; n < 60; n++) {
      take()
      await clock.advance(n * 7)
    }
    const { allowed, reset_ms } = take()
    await clock.advance(reset_ms - 1)
    const early = take().allowed
    await clock.advance(1)
    expect([allowed, early, take().allowed]).toEqual([false, false, true])
  })

  it('forgets keys that no longer ask, and remembers 60 times of each at most', async () => {
    const { clock, log, take } = setUp()
    for (let id = 0; id < 20_000; id++) take(id)
    expect(log.size).toBe(20_000)
    await clock.advance(60_000)
    take('a')
    expect(log.size).toBe(1)
    for (let minute = 0; minute < 50; minute++) {
      for (let id = 0; id < 100; id++) take(`${minute}.${id}`)
      await clock.advance(60_000)
      expect(log.size).toBeLessThanOrEqual(200)
    }
  })

  it('forgets keys of a short window also beside those of a long one', async () => {
    const { clock, log, take } = setUp()
    log.take('keys made', { limit: 20, window_ms: 3_600_000 })
    for (let minute = 0; minute < 30; minute++) {
      for (let id = 0; id < 100; id++) take(`${minute}.${id}`)
      await clock.advance(60_000)
      expect(log.size).toBeLessThanOrEqual(201)
    }
  })

  it('is told in both families of headers', () => {
    const { clock } = setUp()
    expect(
      rateHeaders(DEFAULT_RATE, { allowed: true, remaining: 12, reset_ms: 16_200 }, clock),
    ).toEqual({
      'RateLimit-Policy': '"key";q=60;w=60',
      RateLimit: '"key";r=12;t=17',
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '12',
      'X-RateLimit-Reset': String(Date.UTC(2026, 0, 1) / 1000 + 17),
    })
  })

  it('is that of the key where as much is left to the account', () => {
    const { clock } = setUp()
    const account = { remaining: 12, reset_ms: 1000, full: false }
    const taken = { allowed: true, remaining: 12, reset_ms: 16_200, account }
    expect(rateHeaders(DEFAULT_RATE, taken, clock)).toMatchObject({
      'X-RateLimit-Reset': String(Date.UTC(2026, 0, 1) / 1000 + 17),
    })
  })
})

const KEY = 'a-key-of-the-engine'

describe('the request limit of processes that share a store', () => {
  /** The engine of one process; the store counts, and tells what it was asked. */
  async function setUpShared() {
    const clock = simulatedClock()
    const asked: object[] = []
    const requests: Requests = {
      async admit(request) {
        asked.push(request)
        const retry_at = asked.length > 1 ? request.now + 1500 : null
        return { admitted: retry_at === null, remaining: 59, retry_at }
      },
    }
    const store = { ...memoryStore({ clock }), requests }
    const engine = createEngine({ store, checkers: [], clock })
    await engine.keys.create({ key: KEY })
    return { clock, engine, asked }
  }
  const me = (): Request =>
    new Request('http://localhost/api/v1/me', { headers: { authorization: `Bearer ${KEY}` } })

  it('is counted in the store, by the id of the key', async () => {
    const { clock, engine, asked } = await setUpShared()
    const { fetch } = createRest(engine, { clock })
    const [first, second] = [await fetch(me()), await fetch(me())]
    expect([first.status, first.headers.get('ratelimit')]).toEqual([
      200,
      '"key";r=59;t=60, "account";r=599;t=60',
    ])
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '2'])
    expect(asked[0]).toEqual({ key_id: 1, now: clock.now(), window_ms: 60_000, limit: 60 })
  })

  it('is counted in the process for keys of the host, which the store does not know', async () => {
    const { clock, engine, asked } = await setUpShared()
    const authenticate = () => ({ account_id: 1, key: { id: 'session' } })
    const { fetch } = createRest(engine, { clock, authenticate })
    for (let n = 0; n < 60; n++) await fetch(me())
    expect([(await fetch(me())).status, asked]).toEqual([429, []])
  })
})

describe('the request limit of an account', () => {
  async function setUpKeys(options: Parameters<typeof createRest>[1] = {}, requests?: Requests) {
    const clock = simulatedClock()
    const store = memoryStore({ clock })
    const engine = createEngine({
      ...{ store: requests === undefined ? store : { ...store, requests }, checkers: [], clock },
    })
    await engine.open()
    const other = await engine.accounts.create({ name: 'other' })
    const keys: string[] = []
    for (let n = 0; n < 12; n++) keys.push((await engine.keys.create()).key)
    const { key: stranger } = await engine.account(other.id).keys.create()
    const { fetch } = createRest(engine, { clock, ...options })
    const ask = (key = '') => {
      const headers = { authorization: `Bearer ${key}` }
      return fetch(new Request('http://localhost/api/v1/types', { headers }))
    }
    async function askWithAll(times: number): Promise<Record<number, number>> {
      const seen: Record<number, number> = {}
      for (let n = 0; n < times; n++)
        for (const key of keys) {
          const { status } = await ask(key)
          seen[status] = (seen[status] ?? 0) + 1
        }
      return seen
    }
    return { clock, engine, keys, stranger, ask, askWithAll }
  }

  it('is that of ten keys, however many there are, and not that of another account', async () => {
    const { clock, keys, stranger, ask, askWithAll } = await setUpKeys()
    expect(await askWithAll(50)).toEqual({ 200: 600 })
    const refused = await ask(keys[0])
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: 'rate_limited',
      message: 'More than 600 requests of all keys of the account in 60 seconds',
      retry_after: 60,
    })
    const named = (name: string) => refused.headers.get(name)
    expect(named('retry-after')).toBe('60')
    expect(named('ratelimit-policy')).toBe('"key";q=60;w=60, "account";q=600;w=60')
    expect(named('ratelimit')).toBe('"account";r=0;t=60')
    expect([named('x-ratelimit-limit'), named('x-ratelimit-remaining')]).toEqual(['60', '0'])
    expect((await ask(stranger)).status).toBe(200)
    await clock.advance(60_000)
    // What was refused for the account was not counted for the key.
    const after = await ask(keys[0])
    expect(after.headers.get('ratelimit')).toBe('"key";r=59;t=60, "account";r=599;t=60')
  })

  it('leaves each key its own', async () => {
    const { keys, ask } = await setUpKeys()
    for (let n = 0; n < 60; n++) expect((await ask(keys[0])).status).toBe(200)
    const refused = await ask(keys[0])
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
      429,
      '"key";r=0;t=60, "account";r=540;t=60',
    ])
    expect(await refused.json()).toMatchObject({ message: 'More than 60 requests in 60 seconds' })
    expect((await ask(keys[1])).headers.get('x-ratelimit-remaining')).toBe('59')
  })

  it('says what is left of it where that is less than what is left to the key', async () => {
    const { keys, ask, askWithAll } = await setUpKeys({ rateLimit: { accountRequests: 30 } })
    expect(await askWithAll(2)).toEqual({ 200: 24 })
    expect((await ask(keys[0])).headers.get('x-ratelimit-remaining')).toBe('5')
    expect(await askWithAll(1)).toEqual({ 200: 5, 429: 7 })
  })

  it('is not for keys of the host, unless it says so', async () => {
    const authenticate = (request: Request) => {
      return { account_id: 1, key: { id: request.headers.get('authorization') ?? '' } }
    }
    const free = await setUpKeys({ authenticate })
    expect(await free.askWithAll(60)).toEqual({ 200: 720 })
    expect((await free.ask('x')).headers.get('ratelimit')).toBe('"key";r=59;t=60')
    const bound = await setUpKeys({ authenticate, rateLimit: { accountRequests: 24 } })
    expect(await bound.askWithAll(3)).toEqual({ 200: 24, 429: 12 })
  })

  it('is exact while a shared store counts the keys', async () => {
    const requests: Requests = {
      admit: async () => {
        await Promise.resolve()
        return { admitted: true, remaining: 59, retry_at: null }
      },
    }
    const { keys, ask } = await setUpKeys({ rateLimit: { accountRequests: 5 } }, requests)
    const answers = await Promise.all(keys.map((key) => ask(key)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })
})
