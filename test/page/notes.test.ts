import { describe, expect, it, onTestFinished } from 'vitest'
import { ORIGIN, site } from './visit.ts'
import type { Site, Visitor } from './visit.ts'

const MINUTE_MS = 60_000

interface Signed extends Site {
  readonly visit: Visitor
}

async function signedIn(options: Parameters<typeof site>[0] = {}): Promise<Signed> {
  const made = await site(options)
  onTestFinished(() => made.engine.stop({ drainMs: 0 }))
  const visit = made.visitor()
  await visit.signIn()
  return { ...made, visit }
}

/** A monitor with an open incident. */
async function failing(made: Site, more: Record<string, unknown> = {}): Promise<number> {
  made.failing.set('db.test', 'The database is gone')
  const id = await made.create('db.test', { fail_threshold: 1, ...more })
  await made.clock.advance(2 * MINUTE_MS)
  expect((await made.engine.monitors.get(id)).state).toBe('down')
  return id
}

describe('an incident', () => {
  it('is acknowledged by a button, once, and says so from then on', async () => {
    const made = await signedIn()
    const id = await failing(made)
    const before = await made.visit.text(`/monitors/${id}`)
    expect(before).toContain('action="/incidents/1/acknowledge"')
    const pressed = await made.visit.post('/incidents/1/acknowledge')
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, `/monitors/${id}`])
    expect((await made.engine.incidents.get(1)).acknowledged_at).not.toBeNull()
    const after = await made.visit.text(`/monitors/${id}`)
    expect(after).toMatch(/class="tag"[^>]*>Acknowledged <time/)
    expect(after).not.toContain('action="/incidents/1/acknowledge"')
    expect(await made.visit.text('/incidents')).toContain('<span class="tag">Acknowledged</span>')
  })

  it('is not acknowledged from another site, by a stranger, or by another account', async () => {
    const made = await signedIn()
    await failing(made)
    const press = (visit: Visitor, headers?: Record<string, string>) =>
      visit.post('/incidents/1/acknowledge', {}, headers)
    expect((await press(made.visit, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await press(made.visit, { Origin: 'https://evil.test' })).status).toBe(403)
    expect((await press(made.visitor())).status).toBe(403)
    const other = made.visitor()
    await other.signIn('key-of-account-two')
    expect((await press(other)).status).toBe(404)
    expect((await made.engine.incidents.get(1)).acknowledged_at).toBeNull()
    expect((await press(made.visit, { Origin: ORIGIN })).status).toBe(303)
  })

  it('has no button for whoever may only look', async () => {
    const made = await signedIn({ authorize: () => ({ account_id: 1, read_only: true }) })
    const id = await failing(made)
    const text = await made.visit.text(`/monitors/${id}`)
    expect(text).not.toContain('acknowledge')
    expect((await made.visit.post('/incidents/1/acknowledge')).status).toBe(403)
  })

  it('that is over cannot be acknowledged any more', async () => {
    const made = await signedIn()
    await failing(made)
    made.failing.clear()
    await made.clock.advance(5 * MINUTE_MS)
    expect((await made.visit.post('/incidents/1/acknowledge')).status).toBe(409)
  })

  it('that another monitor explains names it, on the page and in the list', async () => {
    const made = await signedIn()
    const parent = await failing(made, { name: 'The <database>' })
    made.failing.set('app.test', 'No answer')
    const child = await made.create('app.test', { fail_threshold: 1, depends_on: [parent] })
    await made.clock.advance(3 * MINUTE_MS)
    const text = await made.visit.text(`/monitors/${child}`)
    expect(text).toMatch(
      new RegExp(`Caused by <a href="/monitors/${parent}">.*The &lt;database&gt;`),
    )
    expect(await made.visit.text('/incidents')).toContain('Caused by another monitor')
    expect(await made.visit.text(`/monitors/${parent}`)).not.toContain('Caused by')
  })
})

describe('a monitor', () => {
  it('under planned work says until when, and before it when it begins', async () => {
    const made = await signedIn()
    const at = (minutes: number) => new Date(made.clock.now() + minutes * MINUTE_MS).toISOString()
    const id = await made.create('db.test', { maintenance: [{ start: at(30), end: at(90) }] })
    expect(await made.visit.text(`/monitors/${id}`)).toMatch(
      /Planned work begins <time[^>]*>in 30 min/,
    )
    await made.clock.advance(31 * MINUTE_MS)
    expect(await made.visit.text(`/monitors/${id}`)).toMatch(
      /Planned work ends <time[^>]*>in 59 min/,
    )
    const more = { name: 'More', window: { start: at(30), end: at(150) }, all_monitors: true }
    await made.engine.maintenance.create(more)
    expect(await made.visit.text(`/monitors/${id}`)).toMatch(/Planned work ends <time[^>]*>in 2 h/)
  })

  it('that is flapping says so, there and in the overview', async () => {
    const made = await signedIn()
    const id = await made.create('db.test', {
      ...{ flap_detection: true, fail_threshold: 1, recover_threshold: 1, interval_sec: 60 },
    })
    for (let round = 0; round < 30; round++) {
      if (round % 2 === 0) made.failing.set('db.test', 'Off again')
      else made.failing.clear()
      await made.clock.advance(MINUTE_MS)
    }
    expect((await made.engine.monitors.get(id)).flapping).toBe(true)
    expect(await made.visit.text(`/monitors/${id}`)).toMatch(/class="tag"[^>]*>Flapping</)
    expect(await made.visit.text('/')).toContain('<span class="tag">Flapping</span>')
  })

  it('is told of planned work of its account, on its page and on the overview', async () => {
    const made = await signedIn({
      public: [{ slug: 'shop', title: 'Shop', monitors: { tag: 'shop' } }],
    })
    const at = (minutes: number) => new Date(made.clock.now() + minutes * MINUTE_MS).toISOString()
    const id = await made.create('db.test', { name: 'Database', tags: ['shop'] })
    await made.create('web.test', { name: 'Web', tags: ['shop'] })
    const other = await made.create('mail.test')
    const work = { name: 'Move <b>disks</b>', window: { start: at(30), end: at(90) } }
    await made.engine.maintenance.create({ ...work, monitor_ids: [id] })
    await made.engine.maintenance.create({ ...work, name: 'Mail only', monitor_ids: [other] })
    const ahead =
      /<strong><bdi>Move &lt;b&gt;disks&lt;\/b&gt;<\/bdi><\/strong> begins <time[^>]*>in 30 min/
    expect(await made.visit.text(`/monitors/${id}`)).toMatch(ahead)
    expect(await made.visit.text('/')).toMatch(ahead)
    expect(await made.visit.text(`/monitors/${other}`)).not.toMatch(ahead)
    const open = await made.visitor().text('/status/shop')
    expect(open).toMatch(ahead)
    expect(open).toContain(' · <bdi>Database</bdi>')
    expect(open).not.toContain('Mail only')
    await made.clock.advance(31 * MINUTE_MS)
    expect(await made.visit.text('/')).toMatch(/is under way and ends <time[^>]*>in 59 min/)
  })

  it('says how much more is planned than it shows', async () => {
    const made = await signedIn()
    const id = await made.create('web.test', {
      maintenance: [{ at: '03:00', duration_min: 10 }],
    })
    // Of all days, and of one on its page.
    expect(await made.visit.text('/')).not.toMatch(/and (?:at least )?\d+ more/)
    expect(await made.visit.text(`/monitors/${id}`)).toContain('and 25 more')
    const nightly = { at: '22:00', duration_min: 10 }
    await made.engine.maintenance.create({ name: 'Disks', window: nightly, all_monitors: true })
    expect(await made.visit.text('/')).toContain('and 4 more')
    expect(await made.visit.text(`/monitors/${id}`)).toContain('and at least 45 more')
  })

  it('that is well has nothing to add', async () => {
    const made = await signedIn()
    const id = await made.create('web.test')
    await made.clock.advance(MINUTE_MS)
    const text = await made.visit.text(`/monitors/${id}`)
    expect(text).not.toMatch(/Flapping|Planned work|Explained|cknowledge/)
    expect(await made.visit.text('/')).not.toContain('Flapping')
  })
})

describe('a monitor that is up and degraded', () => {
  it('says so in the list and on its page, with the cause', async () => {
    const made = await signedIn()
    // Its checks take 20 ms.
    const id = await made.create('a.test', { warn: { response: { below: 50 } } })
    expect(await made.visit.text('/')).not.toContain('Degraded')
    await made.clock.advance(3 * MINUTE_MS)
    const text = await made.visit.text(`/monitors/${id}`)
    expect(text).toMatch(/class="tag"[^>]*>Degraded, began <time/)
    expect(text).toContain('response is 20 ms, less than 50 ms')
    const list = await made.visit.text('/')
    // Before the address, which may be long.
    expect(list).toMatch(
      /class="muted target">\s*<span class="near"[^>]*>[^]*?<\/svg>\s*Degraded: /,
    )
    expect(list).toContain('response is 20 ms, less than 50 ms')
    expect((await made.engine.monitors.get(id)).state).toBe('up')
  })
})
