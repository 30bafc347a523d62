import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { client, idsOf, tcpMonitor } from './client.ts'
import { OTHER_KEY } from './service.ts'

const at = '/api/v1/public-pages'
const PNG = 'data:image/png;base64,iVBORw0KGgo='

describe('public pages over REST', () => {
  it('are created with their defaults, listed, shown, changed and deleted', async () => {
    const { ask, ready, create } = client()
    await ready
    const monitor = await create()
    const body = { title: 'Shop', slug: 'Shop-1', groups: [{ name: 'Web', monitors: [monitor] }] }
    const created = await ask('POST', at, { body })
    expect([created.status, created.headers.get('location')]).toEqual([201, `${at}/1`])
    expect(created.body.public_page).toMatchObject({
      ...{ id: 1, title: 'Shop', slug: 'shop-1', description: '', logo: '', css: '' },
      groups: [{ name: 'Web', monitors: [{ id: monitor, name: '' }], tag: '' }],
      ...{ colors: { light: {}, dark: {} }, time_zone: 'UTC', password: null, noindex: true },
      ...{ show_targets: false, show_causes: false, version: 1 },
    })
    expect((await ask('GET', `${at}/1`)).body).toEqual(created.body)
    expect(idsOf((await ask('GET', at)).body.public_pages)).toEqual([1])
    const patch = {
      ...{ logo: PNG, colors: { dark: { accent: '#8DB2FF' } }, time_zone: 'Europe/Berlin' },
      groups: [{ monitors: [{ id: monitor, name: 'Checkout' }], tag: 'web' }],
    }
    const { public_page } = (await ask('PATCH', `${at}/1`, { body: patch })).body
    expect(public_page).toMatchObject({
      ...{ title: 'Shop', version: 2, logo: PNG, time_zone: 'Europe/Berlin' },
      colors: { light: {}, dark: { accent: '#8db2ff' } },
      groups: [{ name: '', monitors: [{ id: monitor, name: 'Checkout' }], tag: 'web' }],
    })
    // A view may be sent back as it is.
    expect((await ask('PATCH', `${at}/1`, { body: public_page })).body.public_page.version).toBe(3)
    expect((await ask('DELETE', `${at}/1`)).body).toEqual({ ok: true, deleted: { id: 1 } })
    expect((await ask('GET', `${at}/1`)).status).toBe(404)
  })

  it('change only in the version that If-Match names, and once per Idempotency-Key', async () => {
    const { ask, ready } = client()
    await ready
    const asked = { body: { title: 'Shop', slug: 'shop' }, headers: { 'Idempotency-Key': 'once' } }
    const created = await ask('POST', at, asked)
    expect((await ask('POST', at, asked)).body).toEqual(created.body)
    const etag = created.headers.get('etag') ?? ''
    const same = await ask('GET', `${at}/1`, { headers: { 'If-None-Match': etag } })
    expect(same.status).toBe(304)
    const patch = { body: { title: 'Store' }, headers: { 'If-Match': etag } }
    expect((await ask('PATCH', `${at}/1`, patch)).status).toBe(200)
    const outdated = await ask('PATCH', `${at}/1`, patch)
    expect([outdated.status, outdated.body.error]).toEqual([412, 'version_mismatch'])
    expect((await ask('DELETE', `${at}/1`, { headers: { 'If-Match': etag } })).status).toBe(412)
  })

  it('are refused with every field that is wrong', async () => {
    const { ask, ready } = client()
    await ready
    const body = {
      ...{ slug: '../x', colour: 'red', time_zone: 'Mars', password: 'short', logo: 'http://x/' },
      colors: { light: { accent: 'red', glow: '#000000' } },
      groups: [{ monitors: [7], size: 1 }],
    }
    const { status, body: answer } = await ask('POST', at, { body })
    expect([status, Object.keys(answer.fields).toSorted()]).toEqual([
      422,
      [
        'colors.light.accent',
        'colors.light.glow',
        'colour',
        'groups',
        'logo',
        'password',
        'slug',
        'time_zone',
        'title',
      ],
    ])
  })

  it.each([
    ['a{background:url(https://x/)}', 'url()'],
    ['a{background:URL (x)}', 'url()'],
    ['a{background:u/**/rl(x)}', 'url()'],
    ['a{background:\\75rl(x)}', 'backslash'],
    ['a{background:image-set("x" 1x)}', 'url()'],
    ['a{background:-webkit-cross-fade("x", "y", 50%)}', 'url()'],
    ['a{background:-moz-image-set("x" 1x)}', 'url()'],
    ['@import "https://x/"', '@import'],
    ['@IMPORT/**/"x"', '@import'],
    ['@font-face{font-family:x}', '@font-face'],
    ['a{}</style><script>alert(1)</script>', 'HTML'],
    ['a{}}body{display:none', 'braces'],
    ['a{color:red', 'braces'],
  ])('take no CSS that loads something or leaves its place: %s', async (css, told) => {
    const { ask, ready } = client()
    await ready
    const { status, body } = await ask('POST', at, { body: { title: 'a', slug: 'a', css } })
    expect([status, body.fields.css]).toEqual([422, expect.stringContaining(told)])
  })

  it.each([
    'https://*/',
    'https://*.example/x.png',
    'https://a;sandbox;x/',
    'https://a,b/',
    "https://a'b/",
  ])('take no logo whose host says more in the policy than one address: %s', async (logo) => {
    const { ask, ready } = client()
    await ready
    const { status, body } = await ask('POST', at, { body: { title: 'a', slug: 'a', logo } })
    expect([status, body.fields.logo]).toEqual([422, expect.stringContaining('https://')])
  })

  it('take harmless CSS as it is', async () => {
    const { ask, ready } = client()
    await ready
    const css =
      '/* } */ .bars{--url:1}\n@media (width < 600px){.services>li::after{content:"{ }"}}\n'
    const { body } = await ask('POST', at, { body: { title: 'a', slug: 'a', css } })
    expect(body.public_page.css).toBe(css)
  })

  it('have an address that no other account can take, nor find out more about', async () => {
    const { ask, ready, create } = client()
    await ready
    const monitor = await create()
    const body = { title: 'Shop', slug: 'shop' }
    await ask('POST', at, { body, key: OTHER_KEY })
    const taken = await ask('POST', at, { body: { ...body, slug: 'SHOP' } })
    expect([taken.status, taken.body.error]).toEqual([409, 'slug_taken'])
    expect(taken.text).not.toContain('"id"')
    await ask('POST', at, { body: { ...body, slug: 'mine' } })
    expect((await ask('PATCH', `${at}/2`, { body: { slug: 'shop' } })).status).toBe(409)
    for (const [method, patch] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const)
      expect((await ask(method, `${at}/1`, patch && { body: patch })).status).toBe(404)
    expect(idsOf((await ask('GET', at)).body.public_pages)).toEqual([2])
    const groups = [{ monitors: [monitor] }]
    const foreign = await ask('PATCH', `${at}/1`, { body: { groups }, key: OTHER_KEY })
    expect([foreign.status, Object.keys(foreign.body.fields)]).toEqual([422, ['groups']])
  })

  it('keep a password as a hash, which no answer and no log shows', async () => {
    const { ask, ready, engine } = client()
    await ready
    const body = { title: 'Shop', slug: 'shop', password: 'correct horse' }
    const created = await ask('POST', at, { body })
    expect(created.body.public_page.password).toBe('***')
    await ask('PATCH', `${at}/1`, { body: { password: '***', title: 'Store' } })
    await ask('PATCH', `${at}/1`, { body: { password: 'another one' } })
    const opened = await ask('PATCH', `${at}/1`, { body: { password: null } })
    expect(opened.body.public_page.password).toBeNull()
    const log = (await engine.auditLog.list({ resource: 'public_page' })).items
    expect(log.map(({ action, changes }) => [action, changes.map(({ field }) => field)])).toEqual([
      ['updated', ['password']],
      ['updated', ['password']],
      ['updated', ['title']],
      ['created', []],
    ])
    expect(JSON.stringify(log)).not.toMatch(/correct horse|another one|scrypt/)
  })

  it('are as many as the quota of the account says', async () => {
    const { ask, ready, engine } = client()
    await ready
    await engine.accounts.update(1, { quotas: { public_pages: 1 } })
    await ask('POST', at, { body: { title: 'a', slug: 'a' } })
    const beyond = await ask('POST', at, { body: { title: 'b', slug: 'b' } })
    expect([beyond.status, beyond.body.error]).toEqual([409, 'quota'])
  })

  it('lose a monitor that was deleted, and keep the others', async () => {
    const { ask, ready, create } = client()
    await ready
    const [gone, stays] = [await create(), await create({ ...tcpMonitor, port: 444 })]
    const groups = [{ monitors: [gone, stays] }]
    await ask('POST', at, { body: { title: 'a', slug: 'a', groups } })
    await ask('DELETE', `/api/v1/monitors/${gone}`)
    const { body } = await ask('PATCH', `${at}/1`, { body: { title: 'b' } })
    expect(body.public_page.groups[0].monitors).toEqual([{ id: stays, name: '' }])
  })

  it('are not offered where the store has no place for them', async () => {
    const { publicPages: _, ...store } = memoryStore()
    const engine = createEngine({ store, checkers: [tcp()], logger: false })
    onTestFinished(() => engine.stop())
    const authenticate = () => ({ account_id: 1, key: { id: 1 } })
    const rest = createRest(engine, { authenticate, logger: false })
    const ask = (method: string, body?: object) => {
      const headers = { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
      return rest.fetch(new Request(`http://localhost${at}`, { method, ...sent }))
    }
    const made = await ask('POST', { title: 'a', slug: 'a' })
    expect([made.status, await made.json()]).toMatchObject([501, { error: 'not_offered' }])
    expect(await (await ask('GET')).json()).toMatchObject({ public_pages: [] })
  })

  it('whose passwords a host sets for one account without waiting for them are refused beyond ten', async () => {
    const { engine, ready } = client()
    await ready
    const ends = await Promise.allSettled(
      Array.from({ length: 15 }, (_, n) =>
        engine.publicPages.create({ title: 'Shop', slug: `shop-${n}`, password: 'long enough' }),
      ),
    )
    const refused = ends.filter((end) => end.status === 'rejected')
    expect(refused.map(({ reason }) => String(reason.code))).toEqual(Array(4).fill('busy'))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(11)
  })

  it('whose passwords one account sets over REST without waiting for them are all made', async () => {
    const { ask, ready } = client()
    await ready
    const body = (n: number) => ({ title: 'Shop', slug: `shop-${n}`, password: 'long enough' })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ask('POST', at, { body: body(n) })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
  })

  it('whose passwords one account hashes keep no other account waiting', async () => {
    const { ask, ready } = client()
    await ready
    const done: string[] = []
    const protect = async (slug: string, key?: string): Promise<void> => {
      const body = { title: 'Shop', slug, password: 'long enough' }
      const { status } = await ask('POST', at, { body, ...(key === undefined ? {} : { key }) })
      expect(status).toBe(201)
      done.push(slug)
    }
    const flood = Array.from({ length: 6 }, (_, n) => protect(`mine-${n}`))
    await Promise.all([...flood, protect('theirs', OTHER_KEY)])
    expect(done.indexOf('theirs')).toBeLessThan(3)
  })
})
