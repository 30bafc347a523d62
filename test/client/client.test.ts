import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { ApiError, createClient } from '../../src/client/index.ts'
import type { ClientOptions } from '../../src/client/index.ts'
import type { Client } from '../../src/client/index.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createRest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { createRouter } from '../../src/rest/router.ts'
import { contactRoutes, routes } from '../../src/rest/routes.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { KEY, service } from '../rest/service.ts'
import type { Service } from '../rest/service.ts'
import { closedPort } from '../support/scripted-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Handler = (req: IncomingMessage, res: ServerResponse) => void

async function serve(handler: Handler): Promise<string> {
  // It ends no connection by itself: one that the client keeps could end just when it is used again.
  const server = createServer({ keepAliveTimeout: 0 }, handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Served extends Service {
  readonly url: string
  readonly client: Client<AnyChecker>
  /** Method and path of every request that came in. */
  readonly asked: string[]
}

/** The API on a real server; `before` may answer, or cut, a request in its place. */
async function served(
  before: (req: IncomingMessage, res: ServerResponse) => boolean = () => false,
  options: Partial<ClientOptions> = {},
): Promise<Served> {
  const made = service()
  await made.ready
  await made.engine.start()
  closing.push(() => made.engine.stop({ drainMs: 0 }))
  const handler = toNodeHandler(createRest(made.engine, { rateLimit: false, manageContacts: true }))
  const asked: string[] = []
  const url = await serve((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    if (!before(req, res)) handler(req, res)
  })
  const client = createClient<AnyChecker>({ url, apiKey: KEY, ...options })
  return { ...made, url, client, asked }
}

const NOBODY = 'http://127.0.0.1:9/'
const shop = { type: 'tcp', name: 'Shop', host: 'shop.example', port: 443 }

async function rejection(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

describe('the client', () => {
  it('reaches every route of the API', async () => {
    const { client, engine, asked } = await served()
    const contact = await engine.contacts.create({
      ...{ kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/hook', all_monitors: true },
    })
    const { id } = await client.monitors.create({
      ...shop,
      host: 'down.example',
      fail_threshold: 1,
    })
    expect((await client.monitors.get(id)).name).toBe('Shop')
    const { results, monitor } = await client.monitors.check(id)
    expect([results.length, monitor.state]).toEqual([1, 'down'])
    expect((await client.monitors.list()).items).toHaveLength(1)
    expect((await client.monitors.status(id)).state).toBe('down')
    expect((await client.monitors.uptime(id, { days: 2 })).days).toHaveLength(2)
    expect(await client.monitors.hours(id, { step_hours: 6 })).toMatchObject({ step_hours: 6 })
    expect((await client.results.list({ monitor_id: id, verdict: 'fail' })).items).toHaveLength(1)
    const [incident] = (await client.incidents.list({ monitor_id: id, open: true })).items
    expect((await client.incidents.list({ open: true })).items).toEqual([incident])
    expect((await client.incidents.get(incident?.id ?? 0)).state).toBe('open')
    expect((await client.incidents.acknowledge(incident?.id ?? 0)).acknowledged_at).not.toBeNull()
    expect((await client.contacts.list()).map(({ name }) => name)).toEqual(['ops'])
    const told = await client.contacts.test(contact.id)
    expect(told.event).toBe('test')
    expect((await client.notifications.get(told.id)).status).toBe(told.status)
    expect((await client.notifications.resend(told.id)).id).toBeGreaterThan(told.id)
    expect((await client.notifications.list()).items.length).toBeGreaterThan(1)
    await client.monitors.queueCheck(id)
    expect((await client.monitors.update(id, { name: 'Store', tags: null })).name).toBe('Store')
    expect((await client.monitors.pause(id)).state).toBe('paused')
    expect((await client.monitors.resume(id)).state).toBe('pending')
    expect(
      await client.monitors.bulk({ action: 'tag', add_tags: ['x'], filter: { ids: [id] } }),
    ).toMatchObject({ changed: 1, next: null })
    const night = await client.contacts.create({ kind: 'webhook', name: 'night', url: NOBODY })
    const day = await client.contacts.update(night.id, { name: 'day' }, { version: 1 })
    expect([day.name, day.version]).toEqual(['day', 2])
    expect((await client.contacts.get(night.id)).name).toBe('day')
    const preview = await client.contacts.preview(night.id, 'up')
    expect(preview).toMatchObject({ event: 'up', content: { event: 'up' } })
    await client.contacts.remove(night.id, { version: day.version })
    expect(await client.contacts.list()).toHaveLength(1)
    const window = { cron: '0 3 * * *', duration_min: 30 }
    const work = await client.maintenance.create({ name: 'Disks', window, monitor_ids: [id] })
    const { version } = await client.maintenance.update(work.id, { name: 'RAM' }, { version: 1 })
    expect([version, (await client.maintenance.get(work.id)).name]).toEqual([2, 'RAM'])
    expect((await client.maintenance.list({ monitor_id: id })).items).toHaveLength(1)
    expect(await client.maintenance.upcoming({ days: 3, limit: 2 })).toHaveLength(2)
    await client.maintenance.remove(work.id, { version })
    const page = await client.publicPages.create({ title: 'Shop', slug: 'shop' })
    const changed = await client.publicPages.update(page.id, { noindex: false }, { version: 1 })
    expect([changed.version, await client.publicPages.get(page.id)]).toEqual([2, changed])
    expect((await client.publicPages.list()).items).toEqual([changed])
    const report = await client.statusReports.create({
      ...{ title: 'Payments fail', page_ids: [page.id], monitor_ids: [id] },
      text: 'We look into it.',
    })
    const patch = { title: 'Payments failed' }
    const renamed = await client.statusReports.update(report.id, patch, { version: 1 })
    const update = { status: 'resolved', text: 'Over.' } as const
    const over = await client.statusReports.addUpdate(report.id, update, { version: 2 })
    expect([renamed.status, over.status, over.updates.length]).toEqual([
      'investigating',
      'resolved',
      2,
    ])
    expect(await client.statusReports.get(report.id)).toEqual(over)
    expect((await client.statusReports.list({ open: false })).items).toEqual([over])
    await client.statusReports.remove(report.id)
    await client.publicPages.remove(page.id, { version: 2 })
    await client.monitors.remove(id)
    const [last] = (await client.auditLog.list({ resource: 'monitor', resource_id: id })).items
    expect(last?.action).toBe('deleted')
    expect((await client.me()).account.id).toBe(1)
    expect((await client.balance()).unlimited).toBe(true)
    expect((await client.types()).types.map(({ type }) => type)).toContain('tcp')
    expect((await client.locations.list())[0]?.name).toBe('local')

    const known = [...routes, ...contactRoutes]
    const router = createRouter(known)
    const reached = asked.map((line) => {
      const [method = '', target = ''] = line.split(' ')
      const match = router.match(method, target.split('?')[0] ?? '')
      return match.kind === 'found' ? match.route : undefined
    })
    expect(known.filter((route) => !reached.includes(route)).map(({ path }) => path)).toEqual([])
  })

  it('sends the signals of a job, with what it has to say', async () => {
    const { client, signals } = await served()
    const { token = '' } = await client.monitors.create({ type: 'heartbeat', name: 'Backup' })
    await client.signal(token, { kind: 'start', run_id: 'r 1' })
    await client.signal(token, { kind: 'fail', exit_code: 3, message: 'disk & tape\nfull' })
    expect(signals).toMatchObject([
      { kind: 'start', run_id: 'r 1' },
      { kind: 'fail', exit_code: 3, message: 'disk & tape\nfull' },
    ])
    expect((await rejection(client.signal('nobody-has-it'))).code).toBe('not_found')
  })

  it('goes through all pages of a list, one request each', async () => {
    const { client, asked } = await served()
    for (let n = 0; n < 5; n++)
      await client.monitors.create({ ...shop, name: `n${n}`, tags: n % 2 === 0 ? ['even'] : [] })
    asked.length = 0
    const names: string[] = []
    for await (const { name } of client.monitors.list.all({ limit: 2 })) names.push(name)
    expect(names).toEqual(['n0', 'n1', 'n2', 'n3', 'n4'])
    expect(asked).toHaveLength(3)
    const even = await client.monitors.list({ tag: [['even', 'odd']], status: ['pending', 'up'] })
    expect(even.items.map(({ name }) => name)).toEqual(['n0', 'n2', 'n4'])
    const both = await client.monitors.list({ tag: ['even', 'odd'] })
    expect(both.items).toEqual([])
    const [second] = (await client.monitors.list({ q: 'n1' })).items
    await client.monitors.update(second?.id ?? 0, { tags: ['odd, or not'] })
    const named = async (tag: readonly (string | readonly string[])[]) =>
      (await client.monitors.list({ tag })).items.map(({ name }) => name)
    expect(await named(['odd, or not'])).toEqual(['n1'])
    expect(await named([['even', 'odd, or not']])).toEqual(['n0', 'n1', 'n2', 'n4'])
    const later = { from: new Date(Date.UTC(2030, 0)), monitor_id: 1 }
    expect((await client.results.list(later)).items).toEqual([])
  })

  it('takes times as the engine does: a Date, epoch milliseconds or ISO text', async () => {
    const { client } = await served()
    const { id } = await client.monitors.create({ ...shop, host: 'down.example' })
    await client.monitors.check(id)
    const [found] = (await client.results.list({ monitor_id: id })).items
    const at = new Date(found?.started_at ?? '')
    for (const moment of [at, at.getTime(), at.toISOString()]) {
      const since = { monitor_id: id, from: moment }
      expect((await client.results.list(since)).items).toHaveLength(1)
      expect((await client.results.list({ monitor_id: id, to: moment })).items).toEqual([])
    }
    for (const wrong of [NaN, new Date(NaN)])
      await expect(client.results.list({ monitor_id: id, from: wrong })).rejects.toMatchObject({
        fields: { from: 'invalid: a time is expected' },
      })
  })

  it('tells every problem of a refused input by field', async () => {
    const { client } = await served()
    const error = await rejection(client.monitors.create({ type: 'tcp', name: 'x', port: 0 }))
    expect(error).toMatchObject({ code: 'validation', status: 422 })
    expect(Object.keys(error.fields).toSorted()).toEqual(['host', 'port'])
    expect(error.message).toContain('host: required')
    expect(error.request_id).toMatch(/^\w+$/)
  })

  it('refuses a change on top of a version that is not the stored one any more', async () => {
    const { client } = await served()
    const { id, version } = await client.monitors.create(shop)
    await client.monitors.update(id, { name: 'Other' }, { version })
    const error = await rejection(client.monitors.update(id, { name: 'Third' }, { version }))
    expect(error).toMatchObject({ code: 'version_mismatch', status: 412 })
    expect((await rejection(client.monitors.remove(id, { version }))).status).toBe(412)
  })

  it('says which key is not valid by code, and never repeats that', async () => {
    const { url, asked } = await served()
    const error = await rejection(createClient({ url, apiKey: 'wrong' }).me())
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 })
    expect(error.message).not.toContain('wrong')
    expect(asked).toHaveLength(1)
  })

  it('is typed by the fields of each type', () => {
    type Input = Parameters<Client['monitors']['create']>[0]
    expectTypeOf<{ type: 'tcp'; name: string; host: string; port: number }>().toExtend<Input>()
    // A port is a number, a type is one that there is, and a site needs its address.
    expectTypeOf<{ type: 'tcp'; name: string; host: string; port: string }>().not.toExtend<Input>()
    expectTypeOf<{ type: 'ftpd'; name: string; host: string }>().not.toExtend<Input>()
    expectTypeOf<{ type: 'http'; name: string }>().not.toExtend<Input>()
    type Patch = Parameters<Client['monitors']['update']>[1]
    expectTypeOf<{ expected_status: null; interval_sec: 30 }>().toExtend<Patch>()
    expectTypeOf<{ interval_sec: string }>().not.toExtend<Patch>()
  })
})

describe('a call that does not get through', () => {
  /** No pause takes real time. */
  function eager(): { readonly clock: ClientOptions['clock']; readonly pauses: number[] } {
    const clock = simulatedClock()
    const pauses: number[] = []
    return {
      pauses,
      clock: {
        ...clock,
        sleep: (ms, signal) => {
          pauses.push(ms)
          return signal?.aborted === true
            ? Promise.reject(signal.reason as Error)
            : Promise.resolve()
        },
      },
    }
  }

  it('creates one monitor where the answer was lost and the call is repeated', async () => {
    let cut = true
    const { client, engine, asked } = await served(
      (req, res) => {
        if (!cut || req.method !== 'POST') return false
        cut = false
        // The work is done, its answer never arrives.
        res.end = () => {
          res.destroy()
          return res
        }
        return false
      },
      { clock: eager().clock! },
    )
    const { id } = await client.monitors.create(shop)
    expect(asked).toEqual(['POST /api/v1/monitors', 'POST /api/v1/monitors'])
    expect((await engine.monitors.list()).items.map((monitor) => monitor.id)).toEqual([id])
  })

  it('does not repeat a change whose end it does not know', async () => {
    const { client, asked } = await served(
      (req, res) => {
        if (req.method === 'PATCH') res.destroy()
        return req.method === 'PATCH'
      },
      { clock: eager().clock! },
    )
    const { id } = await client.monitors.create(shop)
    asked.length = 0
    expect((await rejection(client.monitors.update(id, { name: 'x' }))).code).toBe('network')
    expect(asked).toHaveLength(1)
  })

  it('waits for as long as it is told to, and gives up where that is too long', async () => {
    let retry_after = 7
    const { clock, pauses } = eager()
    const { client, asked } = await served(
      (_, res) => {
        res.writeHead(429, { 'retry-after': String(retry_after) })
        res.end('{"ok":false,"error":"rate_limited","message":"Slower","request_id":"r1"}')
        return true
      },
      { clock: clock!, retries: 1 },
    )
    expect(await rejection(client.me())).toMatchObject({
      ...{ code: 'rate_limited', status: 429, retry_after_sec: 7, request_id: 'r1' },
      message: 'Slower',
    })
    expect([asked.length, pauses]).toEqual([2, [7_000]])
    retry_after = 3_600
    await rejection(client.me())
    expect([asked.length, pauses.length]).toEqual([3, 1])
  })

  it('pauses longer each time, and ends with the last failure', async () => {
    const { clock, pauses } = eager()
    const { client } = await served(
      (_, res) => {
        res.writeHead(502).end('<h1>Bad gateway</h1>')
        return true
      },
      { clock: clock!, retries: 3 },
    )
    expect(await rejection(client.me())).toMatchObject({ code: 'bad_answer', status: 502 })
    expect(pauses).toHaveLength(3)
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses)
  })

  it('ends at its deadline, and with the reason of whoever calls it off', async () => {
    const url = await serve(() => undefined)
    const hasty = createClient({ url, apiKey: KEY, timeoutMs: 20, retries: 0 })
    expect((await rejection(hasty.me())).code).toBe('timeout')
    const stop = new AbortController()
    const called = createClient({ url, apiKey: KEY }).me({ signal: stop.signal })
    const reason = new Error('changed my mind')
    stop.abort(reason)
    await expect(called).rejects.toBe(reason)
  })

  it('tells an address that nobody listens at, and one that is none', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    const client = createClient({ url, apiKey: KEY, retries: 0 })
    const error = await rejection(client.me())
    expect(error).toMatchObject({ code: 'network', status: null })
    expect(error.cause).toBeDefined()
    expect(() => createClient({ url: 'watch.example.com', apiKey: KEY })).toThrow(/https:/)
  })

  it('does not carry its key to where it is redirected', async () => {
    const seen: (string | undefined)[] = []
    const elsewhere = await serve((req, res) => {
      seen.push(req.headers.authorization)
      res.end('{}')
    })
    const url = await serve((_, res) => {
      res.writeHead(307, { location: `${elsewhere}/api/v1/me` }).end()
    })
    const error = await rejection(createClient({ url, apiKey: KEY, retries: 0 }).me())
    expect([error.code, seen]).toEqual(['network', []])
  })

  it('asks for nothing else than what the call says, whatever stands for an id', async () => {
    const asked: string[] = []
    const url = await serve((req, res) => {
      asked.push(`${req.method} ${req.url}`)
      res.end('{"ok":true}')
    })
    const client = createClient({ url, apiKey: KEY })
    for (const id of ['../contacts', '5/pause', '5?x=1', '5#', '..%2fme', '', undefined, 1.5, -1]) {
      const odd = id as number
      const calls = [
        client.monitors.get(odd),
        client.monitors.remove(odd),
        client.monitors.update(odd, { name: 'x' }),
        client.monitors.pause(odd),
        client.monitors.check(odd),
        client.monitors.uptime(odd),
        client.monitors.hours(odd),
        client.results.list({ monitor_id: odd }),
        client.incidents.acknowledge(odd),
        client.notifications.resend(odd),
        client.contacts.test(odd),
      ]
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'validation' })
    }
    expect(asked).toEqual([])
    await client.signal('token', { kind: 'fail', exit_code: '../../x?y' as never })
    expect(asked).toEqual(['POST /hb/token/..%2F..%2Fx%3Fy'])
    await client.monitors.get('5' as unknown as number)
    expect(asked.at(-1)).toBe('GET /api/v1/monitors/5')
  })

  it('shows its key and what stands in its address in no error', async () => {
    const url = await serve((req, res) =>
      res.end(`{"ok":true,"me":"${req.headers.authorization}"}`),
    )
    const { host } = new URL(url)
    for (const bad of [
      `http://me:hunter22@${host}`,
      `${url}/?token=hunter22`,
      `${url}/#hunter22`,
    ]) {
      const made = (): unknown => createClient({ url: bad, apiKey: KEY })
      expect(made).toThrow(/the address of the API/)
      expect(made).not.toThrow(/hunter22/)
    }
    for (const apiKey of ['hunter22\nsecond-line', 'hunter22\0', 'hunter22-ключ', '', '\n']) {
      const made = (): unknown => createClient({ url, apiKey })
      expect(made).toThrow(/a key is one line/)
      expect(made).not.toThrow(/hunter22/)
    }
    // As a file ends.
    expect(await createClient({ url, apiKey: `${KEY}\n` }).me()).toBe(`Bearer ${KEY}`)
  })

  it('does not read an answer without end', async () => {
    const url = await serve((_, res) => {
      const more = Buffer.alloc(1024 * 1024, ' ')
      const write = (): void => {
        while (!res.destroyed && res.write(more));
      }
      res.on('drain', write)
      write()
    })
    const error = await rejection(createClient({ url, apiKey: KEY, retries: 0 }).me())
    expect(error.message).toContain('larger than')
  })
})
