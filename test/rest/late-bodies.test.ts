/** A key, an account or a right that is gone by the time when the body of a request has arrived. */

import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requestServicesOf } from '../../src/engine/services/request-services.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import type { Identity, RestOptions } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { idsOf, tcpMonitor } from './client.ts'
import { listen } from './hosts.ts'
import { KEY, OTHER_KEY, service } from './service.ts'

async function revoke(engine: Engine): Promise<void> {
  const keys = await engine.keys.list()
  await engine.keys.revoke(keys.find(({ name }) => name === 'one')?.id ?? 0)
}

/** More than the second for which the first answer of `authenticate` is relied on. */
const LONG_MS = 2000
const ANSWERED_MS = 60_000

async function api(options: RestOptions = {}) {
  const made = service()
  const { engine, clock, ready } = made
  await ready
  await engine.start()
  let admitted: () => void = () => undefined
  const window = {
    take: () => {
      admitted()
      return { allowed: true, remaining: 1, reset_ms: 1 }
    },
  }
  const rest = createRest(engine, { clock, logger: false, rateLimit: { window }, ...options })
  const host = await listen(toNodeHandler(rest))
  onTestFinished(async () => {
    await host.close()
    await engine.stop()
  })

  /** Sends half of the body, waits until the request is admitted, and sends the rest after `meanwhile`. */
  async function ask(
    { key = KEY, body = JSON.stringify(tcpMonitor), headers = {}, path = '/api/v1/monitors' },
    meanwhile: () => Promise<unknown>,
  ) {
    const counted = new Promise<void>((resolve) => (admitted = resolve))
    const req = httpRequest({
      port: host.port,
      host: '127.0.0.1',
      method: 'POST',
      path,
      timeout: ANSWERED_MS,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
    })
    const answer = new Promise<{ status: number; body: { error?: string } }>((resolve, reject) => {
      req.once('error', reject).once('response', (response) => {
        text(response).then(
          (read) =>
            resolve({
              status: response.statusCode ?? 0,
              body: JSON.parse(read) as { error?: string },
            }),
          reject,
        )
      })
    })
    req.write(body.slice(0, 10))
    await counted
    await meanwhile()
    req.end(body.slice(10))
    return answer
  }

  const monitors = async (): Promise<number[]> => idsOf((await engine.monitors.list()).items)
  return { ...made, ask, monitors }
}

describe('a request whose body takes longer than a second', () => {
  it('does what it asks for while its key is valid', async () => {
    const { ask, clock, monitors } = await api()
    const answer = await ask({}, () => clock.advance(LONG_MS))
    expect([answer.status, await monitors()]).toEqual([201, [1]])
  })

  it('is refused if its key was revoked meanwhile', async () => {
    const { ask, clock, engine, monitors } = await api()
    const answer = await ask({}, async () => {
      await revoke(engine)
      await clock.advance(LONG_MS)
    })
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
    expect(await monitors()).toEqual([])
  })

  it('is refused if its account was removed meanwhile', async () => {
    const { ask, clock, engine } = await api()
    const answer = await ask({ key: OTHER_KEY }, async () => {
      await engine.accounts.remove(2)
      await clock.advance(LONG_MS)
    })
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })

  it('gets no stored answer of its Idempotency-Key either', async () => {
    const { ask, clock, engine } = await api()
    const headers = { 'idempotency-key': 'order-1' }
    expect((await ask({ headers }, () => clock.settle())).status).toBe(201)
    const answer = await ask({ headers }, async () => {
      await revoke(engine)
      await clock.advance(LONG_MS)
    })
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })

  it('has the rights that the host gives it by then, and in the same account only', async () => {
    let identity: Identity | undefined = { account_id: 1, key: { id: 'user', scopes: ['write'] } }
    const { ask, clock, monitors } = await api({ authenticate: () => identity })
    const answers: unknown[] = []
    for (const later of [
      { account_id: 1, key: { id: 'user', scopes: ['read'] } },
      { account_id: 2, key: { id: 'user', scopes: ['write'] } },
      undefined,
    ] as const) {
      const before: Identity = { account_id: 1, key: { id: 'user', scopes: ['write'] } }
      identity = before
      const { status, body } = await ask({ key: '' }, async () => {
        identity = later
        await clock.advance(LONG_MS)
      })
      answers.push([status, body.error])
    }
    expect(answers).toEqual([
      [403, 'missing_scope'],
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ])
    expect(await monitors()).toEqual([])
  })

  it('asks authenticate once more, and a request whose body comes at once does not', async () => {
    let asked = 0
    const authenticate = (): Identity => {
      asked += 1
      return { account_id: 1, key: { id: 'user' } }
    }
    const { ask, clock } = await api({ authenticate })
    await ask({ key: '' }, () => clock.settle())
    const at_once = asked
    await ask({ key: '' }, () => clock.advance(LONG_MS))
    expect([at_once, asked - at_once]).toEqual([1, 2])
  })
})

describe('a request that waits for an equal one', () => {
  it('is not carried out if its key was revoked meanwhile', async () => {
    const { ask, clock, engine, monitors } = await api()
    let end: () => void = () => undefined
    const equal = new Promise<void>((resolve) => (end = resolve))
    const { runningRepeatable } = requestServicesOf(engine)
    runningRepeatable.set('1:order-2', equal)
    const answer = ask({ headers: { 'idempotency-key': 'order-2' } }, () => clock.settle())
    while (runningRepeatable.get('1:order-2') === equal) await nextTurn()
    await revoke(engine)
    await clock.advance(LONG_MS)
    end()
    expect((await answer).status).toBe(401)
    expect(await monitors()).toEqual([])
  })

  it('gets no stored answer of it if its key was revoked meanwhile', async () => {
    const { ask, clock, engine } = await api()
    const headers = { 'idempotency-key': 'order-3' }
    expect((await ask({ headers }, () => clock.settle())).status).toBe(201)
    let end: () => void = () => undefined
    const equal = new Promise<void>((resolve) => (end = resolve))
    const { runningRepeatable } = requestServicesOf(engine)
    runningRepeatable.set('1:order-3', equal)
    const answer = ask({ headers }, () => clock.settle())
    while (runningRepeatable.get('1:order-3') === equal) await nextTurn()
    await revoke(engine)
    await clock.advance(LONG_MS)
    end()
    expect((await answer).status).toBe(401)
  })
})

describe('an action on many monitors that waits for another one of its account', () => {
  it.each([
    ['does what it asks for while its key is valid', () => Promise.resolve(), 200, true],
    ['is not carried out if its key was revoked meanwhile', revoke, 401, false],
  ])('%s', async (_, meanwhile, status, changed) => {
    const { ask, clock, engine } = await api()
    const { monitors } = engine
    const { id } = await monitors.create(tcpMonitor)
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const tagging = { action: 'tag', add_tags: ['first'], filter: { all: true } } as const
    const first = monitors.bulk(tagging, { permitted: () => gate })
    const asked = {
      path: '/api/v1/monitors/bulk',
      body: JSON.stringify({ action: 'pause', filter: { all: true } }),
      headers: { 'idempotency-key': 'all' },
    }
    const answer = ask(asked, () => clock.settle()).then((given) => given.status)
    const { runningRepeatable } = requestServicesOf(engine)
    while (!runningRepeatable.has('1:all')) await nextTurn()
    await clock.settle()
    await meanwhile(engine)
    await clock.advance(LONG_MS)
    open()
    await first
    expect(await answer).toBe(status)
    expect((await monitors.get(id)).state === 'paused').toBe(changed)
  })

  it('checks none if its caller may no longer check', async () => {
    const account_id = 1
    let caller: Identity = {
      account_id,
      key: { id: 'user', scopes: ['monitors:write', 'checks:run'] },
    }
    const { ask, clock, engine } = await api({ authenticate: () => caller })
    const { monitors } = engine
    await monitors.create(tcpMonitor)
    await clock.settle()
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const tagging = { action: 'tag', add_tags: ['first'], filter: { all: true } } as const
    const first = monitors.bulk(tagging, { permitted: () => gate })
    const asked = {
      ...{ path: '/api/v1/monitors/bulk', key: '' },
      body: JSON.stringify({ action: 'check', filter: { all: true } }),
      headers: { 'idempotency-key': 'all' },
    }
    const answer = ask(asked, () => clock.settle())
    const { runningRepeatable } = requestServicesOf(engine)
    while (!runningRepeatable.has('1:all')) await nextTurn()
    await clock.settle()
    caller = { account_id, key: { id: 'user', scopes: ['monitors:write'] } }
    await clock.advance(LONG_MS)
    open()
    await first
    const { status, body } = await answer
    expect([status, body]).toMatchObject([403, { error: 'missing_scope', scope: 'checks:run' }])
  })
})
