import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { content } from '../../src/checkers/content/index.ts'
import type { Notice } from '../../src/model.ts'
import { rig } from './rig.ts'
import type { Said } from './rig.ts'

async function site(page: { text: string }): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/plain')
    response.end(page.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

it('a page is looked at from every location, each has a baseline of its own, and a change is told once', async () => {
  const page = { text: 'Tea 4.20' }
  const r = await rig({ locations: ['fra', 'nyc'], checkers: [content()] as never })
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const { id } = await r.engine.monitors.create({
    type: 'content',
    name: 'Prices',
    url: await site(page),
  })
  const looked = async () => {
    const { results } = await r.engine.monitors.check(id)
    await r.clock.advance(1000)
    return results.map(({ location_id, verdict, details }) => [
      location_id,
      verdict,
      details.changed,
    ])
  }
  expect(await looked()).toEqual([
    [1, 'ok', false],
    [2, 'ok', false],
  ])
  const memos = (await r.store.monitors.locations([id])).map(({ memo }) => memo)
  expect(memos).toMatchObject([{ changes: 0 }, { changes: 0 }])
  page.text = 'Tea 4.40'
  expect(await looked()).toEqual([
    [1, 'ok', true],
    [2, 'ok', true],
  ])
  expect(r.told.map(({ event, body }) => [event, body['locations']])).toEqual([
    ['content_changed', [1, 2]],
  ])
  page.text = 'Tea 4.20'
  await looked()
  expect(r.told).toHaveLength(2)
  await r.engine.stop()
})

it('news that locations see alike in one round is told once, with the locations that saw it', async () => {
  const r = await rig({ locations: ['fra', 'nyc', 'sin'] })
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const notice = (key: string, hash: string): Notice => ({
    event: 'content_changed',
    key,
    data: { change: { new_hash: hash } },
  })
  const said = (...notices: readonly Notice[]): Said => ({ ok: { notices } })
  r.say('a.test', (location) =>
    location === 'sin' ? said(notice('s', 'other')) : said(notice(location, 'same')),
  )
  await r.engine.monitors.create({ type: 'scripted', host: 'a.test' })
  await r.clock.advance(10 * 60_000)
  expect(r.told.map(({ body }) => [body['change'], body['locations']])).toEqual([
    [{ new_hash: 'same' }, [1, 2]],
    [{ new_hash: 'other' }, [3]],
  ])
})
