import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { describe as rowsOf } from '../../src/fields/describe.ts'
import { parse } from '../../src/fields/parse.ts'
import { createGuard } from '../../src/net/guard/guard.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { answering, delivery, rig, status } from './rig.ts'

const blocked = { class: 'failed', http_status: null, error: 'blocked', answer: null }

describe('a contact that is saved', () => {
  const resolve = (host: string): readonly string[] => {
    if (host === 'gitlab' || host === 'db01.corp') return ['10.0.0.7']
    throw new Error('no such name')
  }
  const saved = async (host: string, guard = {}): Promise<string | undefined> =>
    (await webhookContact({ guard }).check({ url: `http://${host}/` } as never, { resolve }))['url']

  it('does not tell which names there are inside', async () => {
    const told = await saved('gitlab')
    expect(told).toContain('private_address')
    for (const host of ['nowhere', 'db01.corp', 'db02.corp', 'printer.lan', 'vault.internal'])
      expect(await saved(host)).toBe(told)
    expect(await saved('hooks.example.org')).toBeUndefined()
  })

  it('may have such a name that is not known yet, where the operator lets webhooks inside', async () => {
    for (const guard of [{ allowCidrs: ['172.18.0.0/16'] }, { allowHosts: ['alertmanager'] }])
      expect(await saved('alertmanager', guard)).toBeUndefined()
  })
})

describe('a delivery to an address that is not allowed', () => {
  it('fails for good without a packet, by literal and by name', async () => {
    const server = await scriptedServer(answering(status(200)))
    const { attempt } = rig({
      guard: {},
      hosts: { 'inside.example': ['127.0.0.1'], 'both.example': ['8.8.8.8', '127.0.0.1'] },
    })
    for (const host of [
      '127.0.0.1',
      '[::ffff:7f00:1]',
      '2130706433',
      '127.1',
      'localhost',
      'x.localhost',
      'inside.example',
      'both.example',
    ]) {
      expect(await attempt({ url: `http://${host}:${server.port}/` })).toMatchObject(blocked)
    }
    expect(server.connections).toBe(0)
  })

  it('is noticed when the name comes to mean another address between two attempts', async () => {
    const server = await scriptedServer(answering(status(200)))
    const address = { now: '127.0.0.1' }
    const dns = await scriptedDns((question) => ({
      answers:
        question.type === 'A'
          ? [{ type: 'A', name: question.name, ttl: 0, data: address.now }]
          : [],
    }))
    const { attempt } = rig({ nameservers: [dns.address] })
    const target = { url: `http://hook.example:${server.port}/` }
    expect(await attempt(target)).toMatchObject({ class: 'delivered' })
    address.now = '10.0.0.1'
    expect(await attempt(target)).toMatchObject(blocked)
    address.now = '127.0.0.1'
    expect(await attempt(target)).toMatchObject({ class: 'delivered' })
    expect(server.connections).toBe(2)
  })

  it('is told apart from an address that is none', async () => {
    const { kind } = rig()
    const { attempt } = rig({ guard: { ports: [443], allowCidrs: ['127.0.0.1/32'] } })
    expect(kind.kind).toBe('webhook')
    expect(await attempt({ url: 'http://127.0.0.1:8080/' })).toMatchObject({
      class: 'failed',
      error: 'invalid_url',
    })
  })
})

describe('saving a webhook contact', () => {
  const kind = webhookContact()
  const check = (url: string, addresses: string[] = ['8.8.8.8']) =>
    kind.check({ url, method: 'POST' }, { resolve: () => addresses })

  it.each([
    'http://10.0.0.1/',
    'http://192.168.1.1:8080/hook',
    'http://localhost/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
    'http://0x7f.1/',
  ])('refuses %s', async (url) => {
    const problems = await check(url)
    expect(problems.url).toMatch(/^invalid: private_address/)
  })

  it('does not reveal what a name resolves to', async () => {
    const inside = await check('https://hook.example/', ['10.1.2.3'])
    const metadata = await check('https://hook.example/', ['8.8.8.8', '169.254.169.254'])
    expect(inside.url).toMatch(/^invalid: private_address/)
    expect(inside).toEqual(metadata)
    expect(JSON.stringify(inside)).not.toMatch(/\d/)
  })

  it('accepts a public address, and a name that nobody knows yet', async () => {
    expect(await check('https://hook.example/')).toEqual({})
    expect(await check('https://hook.example/', [])).toEqual({})
    expect(await check('https://8.8.8.8/')).toEqual({})
  })

  it('accepts what the operator allows', async () => {
    const own = webhookContact({ guard: { allowCidrs: ['10.0.0.0/8'] } })
    expect(await own.check({ url: 'http://10.0.0.1/', method: 'POST' })).toEqual({})
  })

  it.each([
    ['nowhere', 'an absolute URL is expected'],
    [`https://hook.example/${'a'.repeat(2048)}`, 'the URL is too long'],
    ['ftp://hook.example/', 'an http:// or https:// address is expected'],
    ['https://me:word@hook.example/', 'user and password do not belong in this address'],
    ['https://hook.example:8443/', 'this port is not allowed'],
    ['https://10.0.0.1/', 'private_address: this address is not allowed'],
  ])('says what is wrong with %s', async (url, problem) => {
    const strict = webhookContact({ guard: { ports: [443] } })
    expect(await strict.check({ url, method: 'POST' })).toEqual({ url: `invalid: ${problem}` })
  })

  it('shares the guard of the host where it is given one', async () => {
    const guard = createGuard({ allowCidrs: ['10.0.0.0/8'] })
    const shared = webhookContact({ guard })
    expect(shared.policy).toBe(guard.policy)
    expect(await shared.check({ url: 'http://10.0.0.1/', method: 'POST' })).toEqual({})
  })

  it('fills in defaults and brings the URL to its canonical form', () => {
    expect(parse(kind.fields, { url: 'HTTPS://Hook.Example:443/a#fragment' })).toEqual({
      ok: true,
      value: { url: 'https://hook.example/a', method: 'POST' },
    })
  })

  it.each([
    [{}, 'url', 'required'],
    [{ url: 'ftp://hook.example/' }, 'url', 'invalid'],
    [{ url: 'https://user:pass@hook.example/' }, 'url', 'invalid'],
    [{ url: `https://hook.example/${'a'.repeat(2048)}` }, 'url', 'out_of_range'],
    [{ url: 'https://hook.example/', method: 'PUT' }, 'method', 'invalid'],
    [{ url: 'https://hook.example/', headers: { Host: 'x' } }, 'headers', 'invalid'],
    [{ url: 'https://hook.example/', headers: { 'X-Service-Event': 'x' } }, 'headers', 'invalid'],
    [{ url: 'https://hook.example/', headers: { 'X-A': 'a\r\nb' } }, 'headers', 'invalid'],
    [
      {
        url: 'https://hook.example/',
        headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'x'])),
      },
      'headers',
      'invalid',
    ],
    [{ url: 'https://hook.example/', secret: '' }, 'secret', 'out_of_range'],
    [{ url: 'https://hook.example/', uri: 'x' }, 'uri', 'unknown_field'],
  ])('reports what is wrong with %j', (input, name, problem) => {
    const parsed = parse(kind.fields, input)
    expect(parsed.ok ? {} : parsed.fields).toMatchObject({
      [name]: expect.stringMatching(new RegExp(`^${problem}`)) as string,
    })
  })
})

describe('the options of webhookContact', () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['deadlineMs', [1, 14_000], [0, 14_001, '5']],
    ['answerMs', [0, 60_000], [-1, NaN]],
    ['answerBytes', [0, 1_048_576], [-1, 1_048_577, 0.5]],
    ['retryStatuses', [[], [400, 499]], [[399], [500], 429]],
    ['retryConnectionErrors', [true, false], ['yes']],
    ['brand', ['Acme'], [5, 'My Brand']],
    ['prefix', ['Acme'], [5, 'a:b']],
    ['guard', [{}], ['10.0.0.0/8']],
    ['transport', [{ send: () => undefined }], [{}, 'http']],
    ['deadline', [], [5]],
  ])('%s', (name, right, wrong) => {
    for (const value of right) expect(() => webhookContact({ [name]: value })).not.toThrow()
    for (const value of wrong) {
      expect(() => webhookContact({ [name]: value })).toThrow(ConfigurationError)
      expect(() => webhookContact({ [name]: value })).toThrow(name)
    }
  })
})

describe('what a client is told of the kind', () => {
  const kind = webhookContact()

  it('are its fields, of which two are secrets', () => {
    expect(kind).toMatchObject({ kind: 'webhook', title: 'Webhook' })
    const row = (name: string) => rowsOf(kind.fields).find((each) => each.name === name)
    expect(rowsOf(kind.fields).map(({ name }) => name)).toEqual([
      'url',
      'secret',
      'standard_secret',
      'headers',
      'method',
    ])
    expect(row('url')).toMatchObject({
      required: true,
      format: 'url',
      description: 'Address to call; https recommended',
    })
    expect(kind.fields.url.info.example).toBe('https://example.com/hook')
    expect(row('secret')).toMatchObject({
      secret: true,
      description: 'Signs the body; without it requests are not signed',
    })
    expect(row('standard_secret')).toMatchObject({
      secret: true,
      description:
        'Adds the headers of Standard Webhooks: whsec_ and base64; two with a space while one replaces the other',
    })
    expect(row('headers')).toMatchObject({
      kind: 'object',
      description: 'Headers sent with every request, at most 20',
    })
    expect(row('method')).toMatchObject({
      enum: ['POST', 'GET'],
      default: 'POST',
      description: 'GET carries the same body; some proxies drop it',
    })
  })

  it('is its target, and a preview without secrets', async () => {
    const settings = { url: 'https://hook.example/', secret: 'topsecret' }
    expect(kind.target?.({ ...settings, method: 'POST' })).toBe(settings.url)
    expect(await kind.preview?.({ ...settings, method: 'POST' }, delivery)).toEqual(
      delivery.payload,
    )
  })
})
