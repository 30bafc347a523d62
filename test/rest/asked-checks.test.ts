/** How often a check may be asked for, the words for what a list does not take, and incidents as REST shows them. */
import { describe, expect, it } from 'vitest'
import { client, idsOf, tcpMonitor } from './client.ts'
import type { Client } from './client.ts'

const at = '/api/v1/monitors'
const CHECK = { body: { action: 'check', filter: { ids: [1] } } }

async function running(options: Parameters<typeof client>[0] = {}, body: object = tcpMonitor) {
  const made = client(options)
  await made.engine.start()
  await made.create(body)
  return made
}

/** The statuses of so many requests, one after the other. */
async function statuses(count: number, ask: () => ReturnType<Client['ask']>) {
  const all: number[] = []
  for (let n = 0; n < count; n++) all.push((await ask()).status)
  return all
}

const times = (count: number, status: number) => Array<number>(count).fill(status)

describe('a check', () => {
  it('of one monitor may be asked for 30 times a minute', async () => {
    const { ask, create, clock } = await running({ rateLimit: { requests: 100 } })
    const check = () => ask('POST', `${at}/1/check`)
    expect(await statuses(30, check)).toEqual(times(30, 202))
    const { status, headers, body } = await check()
    expect([status, headers.get('retry-after')]).toEqual([429, '60'])
    expect(body).toMatchObject({
      error: 'check_too_soon',
      message: 'More than 30 checks of this monitor were asked for within a minute',
    })
    expect((await ask('POST', `${at}/${await create()}/check`)).status).toBe(202)
    await clock.advance(60_000)
    expect((await check()).status).toBe(202)
  })

  it('of many monitors may be asked for 30 times a minute, and be tried any number of times', async () => {
    const { ask } = await running({ rateLimit: { requests: 100 } })
    const dry = { body: { ...CHECK.body, dry_run: true } }
    expect(await statuses(31, () => ask('POST', `${at}/bulk`, dry))).toEqual(times(31, 200))
    expect(await statuses(30, () => ask('POST', `${at}/bulk`, CHECK))).toEqual(times(30, 200))
    const { status, headers, body } = await ask('POST', `${at}/bulk`, CHECK)
    expect([status, headers.get('retry-after')]).toEqual([429, '60'])
    expect(body).toMatchObject({
      error: 'check_too_soon',
      message: 'More than 30 bulk checks were asked for within a minute',
    })
    const other = { body: { action: 'pause', filter: { ids: [1] } } }
    expect((await ask('POST', `${at}/bulk`, other)).status).toBe(200)
  })

  it('is not counted where requests are not', async () => {
    const { ask } = await running({ rateLimit: false })
    expect(await statuses(31, () => ask('POST', `${at}/1/check`))).toEqual(times(31, 202))
    expect(await statuses(31, () => ask('POST', `${at}/bulk`, CHECK))).toEqual(times(31, 200))
  })

  it('has the version that If-Match names, and the tag of the monitor behind it', async () => {
    const { ask } = await running()
    const tag = (await ask('GET', `${at}/1`)).headers.get('etag') ?? ''
    await ask('PATCH', `${at}/1`, { body: { name: 'New' } })
    for (const query of ['', '?wait=1']) {
      const late = await ask('POST', `${at}/1/check${query}`, { headers: { 'If-Match': tag } })
      expect([late.status, late.body.error]).toEqual([412, 'version_mismatch'])
    }
    const done = await ask('POST', `${at}/1/check?wait=1`)
    const { body } = await ask('POST', `${at}/1/pause`, { headers: { 'If-Match': tag } })
    expect(body.error).toBe('version_mismatch')
    expect(done.headers.get('etag')).toMatch(/^"2\./)
  })
})

describe('a monitor', () => {
  it('is told where it is, below the path of the API', async () => {
    const { ask } = client({ basePath: '/watch' })
    const { status, headers } = await ask('POST', '/watch/api/v1/monitors', { body: tcpMonitor })
    expect([status, headers.get('location')]).toEqual([201, '/watch/api/v1/monitors/1'])
  })

  it('changes, pauses and goes in the version that If-Match names', async () => {
    const { ask } = await running()
    const tag = (await ask('GET', `${at}/1`)).headers.get('etag') ?? ''
    const known = await ask('GET', `${at}/1`, { headers: { 'If-None-Match': tag } })
    expect([known.status, known.text]).toEqual([304, ''])
    const named = { headers: { 'If-Match': tag } }
    expect((await ask('PATCH', `${at}/1`, { body: { name: 'B' }, ...named })).status).toBe(200)
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'C' }],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['DELETE', ''],
    ] as const) {
      const late = await ask(method, `${at}/1${path}`, { ...named, ...(body && { body }) })
      expect([method, path, late.status]).toEqual([method, path, 412])
    }
    expect((await ask('GET', `${at}/1`)).body.monitor).toMatchObject({
      name: 'B',
      state: 'pending',
    })
  })

  it('of a type that is none is looked for in vain, and the types are named', async () => {
    const { status, body } = await client().ask('GET', `${at}?type=tcp,telnet`)
    expect([status, body.fields]).toEqual([
      ...[422, { type: 'invalid: one of tcp, heartbeat is expected' }],
    ])
  })

  it('has a cursor for the next page of many actions, and no other text does', async () => {
    const { ask } = await running()
    const body = { action: 'pause', filter: { all: true }, cursor: 'x' }
    expect((await ask('POST', `${at}/bulk`, { body })).body.fields).toEqual({
      cursor: 'invalid: not a cursor of this list',
    })
    const after = { ...body, cursor: undefined, after: 1 }
    expect((await ask('POST', `${at}/bulk`, { body: after })).body.fields).toEqual({
      after: 'unknown_field',
    })
  })
})

interface Incidents {
  readonly incidents: readonly { readonly id: number }[]
  readonly next_cursor: string | null
}

describe('incidents', () => {
  async function twoDown() {
    const down = { ...tcpMonitor, host: 'down.example', fail_threshold: 1 }
    const made = await running({}, down)
    await made.create(down)
    for (const id of [1, 2]) await made.ask('POST', `${at}/${id}/check?wait=1`)
    const listAt = async (path: string) => (await made.ask('GET', path)).body as Incidents
    return { ...made, listAt }
  }

  it('are listed in pages, newest first, of all monitors or of one', async () => {
    const { listAt } = await twoDown()
    const first = await listAt('/api/v1/incidents?limit=1')
    const second = await listAt(`/api/v1/incidents?limit=1&cursor=${first.next_cursor}`)
    expect([idsOf(first.incidents), idsOf(second.incidents)]).toEqual([[2], [1]])
    expect(second.next_cursor).toBeNull()
    const own = await listAt(`${at}/1/incidents`)
    expect([idsOf(own.incidents), own.next_cursor]).toEqual([[1], null])
  })

  it('of a monitor that is not there, or of a time that runs back, are refused', async () => {
    const { ask } = await twoDown()
    expect((await ask('GET', `${at}/9/incidents`)).status).toBe(404)
    for (const path of ['/api/v1/incidents', `${at}/1/incidents`]) {
      const { status } = await ask('GET', `${path}?from=2027-01-01&to=2026-01-01`)
      expect([path, status]).toEqual([path, 422])
    }
  })

  it('are shown and acknowledged one by one', async () => {
    const { ask } = await twoDown()
    expect((await ask('GET', '/api/v1/incidents/2')).body.incident).toMatchObject({
      ...{ id: 2, monitor: { id: 2 }, acknowledged_at: null },
    })
    const { status, body } = await ask('POST', '/api/v1/incidents/2/acknowledge')
    expect([status, body.incident.id]).toEqual([200, 2])
    expect(body.incident.acknowledged_at).not.toBeNull()
    expect((await ask('GET', '/api/v1/incidents/1')).body.incident.acknowledged_at).toBeNull()
  })
})
