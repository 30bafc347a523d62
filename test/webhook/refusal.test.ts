import { describe, expect, it } from 'vitest'
import { parse } from '../../src/fields/parse.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { answering, rig, status } from './rig.ts'

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
