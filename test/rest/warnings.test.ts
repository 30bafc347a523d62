import { expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createClient } from '../../src/client/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

const KEY = 'key-of-account-one'

it('POST and PATCH say which settings do nothing, and so does the client', async () => {
  const clock = simulatedClock()
  await using engine = createEngine({
    clock,
    store: memoryStore({ clock }),
    checkers: [heartbeat()],
    contacts: [],
  })
  await engine.open()
  await engine.keys.create({ name: 'one', key: KEY })
  const rest = createRest(engine, { clock })
  const ask = async (method: string, path: string, body: object) => {
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' }
    const request = { method, headers, body: JSON.stringify(body) }
    const response = await rest.fetch(new Request(`http://watch.test/api/v1${path}`, request))
    const answer = (await response.json()) as Record<string, unknown>
    return { ...answer, etag: response.headers.get('etag') }
  }
  const job = { type: 'heartbeat', name: 'Backup' }
  const timeout = {
    field: 'timeout_ms',
    text: 'has no effect: nothing is checked, the job sends signals',
  }
  expect(await ask('POST', '/monitors', { ...job, timeout_ms: 5000 })).toMatchObject({
    ok: true,
    monitor: expect.not.objectContaining({ warnings: expect.anything() as unknown }) as unknown,
    warnings: [timeout],
  })
  expect(await ask('POST', '/monitors', job)).toMatchObject({ ok: true, warnings: [] })
  const patched = await ask('PATCH', '/monitors/1', { timeout_ms: 6000, name: 'New' })
  expect(patched).toMatchObject({ warnings: [timeout] })
  // The tag is that of the monitor, as it is read.
  const read = new Request('http://watch.test/api/v1/monitors/1', {
    headers: { Authorization: `Bearer ${KEY}` },
  })
  expect((await rest.fetch(read)).headers.get('etag')).toBe(patched.etag)

  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    rest.fetch(new Request(url, init))
  const client = createClient({ url: 'http://watch.test', apiKey: KEY, fetch })
  const made = await client.monitors.create({ ...job, type: 'heartbeat', timeout_ms: 5000 })
  expect(made.warnings).toEqual([timeout])
  expect(await client.monitors.update(made.id, { name: 'X' })).not.toHaveProperty('warnings')
})
