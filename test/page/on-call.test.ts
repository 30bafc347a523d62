import { expect, it } from 'vitest'
import { site } from './visit.ts'
import type { Site, Visitor } from './visit.ts'

const MINUTE_MS = 60_000

async function onCall(): Promise<Site & { visit: Visitor; contact: number }> {
  const made = await site()
  const visit = made.visitor()
  await visit.signIn()
  const input = { kind: 'silent', to: 'phone', name: 'On-call phone', all_monitors: true }
  const { id } = await made.engine.contacts.create(input)
  return { ...made, visit, contact: id }
}

const plain = (text: string): string =>
  text
    .replace(/<(?:head|header|footer)[^]*?<\/(?:head|header|footer)>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

const titleOf = (text: string): string => /<title>([^<]*)/.exec(text)?.[1] ?? ''
const iconOf = (text: string): string => /rel="icon" href="([^"]+)"/.exec(text)?.[1] ?? ''

it('the overview warns of a contact that is not reached, until something is delivered again', async () => {
  const { visit, create, failing, refusing, clock, contact } = await onCall()
  await create('a.test', { fail_threshold: 1, recover_threshold: 1 })
  await clock.advance(MINUTE_MS)
  expect(await visit.text('/')).not.toContain('not reached')
  refusing.add('phone')
  failing.set('a.test', 'Gone')
  await clock.advance(2 * MINUTE_MS)
  expect(plain(await visit.text('/'))).toContain('On-call phone was not reached')
  expect(await visit.text('/')).toContain(`href="/contacts/${contact}"`)
  expect(plain(await visit.text('/contacts'))).toMatch(/Not delivered \d+ \w+ ago , http_410/)
  refusing.clear()
  await visit.post(`/contacts/${contact}/test`)
  expect(await visit.text('/')).not.toContain('not reached')
})

it('a contact has its last delivery, what waits, a test, and what was sent, which can be sent again', async () => {
  const { visit, engine, create, failing, refusing, clock, contact } = await onCall()
  await create('a.test', { fail_threshold: 1 })
  failing.set('a.test', 'Gone')
  refusing.add('phone')
  await clock.advance(2 * MINUTE_MS)
  const failed = plain(await visit.text(`/contacts/${contact}`))
  expect(failed).toContain('The last notification was not delivered')
  expect(failed).toMatch(/down a\.test Failed http_410 1 attempt HTTP 410/)
  refusing.clear()
  const tested = await visit.post(`/contacts/${contact}/test`)
  expect([tested.status, tested.headers.get('location')]).toEqual([303, `/contacts/${contact}`])
  expect(plain(await visit.text(`/contacts/${contact}`))).toContain(
    'The last notification was delivered',
  )
  const [down] = (await engine.notifications.list({ contact_id: contact })).items.filter(
    ({ event }) => event === 'down',
  )
  const again = await visit.post(`/notifications/${down?.id ?? 0}/resend`, {
    return: '/incidents/1',
  })
  expect(again.headers.get('location')).toBe('/incidents/1')
  await clock.advance(MINUTE_MS)
  const sent = (await engine.notifications.list({ contact_id: contact })).items
  expect(sent.filter(({ event, status }) => event === 'down' && status === 'sent')).toHaveLength(1)
})

it('what waits for a contact in its quiet hours is counted, with the time of the next attempt', async () => {
  const { visit, engine, create, failing, clock, contact } = await onCall()
  const hours = [{ from: '00:00', to: '23:00' }]
  await engine.contacts.update(contact, { quiet: { time_zone: 'UTC', hours } })
  await create('a.test', { fail_threshold: 1 })
  failing.set('a.test', 'Gone')
  await clock.advance(2 * MINUTE_MS)
  expect(plain(await visit.text('/contacts'))).toContain('1 notification waiting')
  expect(plain(await visit.text(`/contacts/${contact}`))).toMatch(
    /1 notification waiting, next attempt in \d+ h/,
  )
})

it('an incident has a page of its own: steps in order, failed checks with phases, what else failed', async () => {
  const { visit, create, failing, clock } = await onCall()
  await create('a.test', { fail_threshold: 2, recover_threshold: 1 })
  await create('b.test', { fail_threshold: 1 })
  await create('calm.test')
  await clock.advance(MINUTE_MS)
  failing.set('a.test', 'Connection refused')
  failing.set('b.test', 'No route')
  await clock.advance(2 * MINUTE_MS)
  const [a] = /\/incidents\/\d+(?=[^>]*><bdi>a\.test)/.exec(await visit.text('/incidents')) ?? ['']
  expect(await visit.text(a)).toContain('aria-label="Phases: Connect 20 ms"')
  await visit.post(`${a}/acknowledge`, { return: a })
  failing.clear()
  await clock.advance(2 * MINUTE_MS)
  const text = plain(await visit.text(a))
  const steps = [
    'First failed check: Connection refused broken',
    'Confirmed after ',
    'down to On-call phone : Delivered 1 attempt: HTTP 202',
    'Acknowledged',
    'Recovered: the first check that succeeded',
    'up to On-call phone',
  ]
  const places = steps.map((step) => text.indexOf(step))
  expect(places).toEqual([...places].sort((x, y) => x - y))
  expect(Math.min(...places), steps[places.indexOf(-1)] ?? '').toBeGreaterThan(0)
  const [, beside = ''] = text.split('At the same time')
  expect(beside).toContain('b.test : No route')
  expect(beside).not.toContain('calm.test')
})

it('says that an incident was told to nobody, and that the checks went with the monitor', async () => {
  const { visit, engine, create, failing, clock, contact } = await onCall()
  await engine.contacts.remove(contact)
  failing.set('a.test', 'Gone')
  const id = await create('a.test', { fail_threshold: 1 })
  await clock.advance(MINUTE_MS)
  expect(plain(await visit.text('/incidents/1'))).toContain('No notification was sent.')
  await engine.monitors.remove(id)
  const text = plain(await visit.text('/incidents/1'))
  expect(text).toContain('A removed monitor')
  expect(text).toContain('The monitor was removed, and its checks with it.')
})

it('the title counts what is down and the icon is another one, on the pages of what is down as well', async () => {
  const { visit, create, failing, clock } = await onCall()
  const id = await create('a.test', { fail_threshold: 1, recover_threshold: 1 })
  await create('b.test', { fail_threshold: 1, recover_threshold: 1 })
  await clock.advance(MINUTE_MS)
  const calm = await visit.text('/')
  expect(titleOf(calm)).toBe('watchpost')
  failing.set('a.test', 'Gone')
  failing.set('b.test', 'Gone')
  await clock.advance(MINUTE_MS)
  const alarmed = await visit.text('/')
  expect(titleOf(alarmed)).toBe('(2) watchpost')
  expect(iconOf(alarmed)).not.toBe(iconOf(calm))
  for (const path of [`/monitors/${id}`, '/incidents/1'])
    expect(iconOf(await visit.text(path)), path).toBe(iconOf(alarmed))
  expect((await visit.get(iconOf(alarmed))).headers.get('content-type')).toBe('image/svg+xml')
  failing.clear()
  await clock.advance(2 * MINUTE_MS)
  expect(iconOf(await visit.text(`/monitors/${id}`))).toBe(iconOf(calm))
})

it('a cause is written in full on the page of its monitor', async () => {
  const { visit, create, failing, clock } = await onCall()
  const cause = `The answer says: ${'a long story '.repeat(12).trim()}`
  failing.set('a.test', cause)
  const id = await create('a.test', { fail_threshold: 1 })
  await clock.advance(MINUTE_MS)
  const text = await visit.text(`/monitors/${id}`)
  const [places = ''] = /id="places"[^]*?<\/table>/.exec(text) ?? []
  for (const part of [/id="state"[^]*?<\/div>/.exec(text)?.[0] ?? '', places])
    expect(plain(part)).toContain(cause)
})

it('contacts, incidents and notifications of others are not there, and their buttons do nothing', async () => {
  const { visit, other, clock } = await onCall()
  const theirs = await other.contacts.create({ kind: 'silent', to: 'x', name: 'Theirs' })
  await other.contacts.test(theirs.id)
  await clock.advance(1000)
  const [told] = (await other.notifications.list()).items
  expect(await visit.text('/contacts')).not.toContain('Theirs')
  expect((await visit.get(`/contacts/${theirs.id}`)).status).toBe(404)
  expect((await visit.post(`/contacts/${theirs.id}/test`)).status).toBe(404)
  expect((await visit.post(`/notifications/${told?.id ?? 0}/resend`)).status).toBe(404)
  expect((await other.notifications.list()).items).toHaveLength(1)
  expect((await visit.get('/incidents/99')).status).toBe(404)
})

it('who only looks sees contacts without buttons, and may press none', async () => {
  const made = await site({ authorize: () => ({ account_id: 1, read_only: true }) })
  const { id } = await made.engine.contacts.create({ kind: 'silent', to: 'x', name: 'Phone' })
  const visit = made.visitor()
  expect(await visit.text('/contacts')).toContain('Phone')
  expect(await visit.text('/contacts')).not.toContain('Send a test')
  expect(await visit.text(`/contacts/${id}`)).not.toContain('Send a test')
  expect((await visit.post(`/contacts/${id}/test`)).status).toBe(403)
  expect((await made.engine.notifications.list()).items).toEqual([])
})

it('one sentence says what is up, and what needs attention before it is down', async () => {
  const { visit, create, failing, clock } = await onCall()
  const soon = await create('a.test')
  await create('b.test', { fail_threshold: 5, interval_sec: 600 })
  const lead = async () =>
    /<strong>([^<]*)/.exec(/id="summary"[^]*/.exec(await visit.text('/'))?.[0] ?? '')?.[1]
  await clock.advance(MINUTE_MS)
  // What each of them measures ends in eight days.
  expect(await lead()).toBe('All 2 monitors are up, 2 need attention')
  expect(plain(await visit.text('/'))).toContain('a.test : Licence ends in 8 days and 1 more')
  await visit.post(`/monitors/${soon}/pause`)
  expect(await lead()).toBe('1 of 2 monitors is up, 1 needs attention')
  failing.set('b.test', 'Gone')
  await clock.advance(12 * MINUTE_MS)
  expect(await lead()).toContain('1 needs attention')
  await clock.advance(60 * MINUTE_MS)
  expect(await lead()).toBe('1 of 2 monitors is down')
})
