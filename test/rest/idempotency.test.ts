import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { client, OTHER_KEY, tcpMonitor } from './client.ts'

const once = { 'idempotency-key': 'order-66' }

describe('a request with an Idempotency-Key', () => {
  it('that is repeated takes effect once and gets the same answer', async () => {
    const { ask, small } = client()
    const first = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    const again = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect(small.calls).toEqual(['create'])
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    for (const name of ['location', 'etag']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
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
    const { ask, small } = client()
    const refused = await ask('POST', '/api/v1/monitors', { body: { type: 'tcp' }, headers: once })
    const corrected = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect([refused.status, corrected.status, small.calls.length]).toEqual([422, 201, 1])
  })

  it('waits for an equal one under way', async () => {
    const { ask, small } = client()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once }),
      ),
    )
    expect(small.calls).toEqual(['create'])
    expect(answers.map(({ status, body }) => [status, body.monitor.id])).toEqual(
      Array(5).fill([201, 1]),
    )
  })

  it('is carried out by the next in line where the first one fails', async () => {
    const { ask, small } = client()
    const create = small.engine.account(1).monitors.create
    let failures = 1
    const account = small.engine.account
    Object.assign(small.engine, {
      account: (id: number) => {
        const scope = account(id)
        const monitors = {
          ...scope.monitors,
          create: (input: Parameters<typeof create>[0]) =>
            failures-- > 0 ? Promise.reject(new StorageError('full')) : create(input),
        }
        return { ...scope, monitors }
      },
    })
    const answers = await Promise.all(
      [1, 2, 3].map(() => ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })),
    )
    expect(answers.map(({ status }) => status)).toEqual([503, 201, 201])
    expect(small.calls).toEqual(['create'])
  })

  it('waits for no more than a minute', async () => {
    const { ask, small, clock } = client()
    const never = new Promise<never>(() => undefined)
    Object.assign(small.engine.replies, { get: () => never })
    void ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    const second = ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    await clock.advance(60_000)
    const { status, body } = await second
    expect([status, body.error]).toEqual([409, 'idempotency_in_progress'])
  })

  it('is known to its own account only', async () => {
    const { ask, small } = client()
    await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    const other = { body: tcpMonitor, headers: once, key: OTHER_KEY }
    expect((await ask('POST', '/api/v1/monitors', other)).body.monitor.id).toBe(2)
    expect(small.calls).toEqual(['create', 'create'])
  })

  it('whose answer cannot be kept is answered all the same: the work is done', async () => {
    const { ask, small } = client()
    Object.assign(small.engine.replies, { put: () => Promise.reject(new StorageError('full')) })
    const { status } = await ask('POST', '/api/v1/monitors', { body: tcpMonitor, headers: once })
    expect(status).toBe(201)
  })

  it.each(['pause', 'resume', 'check', 'check?wait=1'])('may be the action %s', async (action) => {
    const { ask, create, small } = client()
    const path = `/api/v1/monitors/${await create()}/${action}`
    const first = await ask('POST', path, { headers: once })
    const again = await ask('POST', path, { headers: once })
    expect(small.calls).toHaveLength(2)
    expect(again.body).toEqual(first.body)
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
