import { describe, expect, it } from 'vitest'
import { client, tcpMonitor } from './client.ts'
import type { Client } from './client.ts'

async function setUp(): Promise<Client & { path: string; etag: string }> {
  const made = client()
  await made.engine.start()
  const path = `/api/v1/monitors/${await made.create()}`
  const { headers } = await made.ask('GET', path)
  return { ...made, path, etag: headers.get('etag') ?? '' }
}

/** A store whose next commit takes until it is released. */
function holdCommit(store: Client['store']): { begun: Promise<void>; release: () => void } {
  const { commit } = store
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const begun = new Promise<void>((resolve) => {
    const held: typeof commit = async (changes) => {
      resolve()
      await released
      return commit.call(store, changes)
    }
    Object.assign(store, { commit: held })
  })
  return {
    begun,
    release() {
      release()
    },
  }
}

describe('If-Match', () => {
  it('lets a change pass while nobody else has changed the monitor', async () => {
    const { ask, path, etag } = await setUp()
    const first = await ask('PATCH', path, { body: { port: 80 }, headers: { 'if-match': etag } })
    expect(first.status).toBe(200)
    const second = await ask('PATCH', path, { body: { port: 81 }, headers: { 'if-match': etag } })
    expect([second.status, second.body.error]).toEqual([412, 'version_mismatch'])
    expect((await ask('GET', path)).body.monitor.port).toBe(80)
  })

  it('looks at the settings alone: a change of state does not spoil an edit', async () => {
    const { ask, path, etag } = await setUp()
    await ask('POST', `${path}/check?wait=1`)
    const { status } = await ask('PATCH', path, {
      body: { port: 80 },
      headers: { 'if-match': etag },
    })
    expect(status).toBe(200)
  })

  it.each([
    ['the bare version', '"1"', 200],
    ['any version', '*', 200],
    ['one of several', '"7", "1.abc"', 200],
    ['none of several', '"7", "8"', 412],
    ['a weak tag, which never matches', 'W/"1"', 412],
    ['something else', 'abc', 412],
  ])('takes %s', async (_name, tag, status) => {
    const { ask, path } = await setUp()
    const answer = await ask('PATCH', path, { body: { port: 80 }, headers: { 'if-match': tag } })
    expect(answer.status).toBe(status)
  })

  it.each(['POST /pause', 'POST /resume', 'POST /check', 'DELETE '])(
    'holds for %s as well',
    async (action) => {
      const { ask, path, checked } = await setUp()
      const [method = '', suffix = ''] = action.split(' ')
      const refused = await ask(method, path + suffix, { headers: { 'if-match': '"7"' } })
      expect([refused.status, checked]).toEqual([412, []])
      const done = await ask(method, path + suffix, { headers: { 'if-match': '"1"' } })
      expect(done.status).toBeLessThan(300)
    },
  )

  it.each([
    ['pause', 'pause'],
    ['pause', 'resume'],
    ['pause', 'PATCH'],
  ])('lets one of two win that come together: %s and %s', async (first, second) => {
    const { ask, path, etag } = await setUp()
    const send = (action: string) =>
      action === 'PATCH'
        ? ask('PATCH', path, { body: { port: 80 }, headers: { 'if-match': etag } })
        : ask('POST', `${path}/${action}`, { headers: { 'if-match': etag } })
    const answers = await Promise.all([send(first), send(second)])
    expect(answers.map(({ status, body }): unknown => [status, body.error])).toEqual([
      [200, undefined],
      [412, 'version_mismatch'],
    ])
  })

  it.each(['', '?wait=1'])(
    'keeps a check%s from a monitor that is being changed',
    async (query) => {
      const { ask, path, etag, checked, store } = await setUp()
      const headers = { 'if-match': etag }
      const { begun, release } = holdCommit(store)
      const changing = ask('PATCH', path, { body: { name: 'Renamed' }, headers })
      await begun
      const checking = ask('POST', `${path}/check${query}`, { headers })
      release()
      const [changed, refused] = await Promise.all([changing, checking])
      expect([changed.status, refused.status, refused.body.error]).toEqual([
        200,
        412,
        'version_mismatch',
      ])
      expect(checked).toEqual([])
    },
  )

  it('of an unknown monitor is a 404', async () => {
    const headers = { 'if-match': '"1", "2"' }
    expect((await client().ask('DELETE', '/api/v1/monitors/9', { headers })).status).toBe(404)
  })
})

describe('If-None-Match', () => {
  it('answers 304 without a body while nothing has changed', async () => {
    const { ask, path, etag } = await setUp()
    for (const tag of [etag, `"x", ${etag}`, `W/${etag}`]) {
      const { status, headers, text } = await ask('GET', path, {
        headers: { 'if-none-match': tag },
      })
      expect([status, text, headers.get('etag')]).toEqual([304, '', etag])
    }
  })

  it('answers in full once the state has changed, though the version has not', async () => {
    const { ask, path, etag } = await setUp()
    await ask('POST', `${path}/check?wait=1`)
    const { status, body } = await ask('GET', path, { headers: { 'if-none-match': etag } })
    expect([status, body.monitor.state, body.monitor.version]).toEqual([200, 'up', 1])
  })
})

describe('the entity tag of a creation', () => {
  it('is that of the first read', async () => {
    const { ask } = client()
    const { headers } = await ask('POST', '/api/v1/monitors', { body: tcpMonitor })
    expect((await ask('GET', '/api/v1/monitors/1')).headers.get('etag')).toBe(headers.get('etag'))
  })
})
