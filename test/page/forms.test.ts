import { expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { site } from './visit.ts'
import type { Site, Visitor } from './visit.ts'

/** A type of one's own, with a field of every kind. */
function lathe() {
  return defineChecker({
    type: 'lathe',
    title: 'Lathe',
    description: 'Asks a lathe how it turns',
    fields: {
      host: field.host({ description: 'Where it stands' }).required(),
      port: field.port({ description: 'Its port' }).default(4000),
      speed: field.number({ description: 'Turns', min: 0, max: 9.5, unit: 'Hz' }),
      mode: field.oneOf(['slow', 'fast'], { description: 'How' }).default('slow'),
      strict: field.flag({ description: 'Whether to mind' }).default(true),
      maybe: field.flag({ description: 'Or not' }),
      words: field.list(field.text({ description: 'A word' }), { description: 'Words', max: 5 }),
      headers: field.headers({ description: 'Sent along' }),
      auth: field.group(
        {
          user: field.text({ description: 'Who' }).required(),
          pass: field.secret({ description: 'The password' }).required(),
        },
        { description: 'Login' },
      ),
    },
    causes: { stuck: { text: 'It is stuck', phase: 'query' } },
    measurements: { user: 'Who asked' },
    target: ({ host }) => host,
    async run(ctx, { host, auth }) {
      await ctx.phase('connect', () => ctx.clock.sleep(30, ctx.signal))
      ctx.measure({ user: auth?.user ?? 'nobody' })
      return host === 'stuck.test' ? down('stuck', `${host} is stuck`) : up()
    },
  })
}

async function workshop(): Promise<Site & { visit: Visitor }> {
  const made = await site({}, { checkers: [lathe()] })
  const visit = made.visitor()
  await visit.signIn()
  return { ...made, visit }
}

const of = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`f.${name}`, value]))

const NEW = { type: 'lathe', ...of({ host: 'lathe.test', strict: 'on', notify_recovery: 'on' }) }

const problemOf = (text: string, name: string): string =>
  new RegExp(`id="f-${name.replace('.', '\\.')}-problem"[^>]*>(.*?)</p>`, 's')
    .exec(text)?.[1]
    ?.replace(/<[^>]*>/g, '')
    .trim() ?? ''

it('every type has a form, also one of your own, with a control and a description for each field', async () => {
  const { visit, engine } = await workshop()
  const chooser = await visit.text('/monitors/new')
  for (const [type, table] of engine.types.tables()) {
    expect(chooser).toContain(`href="/monitors/new?type=${type}"`)
    const text = await visit.text(`/monitors/new?type=${type}`)
    const rows = engine.types.list().find((each) => each.type === type)?.fields ?? []
    for (const { name } of [...rows, ...Object.keys(table.common).map((name) => ({ name }))])
      expect(text, `${type}: ${name}`).toContain(`name="f.${name}"`)
  }
  const text = await visit.text('/monitors/new?type=lathe')
  expect(text).toMatch(/<label for="f-auth\.pass">Auth: pass/)
  expect(text).toContain('<bdi lang="en">Turns</bdi>; in Hz')
  expect((await visit.get('/monitors/new?type=odd')).status).toBe(400)
})

it('the forms of the built-in types have their fields', async () => {
  const made = await site(
    {},
    { checkers: builtinCheckers().filter(({ type }) => type !== 'heartbeat') },
  )
  const visit = made.visitor()
  await visit.signIn()
  for (const { type, fields } of made.engine.types.list()) {
    const text = await visit.text(`/monitors/new?type=${type}`)
    for (const { name } of fields) expect(text, `${type}: ${name}`).toContain(`name="f.${name}"`)
  }
})

it('creates a monitor from what was filled in, and nothing else', async () => {
  const { visit, engine } = await workshop()
  const sent = {
    ...NEW,
    ...of({ port: '4001', speed: '2.5', mode: 'fast', maybe: 'false', words: 'one\r\ntwo\r\n' }),
    ...of({ 'auth.user': 'ann', 'auth.pass': 'opensesame', headers: 'X-A: 1\r\nX-A: 2' }),
    ...of({ name: 'The lathe', interval_sec: '120', tags: 'shop\nold' }),
  }
  const made = await visit.post('/monitors/new', sent)
  expect([made.status, made.headers.get('location')]).toEqual([303, '/monitors/1'])
  const { settings } = await engine.monitors.preview({ type: 'lathe', host: 'x' })
  const monitor = (await engine.monitors.get(1)) as unknown as Record<string, unknown>
  expect(monitor).toMatchObject({
    ...{ host: 'lathe.test', port: 4001, speed: 2.5, mode: 'fast', strict: true, maybe: false },
    ...{ words: ['one', 'two'], auth: { user: 'ann', pass: '***' }, name: 'The lathe' },
    ...{ interval_sec: 120, tags: ['shop', 'old'], notify_recovery: true },
    headers: { 'X-A': ['***', '***'] },
  })
  for (const name of ['fail_threshold', 'timeout_ms', 'metadata'])
    expect(monitor[name]).toEqual(settings[name])
  const [entry] = (await engine.auditLog.list({ action: 'created', resource: 'monitor' })).items
  expect(entry?.actor).toMatch(/^key:/)
})

it('says at each field what is wrong with it, and keeps what was typed but the secrets', async () => {
  const { visit, engine } = await workshop()
  const sent = {
    ...NEW,
    ...of({ port: '70000', speed: 'fast', host: 'a b', 'auth.pass': 'hunter22' }),
  }
  const answer = await visit.post('/monitors/new', sent)
  const text = await answer.text()
  expect(answer.status).toBe(422)
  expect(problemOf(text, 'port')).toBe('Must be 1 to 65,535')
  expect(problemOf(text, 'speed')).toBe('A number is expected')
  expect(problemOf(text, 'host')).toBe('A host name or IP address is expected')
  expect(problemOf(text, 'auth.user')).toBe('This is required')
  expect(problemOf(text, 'mode')).toBe('')
  expect(text).toContain('4 settings are not right')
  expect(text).toContain('value="70000"')
  expect(text).toContain('value="a b"')
  expect(text).not.toContain('hunter22')
  expect((await engine.monitors.list()).items).toEqual([])
})

it('shows no secret again that was typed anywhere, and says where to type it once more', async () => {
  const made = await site({}, { checkers: [http()] })
  const visit = made.visitor()
  await visit.signIn()
  const typed = {
    ...of({ interval_sec: '1', url: 'https://ann:url-secret@shop.test/a?b=c@d' }),
    ...of({
      headers:
        'X-Api-Key: key-secret\r\nAccept: text/html\r\nline-secret\r\nAuthorization: Bearer token-secret',
    }),
    ...of({ proxy: 'http://proxy-user:proxy-secret@proxy.test:3128', 'auth.pass': 'auth-secret' }),
    ...of({ 'proxy_auth.pass': 'proxy-auth-secret', body: 'a body' }),
    ...of({
      'oauth.client_secret': 'client-secret',
      'oauth.token_url': 'https://bob:oauth-secret@id.test/',
    }),
    ...of({ tls_key: 'tls-key-secret', 'auth.user': 'ann' }),
  }
  for (const what of ['save', 'check']) {
    const answer = await visit.post('/monitors/new', { type: 'http', do: what, ...typed })
    const text = await answer.text()
    expect(answer.status).toBe(422)
    expect(text).not.toMatch(/-secret/)
    expect(text).not.toMatch(/proxy-user|bob/)
    expect(text).toContain('value="https://shop.test/a?b=c@d"')
    expect(text).toContain('value="http://proxy.test:3128"')
    expect(text).toContain('value="https://id.test/"')
    expect(text).toContain('>\nX-Api-Key: ***\nAccept: text/html\nAuthorization: ***</textarea>')
    expect(text).toContain('a body</textarea>')
    const left = [...text.matchAll(/id="f-([\w.]+)-left-out"/g)].map(([, name]) => name)
    expect(left.sort()).toEqual([
      ...['auth.pass', 'headers', 'oauth.client_secret', 'oauth.token_url'],
      ...['proxy', 'proxy_auth.pass', 'tls_key', 'url'],
    ])
    expect(text).toContain('aria-describedby="f-url-note f-url-left-out"')
  }
  // Sent as they are shown, they are refused for the headers that are missing.
  const again = { ...of({ url: 'https://shop.test/', headers: 'X-Api-Key: ***' }) }
  const answer = await visit.post('/monitors/new', { type: 'http', do: 'save', ...again })
  expect(answer.status).toBe(422)
  expect(problemOf(await answer.text(), 'headers')).toContain('x-api-key')
})

it.each([
  ['ann:pa/ss@shop.test:80/', 'shop.test:80/'],
  ['https://ann:pa/s?s#@shop.test/', 'https://shop.test/'],
  ['htps//ann:pass@shop.test/@x', 'htps//x'],
  ['https://@shop.test/', 'https://shop.test/'],
  ['https://shop.test/@ann', 'https://shop.test/@ann'],
])('of the address %s it shows %s again', async (url, shown) => {
  const made = await site({}, { checkers: [http()] })
  const visit = made.visitor()
  await visit.signIn()
  const sent = { type: 'http', do: 'save', ...of({ url, interval_sec: '1' }) }
  expect(await (await visit.post('/monitors/new', sent)).text()).toContain(`value="${shown}"`)
})

it('checks before saving: with the phases, the cause, and nothing stored', async () => {
  const { visit, engine, clock } = await workshop()
  const check = async (host: string) => {
    const posting = visit.post('/monitors/new', { ...NEW, 'f.host': host, do: 'check' })
    await clock.advance(1000)
    return (await posting).text()
  }
  expect(await check('lathe.test')).toContain('aria-label="Phases: Connect 30 ms"')
  const stuck = await check('stuck.test')
  expect(stuck).toContain('Failed: the check of these settings')
  expect(stuck).toContain('stuck.test is stuck')
  expect(stuck).toContain('value="stuck.test"')
  expect((await engine.monitors.list()).items).toEqual([])
  expect((await engine.incidents.list()).items).toEqual([])
  const heartbeat = await visit.post('/monitors/new', { type: 'heartbeat', do: 'check' })
  expect(heartbeat.status).toBe(409)
  expect(await heartbeat.text()).toContain('waits for signals')
})

it('changes a monitor, keeps its secrets unseen, and shows beforehand what would change', async () => {
  const { visit, engine } = await workshop()
  const auth = { user: 'ann', pass: 'opensesame' }
  const { id } = await engine.monitors.create({
    ...{ type: 'lathe', name: 'Old', host: 'lathe.test', auth, fail_threshold: 5, words: ['a'] },
    headers: { 'X-Key': 'also-a-secret' },
  })
  const path = `/monitors/${id}/edit`
  const form = await visit.text(path)
  for (const secret of ['opensesame', 'also-a-secret']) expect(form).not.toContain(secret)
  expect(form).toContain('Stored; leave empty to keep it')
  const [, version = ''] = /name="version" value="(\d+)"/.exec(form) ?? []
  const sent = {
    ...{ version, ...NEW },
    ...of({ name: 'New', 'auth.user': 'ann', headers: 'X-Key: ***', words: '' }),
  }
  const preview = await (await visit.post(path, { ...sent, do: 'preview' })).text()
  const changes = [...preview.matchAll(/<th scope="row">([^<]*)/g)].map(([, name]) => name)
  expect(changes.sort()).toEqual(['Fail threshold', 'Name', 'Words'])
  expect((await engine.monitors.get(id)).name).toBe('Old')
  expect((await visit.post(path, { ...sent, do: 'save' })).headers.get('location')).toBe(
    `/monitors/${id}`,
  )
  const after = (await engine.monitors.get(id)) as unknown as Record<string, unknown>
  expect(after).toMatchObject({
    name: 'New',
    fail_threshold: 2,
    auth: { user: 'ann', pass: '***' },
  })
  expect(after['words']).toBeUndefined()
  const stale = await visit.post(path, { ...sent, do: 'save' })
  expect(stale.status).toBe(409)
  expect(await stale.text()).toContain('Somebody else has changed this monitor')
})

it('a stored secret goes to no other place, neither by saving nor by checking', async () => {
  const { visit, engine } = await workshop()
  const auth = { user: 'ann', pass: 'opensesame' }
  const { id } = await engine.monitors.create({ type: 'lathe', host: 'lathe.test', auth })
  for (const what of ['save', 'check', 'preview']) {
    const sent = { ...NEW, ...of({ host: 'evil.test', 'auth.user': 'ann' }), do: what }
    const answer = await visit.post(`/monitors/${id}/edit`, sent)
    expect(answer.status, what).toBe(422)
    expect(problemOf(await answer.text(), 'auth.pass'), what).not.toBe('')
  }
  expect(await engine.monitors.get(id)).toMatchObject({ host: 'lathe.test' })
})

it('a login is removed with its secret', async () => {
  const { visit, engine } = await workshop()
  const auth = { user: 'ann', pass: 'opensesame' }
  const { id } = await engine.monitors.create({ type: 'lathe', host: 'lathe.test', auth })
  await visit.post(`/monitors/${id}/edit`, { ...NEW, 'remove.auth.pass': 'on' })
  expect(await engine.monitors.get(id)).not.toHaveProperty('auth')
})

it('copies a monitor without its secrets, and deletes one after asking', async () => {
  const { visit, engine } = await workshop()
  const auth = { user: 'ann', pass: 'opensesame' }
  const input = { type: 'lathe', name: 'One', host: 'lathe.test', port: 4002, auth }
  const { id } = await engine.monitors.create(input)
  const copy = await visit.text(`/monitors/new?clone=${id}`)
  expect(copy).toContain('value="Copy of One"')
  expect(copy).toContain('value="4002"')
  expect(copy).not.toContain('opensesame')
  expect(copy).not.toContain('Stored; leave empty to keep it')
  expect(await visit.text(`/monitors/${id}/delete`)).toContain('Delete <bdi>One</bdi>?')
  expect((await engine.monitors.list()).items).toHaveLength(1)
  expect((await visit.post(`/monitors/${id}/delete`)).headers.get('location')).toBe('/')
  expect((await engine.monitors.list()).items).toEqual([])
})

it('is for who may write: no other account, no other site, nobody who only looks', async () => {
  const { visit, visitor, other, engine } = await workshop()
  const theirs = await other.monitors.create({ type: 'lathe', host: 'theirs.test' })
  for (const path of [`/monitors/${theirs.id}/edit`, `/monitors/${theirs.id}/delete`]) {
    expect((await visit.get(path)).status, path).toBe(404)
    expect((await visit.post(path, NEW)).status, path).toBe(404)
  }
  expect((await visit.get(`/monitors/new?clone=${theirs.id}`)).status).toBe(404)
  const foreign = await visit.post('/monitors/new', NEW, { 'Sec-Fetch-Site': 'cross-site' })
  expect(foreign.status).toBe(403)
  expect((await visitor().post('/monitors/new', NEW)).status).toBe(403)
  expect((await visitor().get('/monitors/new')).status).toBe(303)
  await engine.keys.create({ name: 'looks', key: 'a-key-that-looks', scopes: ['read'] })
  const looker = visitor()
  await looker.signIn('a-key-that-looks')
  for (const path of ['/monitors/new', '/monitors/new?type=lathe']) {
    expect((await looker.get(path)).status, path).toBe(403)
  }
  expect((await looker.post('/monitors/new', NEW)).status).toBe(403)
  expect((await engine.monitors.list()).items).toEqual([])
})

it('counts with the requests and the asked checks of the API', async () => {
  const made = await site({ rateLimit: { requests: 40 } }, { checkers: [lathe()] })
  const visit = made.visitor()
  await visit.signIn()
  const statuses: number[] = []
  for (let at = 0; at < 31; at++) {
    const posting = visit.post('/monitors/new', { ...NEW, do: 'check' })
    await made.clock.advance(100)
    statuses.push((await posting).status)
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  for (let at = 0; at < 9; at++) await visit.post('/monitors/new', { type: 'lathe' })
  expect((await visit.post('/monitors/new', NEW)).status).toBe(429)
})

it('a form of more fields than the page ever sends is refused, before they are looked at', async () => {
  const { visit, engine } = await workshop()
  const type = 'application/x-www-form-urlencoded'
  const send = (more: number) => {
    const fields = `${String(new URLSearchParams(NEW))}${'&a'.repeat(more)}`
    return visit.post('/monitors/new', new Blob([fields], { type }))
  }
  const refused = await send(130_000)
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('The form could not be read')
  expect((await engine.monitors.list()).items).toEqual([])
  expect((await send(1000)).status).toBe(303)
})
