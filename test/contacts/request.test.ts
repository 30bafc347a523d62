/** The kind `request`: what its templates insert, what they refuse, and what it never calls. */
import { describe, expect, it } from 'vitest'
import { requestContact } from '../../src/contacts/index.ts'
import { readTemplate, render } from '../../src/contacts/template.ts'
import { decodeSettings, parse } from '../../src/fields/parse.ts'
import type { JsonObject } from '../../src/model.ts'
import { rig as engineRig } from '../engine/rig.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { rawReceiver } from './raw-receiver.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const request = requestContact({ guard: LOOPBACK })
const problems = (settings: JsonObject) =>
  rig(request).problems({ url: 'http://127.0.0.1:9/', ...settings })

describe('the body', () => {
  it('is JSON whose texts are filled in, whatever the values contain', async () => {
    const server = await rawReceiver()
    const json = {
      text: 'now: {{title}}',
      who: ['{{monitor.name}}', { id: '{{ monitor.id }}', seven: 7, none: null, yes: true }],
      event: '{{event}}',
    }
    const name = 'a", "event": "up", "x": "\\'
    const { attempt } = rig(request)
    await attempt({ url: `${server.url}/`, json }, told('down', { monitor: { name } }))
    const { method, headers, body } = server.only()
    expect({ method, type: headers['content-type'] }).toEqual({
      method: 'POST',
      type: 'application/json',
    })
    expect(JSON.parse(body)).toEqual({
      text: `now: ${name} is down`,
      who: [name, { id: '7', seven: 7, none: null, yes: true }],
      event: 'down',
    })
  })

  it('is a form whose values cannot add a field', async () => {
    const server = await rawReceiver()
    const form = { To: '+1555', Body: '{{monitor.name}}' }
    const name = 'a&To=+1999=%26'
    await rig(request).attempt({ url: server.url, form }, told('down', { monitor: { name } }))
    const { headers, body } = server.only()
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(body)]).toEqual([
      ['To', '+1555'],
      ['Body', name],
    ])
  })

  it('is a text, or empty', async () => {
    const server = await rawReceiver()
    const { attempt } = rig(request)
    await attempt({ url: server.url, text: '{{title}}\n{{facts}}' }, told('down'))
    await attempt({ url: server.url, method: 'GET' }, told('down'))
    expect(server.received.map(({ method, body }) => [method, body.split('\n')[0]])).toEqual([
      ['POST', 'Shop is down'],
      ['GET', ''],
    ])
    expect(server.received[0]?.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(server.received[1]?.headers['content-type']).toBeUndefined()
  })

  it('does not read a value as a template, and inserts the secret into the body alone', async () => {
    const server = await rawReceiver()
    const json = { text: '{{monitor.name}}', token: '{{secret}}' }
    const name = '{{secret}} {{facts}}'
    const settings = { url: server.url, secret: 'tk_hidden', json }
    await rig(request).attempt(settings, told('down', { monitor: { name } }))
    expect(JSON.parse(server.only().body)).toEqual({ text: name, token: 'tk_hidden' })
  })

  it('is previewed without the secret, however many ellipses are in the text', async () => {
    const text = `${'…'.repeat(70)}{{secret}} {{ secret }}`
    const stored = { url: 'https://hooks.example/a', secret: 'tk_hidden-0123456789', text }
    const parsed = parse(request.fields, stored)
    const settings = decodeSettings(request.fields, parsed.ok ? parsed.value : ({} as never))
    const { body } = (await request.preview?.(settings, told('down'))) ?? {}
    expect(body).toBe(`${'…'.repeat(70)}*** ***`)
  })

  it.each<[string, JsonObject]>([
    ['json', { json: { key: 'Bearer {{secret:14}}' } }],
    ['form', { form: { key: '{{ secret : 14 }}' } }],
    ['text', { text: 'key={{secret:14}}' }],
    ['recovery_json', { recovery_json: { key: '{{secret:14}}' } }],
  ])('%s takes no piece of the secret', async (name, body) => {
    expect(await problems({ secret: 'Kx81-qZ77-Lm55-Vt29-Rw03', ...body })).toEqual({
      [name]: 'invalid: {{secret}} is inserted whole: it takes no length',
    })
  })

  it.each([
    ['as Python does', (text: string) => text.replaceAll('…', '\\u2026')],
    ['as a form', encodeURIComponent],
  ])(
    'that is stored with a length inserts the secret whole, and a receiver that repeats it %s shows nothing',
    async (_, repeated) => {
      const server = await receiver()
      const secret = 'Kx81-qZ77-Lm55-Vt29-Rw03'
      const stored = {
        ...{ url: `${server.url}/`, method: 'POST', escape: 'none', delivered_status: '200-299' },
        ...{ secret, json: { key: '{{secret:14}}' } },
      }
      const { attemptStored } = rig(request)
      expect(await attemptStored(stored, told('down'))).toMatchObject({ class: 'delivered' })
      const sent = server.only().json as JsonObject
      server.answer(403, `denied: ${repeated(JSON.stringify(sent))}`)
      const { answer } = await attemptStored(stored, told('down'))
      expect(answer).toContain('denied: ')
      expect(answer).toContain('***')
      for (let at = 0; at + 6 <= secret.length; at++)
        expect(answer).not.toContain(secret.slice(at, at + 6))
      expect(sent).toEqual({ key: secret })
    },
  )

  it('stays within 256 KiB with forty of the longest values', async () => {
    const server = await rawReceiver()
    const text = '{{facts}}'.repeat(40)
    const settings = { url: server.url, json: { text }, escape: 'markdown' }
    await rig(request).attempt(settings, hostile('of_another_kind'))
    expect(Buffer.byteLength(server.only().body)).toBeLessThan(256 * 1024)
  })

  it.each([
    ['none', '<!here> @all *b* &'],
    ['html', '&lt;!here&gt; @all *b* &amp;'],
    ['markdown', '<\u200b\\!here\\> @\u200ball \\*b\\* &'],
    ['mentions', '<\u200b!here> @\u200ball *b* &'],
  ])('escapes the markup of values as %s', async (escape, expected) => {
    const server = await rawReceiver()
    const settings = { url: server.url, escape, text: '**{{monitor.name}}**' }
    const name = '<!here> @all *b* &'
    await rig(request).attempt(settings, told('down', { monitor: { name } }))
    expect(server.only().body).toBe(`**${expected}**`)
  })
})

describe('the address', () => {
  it('takes numbers of the message into path and query, the same at every attempt', async () => {
    const server = await rawReceiver()
    const url = `${server.url}/send/{{notification_id}}?key={{alert_key}}`
    const { attempt } = rig(request)
    for (const delivery of [told('down'), told('down'), told('ssl_changed', { incident: null })])
      await attempt({ url, method: 'PUT' }, delivery)
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /send/42?key=watchpost-7-9-1767268710000',
      'PUT /send/42?key=watchpost-7-9-1767268710000',
      'PUT /send/42?key=watchpost-notification-42-1767268800000',
    ])
  })

  it.each([
    'http://{{monitor.id}}.example/',
    'http://example.com{{monitor.id}}/',
    'http://example.com:{{monitor.id}}/',
    '{{monitor.id}}',
    'ftp://example.com/',
    'http://example.com/{{monitor.name}}',
    'http://example.com/{{secret}}',
    'http://example.com/#{{event}}',
    'http://user{{monitor.id}}@example.com/',
  ])('%s is refused', async (url) => {
    expect(await problems({ url })).toEqual({ url: expect.stringMatching(/^invalid: /) })
  })

  it('is another one for up where that is set, at the same place only', async () => {
    const server = await rawReceiver()
    const settings = {
      url: `${server.url}/alerts`,
      json: { message: '{{title}}' },
      recovery_url: `${server.url}/alerts/{{alert_key}}/close`,
      recovery_json: { note: '{{title}}' },
    }
    const { attempt } = rig(request)
    for (const event of ['down', 'repeat', 'up']) await attempt(settings, told(event))
    expect(server.received.map(({ path, body }) => [path, JSON.parse(body) as unknown])).toEqual([
      ['/alerts', { message: 'Shop is down' }],
      ['/alerts', { message: 'Shop is still down' }],
      ['/alerts/watchpost-7-9-1767268710000/close', { note: 'Shop is up again' }],
    ])
    expect(Object.keys(await problems({ recovery_url: 'http://127.0.0.1:10/' }))).toEqual([
      'recovery_url',
    ])
  })

  it('is judged by the guard at every attempt', async () => {
    const server = await scriptedServer(() => undefined)
    const closed = rig(requestContact(), { 'inside.example': ['127.0.0.1'] })
    for (const host of ['127.0.0.1', 'inside.example', '[::1]']) {
      const url = `http://${host}:${server.port}/{{notification_id}}`
      expect(await closed.attempt({ url }, told('down'))).toMatchObject({ error: 'blocked' })
    }
    expect(server.connections).toBe(0)
    expect(await closed.problems({ url: 'http://10.0.0.1/{{event}}' })).toHaveProperty('url')
  })
})

describe('what is delivered', () => {
  it.each([
    [undefined, 204, 'delivered', null],
    ['200', 202, 'failed', 'http_202'],
    ['200-299,409', 409, 'delivered', null],
    ['2xx', 404, 'failed', 'http_404'],
    ['200,503', 503, 'delivered', null],
    ['200', 429, 'temporary', 'http_429'],
    ['200', 500, 'temporary', 'http_500'],
  ])('with %s a %d is %s', async (delivered_status, status, expected, error) => {
    const server = await rawReceiver()
    server.answer(status)
    const settings = { url: server.url, ...(delivered_status && { delivered_status }) }
    expect(await rig(request).attempt(settings, told('down'))).toMatchObject({
      class: expected,
      error,
    })
  })
})

describe('settings', () => {
  it.each<[string, JsonObject, string]>([
    ['an unknown placeholder', { json: { text: '{{monitor.nam}}' } }, 'json'],
    ['one of the prototype', { text: '{{constructor}}' }, 'text'],
    ['code', { text: '{{#if up}}x{{/if}}' }, 'text'],
    ['an expression', { text: '{{1+1}}' }, 'text'],
    ['a lone brace pair', { form: { a: '{{' } }, 'form'],
    ['a placeholder in a name', { json: { '{{event}}': 1 } }, 'json'],
    ['a cut beyond the bounds', { text: '{{title:0}}' }, 'text'],
    ['too many placeholders', { json: { a: ['{{event}}'.repeat(41)] } }, 'json'],
    ['too much text', { text: 'a'.repeat(20_000) }, 'text'],
    ['too many levels', { json: { a: [[[[[[[[1]]]]]]]] } }, 'json'],
    ['two bodies', { json: {}, text: 'a' }, 'text'],
    ['a body with GET', { method: 'GET', text: 'a' }, 'method'],
    ['a secret that is not set', { json: { a: '{{secret}}' } }, 'secret'],
    ['a list as a body', { json: [] }, 'json'],
    ['a form of objects', { form: { a: {} } }, 'form'],
    ['a header of the connection', { headers: { 'Content-Length': '1' } }, 'headers'],
    ['a status that is none', { delivered_status: '9xx' }, 'delivered_status'],
  ])('with %s are refused', async (_, settings, name) => {
    expect(Object.keys(await problems(settings))).toEqual([name])
  })

  it('may begin like a problem', async () => {
    expect(await problems({ text: 'invalid: {{title}}' })).toEqual({})
  })
})

it('a template renders every event without a placeholder left', () => {
  const template = readTemplate('{{ title:5 }}/{{link}}', ['title', 'link'])
  expect(typeof template).toBe('object')
  const values = new Map([['title', 'Shop is down']])
  expect(typeof template === 'string' ? '' : render(template, values, (text) => text)).toBe(
    'Shop…/',
  )
  expect(EVENTS.length).toBeGreaterThan(10)
})

it('a changed host needs the headers and the secret again, and neither is shown', async () => {
  const r = await engineRig({ contacts: [requestContact()] })
  const created = await r.engine.contacts.create({
    kind: 'request',
    name: 'chat',
    url: 'https://chat.example/hooks/abcdefghijklmnop',
    headers: { Authorization: 'Bearer tk_hidden' },
    secret: 'tk_body',
    json: { text: '{{title}}', token: '{{secret}}' },
  })
  expect(created.settings).toMatchObject({
    url: '***',
    headers: { Authorization: '***' },
    secret: '***',
    json: { text: '{{title}}', token: '{{secret}}' },
  })
  const moved = r.engine.contacts.update(created.id, { url: 'https://evil.example/' })
  await expect(moved).rejects.toMatchObject({
    fields: {
      headers: expect.stringMatching(/required/),
      secret: expect.stringMatching(/required/),
    },
  })
  const same = { url: 'https://chat.example/hooks/ponmlkjihgfedcba' }
  expect(await r.engine.contacts.update(created.id, same)).toMatchObject({ kind: 'request' })
})
