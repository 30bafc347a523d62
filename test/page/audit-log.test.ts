/** The audit log of the account as a page. */

import { expect, it } from 'vitest'
import { createPage } from '../../src/page/index.ts'
import { OTHER_KEY, site, visitor as visitorOf } from './visit.ts'

/** Who and what of each row, and its changes. */
function rowsOf(text: string): readonly string[] {
  const [, body = ''] = /<tbody>(.*)<\/tbody>/s.exec(text) ?? []
  return [...body.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) =>
    row
      .replace(/<td><time.*?<\/td>/s, '')
      .replace(/<br ?\/?>/g, '; ')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

async function changed() {
  const made = await site()
  const id = await made.create('shop.test', { name: 'Shop', password: 'hunter2' })
  const asAnn = made.engine.account(1, { actor: 'user:ann' })
  await asAnn.monitors.update(id, { interval_sec: 300, tags: ['eu'], password: 'hunter2-next' })
  await asAnn.contacts.create({ kind: 'silent', name: 'Ops', to: 'hunter2-to' })
  const visit = made.visitor()
  await visit.signIn()
  return { ...made, visit, id, asAnn }
}

it('says who changed what, newest first, and no secret', async () => {
  const { visit, id } = await changed()
  const text = await visit.text('/audit-log')
  expect(text).toMatch(/<a href="\/audit-log"\s+aria-current="page"/)
  expect(rowsOf(text).slice(0, 3)).toEqual([
    'user:ann Contact Ops created',
    'user:ann Monitor Shop updated interval_sec : 60 → 300 ; tags : [] → [&quot;eu&quot;] ; password',
    'not recorded Monitor Shop created',
  ])
  expect(text).not.toContain('hunter2')
  await visit.post(`/monitors/${id}/pause`)
  expect(rowsOf(await visit.text('/audit-log'))[0]).toBe('key:1 Monitor Shop paused')
})

it('is filtered by who and by what, with links and a form that need no script', async () => {
  const { visit, id } = await changed()
  const rows = async (query: string) => rowsOf(await visit.text(`/audit-log?${query}`))
  expect(await rows('actor=user%3Aann&resource=monitor')).toHaveLength(1)
  expect(await rows(`resource=monitor&id=${id}`)).toHaveLength(2)
  expect(await rows('actor=nobody')).toEqual([])
  const text = await visit.text('/audit-log?resource=contact')
  expect(text).toMatch(/<option value="contact"\s+selected/)
  expect(text).toContain('href="/audit-log?resource=contact&amp;actor=user%3Aann"')
  // The one that turns times to the zone of the viewer.
  expect([...text.matchAll(/<script/g)]).toHaveLength(1)
  expect(await visit.text('/audit-log?actor=x')).toContain('No changes have been recorded.')
  for (const query of ['resource=user', 'id=x', 'after=0', `actor=${'x'.repeat(201)}`])
    expect((await visit.get(`/audit-log?${query}`)).status, query.slice(0, 20)).toBe(400)
})

it('has pages, which keep the filter', async () => {
  const { visit, asAnn, id } = await changed()
  for (let n = 0; n < 60; n++) await asAnn.monitors.update(id, { interval_sec: 301 + n })
  const first = await visit.text('/audit-log?resource=monitor')
  expect(rowsOf(first)).toHaveLength(50)
  const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first) ?? []
  const second = await visit.text(next.replaceAll('&amp;', '&'))
  expect(rowsOf(second)).toHaveLength(12)
  expect(second).not.toContain('rel="next"')
  expect(second).toContain('<a href="/audit-log?resource=monitor">Newest</a>')
})

it('is that of the account alone, also where the host signs in', async () => {
  const { engine, visitor, page } = await changed()
  expect(page.owns('/audit-log')).toBe(true)
  const other = visitor()
  await other.signIn(OTHER_KEY)
  expect(await other.text('/audit-log')).not.toContain('Shop')
  const asTwo = createPage(engine, { authorize: () => Promise.resolve({ account_id: 2 }) })
  expect(await visitorOf(asTwo).text('/audit-log')).not.toContain('Shop')
  const refused = createPage(engine, { authorize: () => Promise.resolve(null) })
  expect((await visitorOf(refused).get('/audit-log')).status).toBe(403)
})
