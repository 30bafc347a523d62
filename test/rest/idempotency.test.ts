import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { requestServicesOf } from '../../src/engine/services/request-services.ts'
import { StorageError } from '../../src/errors.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { client, idsOf, requestTo, tcpMonitor } from './client.ts'
import type { Client } from './client.ts'
import { KEY, OTHER_KEY } from './service.ts'

const once = { 'idempotency-key': 'order-66' }

const monitorsOf = async ({ ask }: Client): Promise<number[]> =>
  idsOf((await ask('GET', '/api/v1/monitors')).body.monitors)

describe('a request with an Idempotency-Key', () => {
  it('that is repeated takes effect once and gets the same answer', async () => {
    const api = client()
    const first = await api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    const again = await api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect(await monitorsOf(api)).toEqual([1])
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    for (const name of ['location', 'etag']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
  })

  it('is forgotten after 24 hours', async () => {
    const api = client()
    await api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    await api.clock.advance(86_399_999)
    await api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect(await monitorsOf(api)).toEqual([1])
    await api.clock.advance(1)
    await api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect(await monitorsOf(api)).toEqual([1, 2])
  })

  it('with another body, or to another address, is a conflict', async () => {
    const { ask, create } = client()
    const id = await create()
    await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    for (const [path, body] of [
      ['/api/v1/monitors', { ...tcpMonitor, port: 80 }],
      [`/api/v1/monitors/${id}/pause`, undefined],
    ] as const) {
      const answer = await ask('POST', path, { body, headers: once })
      expect([answer.status, answer.body.error]).toEqual([409, 'idempotency_conflict'])
    }
  })

  it('may be sent again corrected when it was refused', async () => {
    const { ask } = client()
    const refused = await ask('POST', '/api/v1/monitors', { body: { type: 'tcp' }, headers: once })
    const corrected = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect([refused.status, corrected.status]).toEqual([422, 201])
  })

  it('waits for an equal one under way', async () => {
    const api = client()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once }),
      ),
    )
    expect(await monitorsOf(api)).toEqual([1])
    expect(answers.map(({ status, body }): unknown[] => [status, body.monitor.id])).toEqual(
      Array<unknown>(5).fill([201, 1]),
    )
  })

  it('takes effect once where two REST APIs on one engine get it at the same moment', async () => {
    const api = client()
    const other = createRest(api.engine, { rateLimit: false, logger: false, clock: api.clock })
    await api.ready
    const asked = { body: tcpMonitor, headers: once }
    const answers = await Promise.all(
      [api.rest, other, api.rest, other].map((rest) =>
        rest.fetch(requestTo('POST', '/api/v1/monitors', asked)),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(await monitorsOf(api)).toEqual([1])
  })

  it('and another body, sent at the same moment, is a conflict: one of them takes effect', async () => {
    const api = client()
    const answers = await Promise.all(
      [443, 80, 443].map((port) =>
        api.ask('POST', '/api/v1/monitors', { body: { ...tcpMonitor, port }, headers: once }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 201])
    expect(await monitorsOf(api)).toEqual([1])
  })

  it('is known after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'watchpost-idempotency-'))
    const sent = { body: tcpMonitor, headers: once }
    const answers: unknown[] = []
    for (const run of ['first', 'second']) {
      const store = sqliteStore({ file: join(folder, 'watchpost.db') })
      const engine = createEngine({ store, checkers: [tcp()] })
      if (run === 'first') await engine.keys.create({ key: KEY })
      const { fetch } = createRest(engine)
      const response = await fetch(requestTo('POST', '/api/v1/monitors', sent))
      expect(response.headers.has('idempotent-replayed')).toBe(run === 'second')
      answers.push([response.status, await response.json()])
      expect((await engine.monitors.list()).items).toHaveLength(1)
      await engine.stop()
    }
    await rm(folder, { recursive: true })
    expect(answers[1]).toEqual(answers[0])
  })

  it('takes effect once where equal ones arrive at several engines on one store', async () => {
    const place = memoryPlace()
    const join = async () => {
      const engine = createEngine({ store: memoryStore({ place }), checkers: [tcp()] })
      onTestFinished(() => engine.stop())
      await engine.open()
      return { engine, rest: createRest(engine) }
    }
    const [a, b] = [await join(), await join()]
    await a.engine.keys.create({ key: KEY })
    const sent = { body: tcpMonitor, headers: once }
    const answers = await Promise.all(
      [a, b, a, b].map(({ rest }) => rest.fetch(requestTo('POST', '/api/v1/monitors', sent))),
    )
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(bodies).size).toBe(1)
    expect((await a.engine.monitors.list()).items).toHaveLength(1)
  })

  it('is told to come back where another engine is at an equal one for a minute', async () => {
    const clock = simulatedClock()
    const place = memoryPlace()
    const store = memoryStore({ place, clock })
    const engine = createEngine({ store, clock, checkers: [tcp()] })
    onTestFinished(() => engine.stop())
    await engine.open()
    await engine.keys.create({ key: KEY })
    const now = clock.now()
    const lock = { account_id: 1, key: 'order-66', owner: 'another engine' }
    await store.idempotencyLocks?.acquire({ ...lock, now, until: now + 120_000 })
    const { fetch } = createRest(engine, { clock })
    const ask = () =>
      fetch(requestTo('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once }))
    const early = ask()
    await clock.advance(60_000)
    expect((await early).status).toBe(409)
    // It died: its lock is nobody's after two minutes.
    const late = ask()
    await clock.advance(60_000)
    expect((await late).status).toBe(201)
  })

  it('is carried out by the next in line where the first one fails', async () => {
    const api = client()
    const { create } = api.store.monitors
    let failures = 1
    Object.assign(api.store.monitors, {
      create: (monitor: Parameters<typeof create>[0]) =>
        failures-- > 0 ? Promise.reject(new StorageError('full')) : create(monitor),
    })
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })),
    )
    expect(answers.map(({ status }) => status)).toEqual([503, 201, 201])
    expect(await monitorsOf(api)).toEqual([1])
  })

  it('waits for no more than a minute', async () => {
    const { ask, store, clock } = client()
    const never = new Promise<never>(() => undefined)
    Object.assign(store.idempotencyResponses, { get: () => never })
    void ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    const second = ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    // Of both requests only what waits for a minute is left in the end.
    const pending = async () => {
      await clock.advance(0)
      return clock.pending
    }
    await expect.poll(pending).toBe(1)
    await clock.advance(60_000)
    const { status, body } = await second
    expect([status, body.error]).toEqual([409, 'idempotency_in_progress'])
  })

  it('is known to its own account only', async () => {
    const { ask } = client()
    await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    const other = { body: tcpMonitor, headers: once, key: OTHER_KEY }
    expect((await ask('POST', '/api/v1/monitors', other)).body.monitor.id).toBe(2)
  })

  it.each([
    ['a thousand answers', 1001, 10],
    ['8 MiB of answers', 9, 1024 * 1024],
  ])('is known for as long as it is among the last %s of its account', async (_, count, length) => {
    const engine = createEngine({ store: memoryStore(), checkers: [tcp()], logger: false })
    onTestFinished(() => engine.stop())
    const { idempotencyResponses } = requestServicesOf(engine)
    const other = await engine.accounts.create({ name: 'other' })
    const reply = { request_hash: 'h', status: 201, body: 'b'.repeat(length) }
    await idempotencyResponses.put(other.id, 'k0', reply)
    for (let n = 0; n < count; n++) await idempotencyResponses.put(1, `k${n}`, reply)
    expect(await idempotencyResponses.get(1, 'k0')).toBeUndefined()
    expect(await idempotencyResponses.get(1, `k${count - 1}`)).toMatchObject(reply)
    expect(await idempotencyResponses.get(other.id, 'k0')).toMatchObject(reply)
  })

  it('whose answer cannot be kept is answered all the same: the work is done', async () => {
    const { ask, store } = client()
    Object.assign(store.idempotencyResponses, {
      put: () => Promise.reject(new StorageError('full')),
    })
    const { status } = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect(status).toBe(201)
  })

  it.each(['pause', 'resume', 'check', 'check?wait=1'])('may be the action %s', async (action) => {
    const { ask, create, engine, checked } = client()
    await engine.start()
    const path = `/api/v1/monitors/${await create()}/${action}`
    const first = await ask('POST', path, { headers: once })
    const again = await ask('POST', path, { headers: once })
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(checked.length).toBe(action.startsWith('check') ? 1 : 0)
  })

  it.each(['!', '~', 'x'.repeat(255)])('may be %j', async (key) => {
    const headers = { 'idempotency-key': key }
    const { ask } = client()
    const once = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers })
    const again = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers })
    expect([once.status, again.body]).toEqual([201, once.body])
  })

  it.each(['', 'with space', 'x'.repeat(256)])('that is %j is refused', async (key) => {
    const headers = { 'idempotency-key': key }
    const { status, body } = await client().ask('POST', '/api/v1/monitors', {
      body: tcpMonitor,
      headers,
    })
    expect([status, Object.keys(body.fields)]).toEqual([422, ['Idempotency-Key']])
  })
})
