/** Requests that wait for checks or for equal requests: each holds a connection of the server meanwhile. */

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWaitingRequests } from '../../src/access/waiting-requests.ts'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { createRest } from '../../src/rest/index.ts'
import type { RestOptions } from '../../src/rest/index.ts'
import { limitServer, toNodeHandler } from '../../src/rest/node.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { requestTo } from './client.ts'

const KEY = 'key-of-the-one-who-waits'

/** A machine with other work to do must not end the checks. */
const LONG = { interval_sec: 300, timeout_ms: 60_000 }

/** Checks of so many monitors wait until they are released. */
async function slow(monitors: number, options: RestOptions = {}) {
  const held: (() => void)[] = []
  let released = false
  const checker = defineChecker({
    type: 'tcp',
    title: 'A host',
    description: 'Waits until it may answer.',
    fields: { host: field.host({ description: 'Host' }).required() },
    causes: {},
    target: ({ host }) => host,
    async run() {
      if (!released) await new Promise<void>((resolve) => held.push(resolve))
      return up()
    },
  })
  const contacts = [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })]
  const engine = createEngine({
    store: memoryStore(),
    checkers: [checker],
    contacts,
    logger: false,
  })
  const release = (): void => {
    released = true
    for (const each of held) each()
  }
  onTestFinished(() => {
    release()
    return engine.stop()
  })
  await engine.start()
  await engine.keys.create({ name: 'key', key: KEY })
  for (let n = 0; n < monitors; n++)
    await engine.monitors.create({ ...LONG, type: 'tcp', name: `${n}`, host: `${n}.example` })
  const rateLimit = { requests: 1000, accountRequests: 1000 }
  return { engine, release, rest: createRest(engine, { logger: false, rateLimit, ...options }) }
}

const pathOf = (n: number): string => `/api/v1/monitors/${n}/check?wait=1`

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** The statuses that have come. */
function statusesOf(asked: readonly Promise<Response>[]): readonly number[] {
  const statuses: number[] = []
  for (const each of asked) void each.then(({ status }) => statuses.push(status))
  return statuses
}

describe('requests of one account that wait for checks', () => {
  it('leave connections of the server to others', async () => {
    const { rest } = await slow(20)
    const server = createServer(toNodeHandler(rest))
    limitServer(server, { maxConnections: 80 })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    const headers = { authorization: `Bearer ${KEY}`, connection: 'keep-alive' }
    const answered: unknown[] = []
    for (const path of times(80, (n) => pathOf(1 + (n % 20)))) {
      const asked = request({ port, method: 'POST', path, headers, agent: false })
      asked.once('response', (response) => answered.push(response.resume().statusCode))
      asked.on('error', () => undefined)
      asked.end()
      // One connection after the other, so that the server takes them all.
      await once(asked, 'socket')
    }
    await expect.poll(() => answered.length).toBe(30)
    expect((await fetch(`http://127.0.0.1:${port}/hb/unknown`)).status).toBe(404)
    expect(answered).toEqual(times(30, () => 429))
  })

  it('are fifty at most, of which each makes room when it ends', async () => {
    const { rest, release } = await slow(20)
    const ask = (n: number) => rest.fetch(requestTo('POST', pathOf(1 + (n % 20)), { key: KEY }))
    const asked = times(60, ask)
    const statuses = statusesOf(asked)
    await expect.poll(() => statuses.length).toBe(10)
    const refused = await ask(0)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(await refused.json()).toMatchObject({
      ...{ ok: false, error: 'too_many_waiting' },
      message: expect.stringContaining('Too many requests wait') as string,
    })
    const queued = requestTo('POST', pathOf(1).replace('?wait=1', ''), { key: KEY })
    expect((await rest.fetch(queued)).status).toBe(202)
    release()
    await Promise.all(asked)
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
    expect((await ask(0)).status).toBe(200)
  })

  it('are not bounded where requests are not', async () => {
    const { rest, release } = await slow(1, { rateLimit: false })
    const ask = () => rest.fetch(requestTo('POST', pathOf(1), { key: KEY }))
    const asked = times(60, ask)
    release()
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(times(60, () => 200))
  })
})

describe('requests of one account that test a contact', () => {
  it('are fifty at most while its receiver holds the deliveries', async () => {
    const held = new Set<ServerResponse>()
    let released = false
    const receiver = createServer((_request, response) =>
      released ? response.end() : held.add(response),
    )
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    onTestFinished(() => {
      receiver.close()
      receiver.closeAllConnections()
    })
    const { engine, rest } = await slow(0)
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const { id } = await engine.contacts.create({ kind: 'webhook', name: 'Duty', url })
    const path = `/api/v1/contacts/${id}/test`
    const asked = times(55, () => rest.fetch(requestTo('POST', path, { key: KEY })))
    const statuses = statusesOf(asked)
    await expect.poll(() => statuses).toEqual(times(5, () => 429))
    released = true
    for (const response of held) response.end()
    await Promise.all(asked)
    expect(statuses.slice(5)).toEqual(times(50, () => 200))
  })
})

describe('requests of one account that wait for an equal one', () => {
  it('are fifty at most, with the one that is under way', async () => {
    const { rest, release } = await slow(1)
    const headers = { 'idempotency-key': 'once' }
    const asked = times(60, () => rest.fetch(requestTo('POST', pathOf(1), { key: KEY, headers })))
    const statuses = statusesOf(asked)
    await expect.poll(() => statuses.length).toBe(10)
    release()
    await Promise.all(asked)
    expect(statuses).toEqual([...times(10, () => 429), ...times(50, () => 200)])
  })
})

describe('three hundred that wait', () => {
  it('leave four to each other account', () => {
    const waiting = createWaitingRequests()
    const taken = times(300, (n) => waiting.enter(1 + Math.floor(n / 50)))
    expect(taken).not.toContain(undefined)
    expect(times(5, () => waiting.enter(7) !== undefined)).toEqual([true, true, true, true, false])
    expect(waiting.enter(1)).toBeUndefined()
    for (const leave of taken.slice(0, 50)) leave?.()
    expect(waiting.enter(7)).toBeDefined()
    expect(waiting.enter(1)).toBeDefined()
  })
})
