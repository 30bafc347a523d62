import { describe, expect, it } from 'vitest'
import { client, idsOf } from './client.ts'
import { OTHER_KEY } from './service.ts'

const hook = { kind: 'webhook', name: 'Ops', url: 'http://127.0.0.1:9/hook', secret: 'canary-1' }
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

  it('are created once for one Idempotency-Key', async () => {
    const { ask } = managed()
    const asked = { body: hook, headers: { 'Idempotency-Key': 'once' } }
    const first = await ask('POST', '/api/v1/contacts', asked)
    expect((await ask('POST', '/api/v1/contacts', asked)).body).toEqual(first.body)
    expect(idsOf((await ask('GET', '/api/v1/contacts')).body.contacts)).toEqual([1])
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
