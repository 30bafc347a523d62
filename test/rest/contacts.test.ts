import { describe, expect, it } from 'vitest'
import { client, idsOf } from './client.ts'
import { OTHER_KEY } from './service.ts'

const hook = { kind: 'webhook', name: 'Ops', url: 'http://127.0.0.1:9/hook', secret: 'canary-1' }
const at = '/api/v1/contacts'
const one = `${at}/1`
const managed = () => client({ manageContacts: true })

describe('contacts over REST', () => {
  it('are listed only, unless the host switches more on', async () => {
    const { ask, engine } = client()
    await engine.contacts.create(hook)
    expect((await ask('GET', '/api/v1/contacts')).status).toBe(200)
    expect((await ask('POST', '/api/v1/contacts', { body: hook })).status).toBe(405)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await ask(method, '/api/v1/contacts/1')).status).toBe(404)
    const { body } = await ask('GET', '/api/v1/openapi.json')
    expect(Object.keys(body.paths)).not.toContain('/api/v1/contacts/{id}')
    expect(await engine.contacts.list()).toHaveLength(1)
  })

  it('are created, read, changed and deleted, and tell no secret', async () => {
    const { ask } = managed()
    const created = await ask('POST', '/api/v1/contacts', { body: hook })
    expect([created.status, created.headers.get('location')]).toEqual([201, '/api/v1/contacts/1'])
    expect(created.body.contact).toMatchObject({ id: 1, name: 'Ops', settings: { secret: '***' } })
    const body = { name: 'Night', secret: '***' }
    const changed = await ask('PATCH', '/api/v1/contacts/1', { body })
    expect([changed.status, changed.body.contact.name]).toEqual([200, 'Night'])
    const shown = await ask('GET', '/api/v1/contacts/1')
    expect(shown.body.contact.settings).toMatchObject({ url: hook.url, secret: '***' })
    for (const { text } of [created, changed, shown]) expect(text).not.toContain('canary')
    const deleted = await ask('DELETE', '/api/v1/contacts/1')
    expect([deleted.status, deleted.body]).toEqual([200, { ok: true, deleted: { id: 1 } }])
    expect((await ask('GET', '/api/v1/contacts/1')).status).toBe(404)
  })

  it('are listed for one request of an account at a time: lists of thousands would be in memory together', async () => {
    const { ask, engine, store } = client()
    await engine.contacts.create(hook)
    const list = store.contacts.list.bind(store.contacts)
    let [running, most] = [0, 0]
    Object.assign(store.contacts, {
      list: async (...asked: Parameters<typeof list>) => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => void setImmediate(resolve))
        running--
        return list(...asked)
      },
    })
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('GET', at)))
    expect(answers.map(({ body }) => idsOf(body.contacts))).toEqual(Array(8).fill([1]))
    expect(most).toBe(1)
  })

  it('are created once for one Idempotency-Key', async () => {
    const { ask } = managed()
    const asked = { body: hook, headers: { 'Idempotency-Key': 'once' } }
    const first = await ask('POST', '/api/v1/contacts', asked)
    expect((await ask('POST', '/api/v1/contacts', asked)).body).toEqual(first.body)
    expect(idsOf((await ask('GET', '/api/v1/contacts')).body.contacts)).toEqual([1])
  })

  it('change and go only in the version that If-Match names', async () => {
    const { ask } = managed()
    const created = await ask('POST', at, { body: hook })
    const etag = created.headers.get('etag') ?? ''
    expect(created.body.contact.version).toBe(1)
    const shown = await ask('GET', one)
    expect(shown.headers.get('etag')).toBe(etag)
    expect((await ask('GET', one, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    const renamed = await ask('PATCH', one, {
      body: { name: 'Night' },
      headers: { 'If-Match': etag },
    })
    expect([renamed.status, renamed.body.contact.version]).toEqual([200, 2])
    for (const [method, body] of [['PATCH', { name: 'Lost' }], ['DELETE']] as const) {
      const late = await ask(method, one, {
        ...(body && { body }),
        headers: { 'If-Match': etag },
      })
      expect([late.status, late.body.error]).toEqual([412, 'version_mismatch'])
    }
    expect((await ask('GET', one)).body.contact.name).toBe('Night')
    const latest = { 'If-Match': renamed.headers.get('etag') ?? '' }
    expect((await ask('DELETE', one, { headers: latest })).status).toBe(200)
    expect((await ask('GET', one)).status).toBe(404)
  })

  it('that are changed by two at once take one change of the same version', async () => {
    const { ask } = managed()
    const etag = (await ask('POST', at, { body: hook })).headers.get('etag') ?? ''
    const names = ['a', 'b', 'c']
    const answers = await Promise.all(
      names.map((name) => ask('PATCH', one, { body: { name }, headers: { 'If-Match': etag } })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412])
    const stored = answers.find(({ status }) => status === 200)
    expect((await ask('GET', one)).body.contact).toEqual(stored?.body.contact)
  })

  it('are not removed when they change between the look at the version and the removal', async () => {
    const { ask, engine, store } = managed()
    const headers = {
      'If-Match': (await ask('POST', at, { body: hook })).headers.get('etag') ?? '',
    }
    const { remove } = store.contacts
    const late: typeof remove = async (...given) => {
      await engine.contacts.update(1, { name: 'Night' })
      return remove.call(store.contacts, ...given)
    }
    Object.assign(store.contacts, { remove: late })
    const { status, body } = await ask('DELETE', one, { headers })
    expect([status, body.error]).toEqual([412, 'version_mismatch'])
    expect((await ask('GET', one)).body.contact.name).toBe('Night')
  })

  it('lose no change of different fields without If-Match', async () => {
    const { ask } = managed()
    await ask('POST', at, { body: hook })
    const bodies = [
      ...[{ name: 'Night' }, { all_monitors: true }, { group_window_sec: 60 }],
      ...[{ events: ['degraded'] }, { method: 'GET' }],
    ]
    const answers = await Promise.all(bodies.map((body) => ask('PATCH', one, { body })))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    expect((await ask('GET', one)).body.contact).toMatchObject({
      ...{ name: 'Night', all_monitors: true, group_window_sec: 60, events: ['degraded'] },
      ...{ settings: { method: 'GET' }, version: 6 },
    })
  })

  it('that others change all the time are a 409', async () => {
    const { ask, store } = managed()
    await ask('POST', at, { body: hook })
    Object.assign(store.contacts, { update: () => Promise.resolve(undefined) })
    const { status, body } = await ask('PATCH', one, { body: { name: 'Night' } })
    expect([status, body.error]).toEqual([409, 'busy'])
  })

  it.each([
    [{}, ['kind']],
    [{ kind: 'telex', name: 'x' }, ['kind']],
    [{ ...hook, url: 'http://10.0.0.1/', colour: 'red' }, ['colour']],
    [{ ...hook, url: 'http://10.0.0.1/' }, ['url']],
  ])('are refused with 422 as %j', async (body, fields) => {
    const { status, body: answer } = await managed().ask('POST', '/api/v1/contacts', { body })
    expect([status, Object.keys(answer.fields)]).toEqual([422, fields])
  })

  it('need the secret again for another destination', async () => {
    const { ask } = managed()
    await ask('POST', '/api/v1/contacts', { body: hook })
    const body = { url: 'http://127.0.0.1:10/hook' }
    const { status, body: answer } = await ask('PATCH', '/api/v1/contacts/1', { body })
    expect([status, Object.keys(answer.fields)]).toEqual([422, ['secret']])
    const kind = await ask('PATCH', '/api/v1/contacts/1', { body: { kind: 'slack' } })
    expect([kind.status, kind.body.fields]).toEqual([422, { kind: 'immutable' }])
  })

  it('belong to the account of the key', async () => {
    const { ask } = managed()
    await ask('POST', '/api/v1/contacts', { body: hook })
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect(
        (await ask(method, '/api/v1/contacts/1', { ...(body && { body }), key: OTHER_KEY })).status,
      ).toBe(404)
    expect((await ask('GET', '/api/v1/contacts')).body.contacts[0].name).toBe('Ops')
  })

  it('show what they would be sent, and send nothing', async () => {
    const { ask } = managed()
    await ask('POST', '/api/v1/contacts', { body: hook })
    const { status, body, text } = await ask('GET', '/api/v1/contacts/1/preview?event=repeat')
    expect([status, body.preview.event, body.preview.content.repeat]).toEqual([
      200,
      'repeat',
      { n: 1, max: 3 },
    ])
    expect(text).not.toContain('canary')
    const usual = await ask('GET', '/api/v1/contacts/1/preview')
    expect(usual.body.preview.event).toBe('down')
    const misspelt = await ask('GET', '/api/v1/contacts/1/preview?event=dwon')
    expect([misspelt.status, misspelt.body.fields.event]).toEqual([
      422,
      expect.stringMatching(/^invalid: did you mean "down"\? One of down, /),
    ])
    const foreign = await ask('GET', '/api/v1/contacts/1/preview', { key: OTHER_KEY })
    expect(foreign.status).toBe(404)
    expect((await ask('GET', '/api/v1/notifications')).body.notifications).toEqual([])
  })

  it('are beyond a key that only reads, and beyond the quota', async () => {
    const readOnly = client({
      manageContacts: true,
      authenticate: () => ({ account_id: 1, key: { id: 'k', scopes: ['read'] } }),
    })
    expect((await readOnly.ask('POST', '/api/v1/contacts', { body: hook })).status).toBe(403)
    const { ask, engine, ready } = managed()
    await ready
    await engine.accounts.update(1, { quotas: { contacts: 1 } })
    expect((await ask('POST', '/api/v1/contacts', { body: hook })).status).toBe(201)
    const { status, body } = await ask('POST', '/api/v1/contacts', { body: hook })
    expect([status, body.error]).toEqual([409, 'quota'])
  })
})
