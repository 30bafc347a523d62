import { expect, it, onTestFinished } from 'vitest'
import { site } from './visit.ts'

async function looking() {
  const made = await site({ authorize: () => ({ account_id: 1 }) })
  onTestFinished(() => made.engine.stop({ drainMs: 0 }))
  const visitor = made.visitor()
  const read = async (path: string): Promise<string> =>
    (await visitor.text(path)).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  return { ...made, read }
}

it('a monitor is down for as long as its incident goes on, not only since it was confirmed', async () => {
  const { create, failing, clock, read } = await looking()
  failing.set('b.test', 'No')
  const id = await create('b.test', { interval_sec: 1200, fail_threshold: 3 })
  await clock.advance(45 * 60_000)
  const [, headline] = /Down for (\d+ \w+)/.exec(await read(`/monitors/${id}`)) ?? []
  const [, row] = /Down (\d+ \w+): No/.exec(await read('/')) ?? []
  expect(headline).toMatch(/^\d+ min$/)
  expect(headline).toBe(row)
})

it.each([
  ['recovered', 'Recovered: the first check that succeeded'],
  ['paused', 'Closed: the monitor was paused'],
  ['reconfigured', 'Closed: the settings of the monitor were changed'],
])('the course of an incident that ended as %s says so', async (reason, words) => {
  const { engine, create, failing, clock, read } = await looking()
  failing.set('b.test', 'No')
  const id = await create('b.test', { fail_threshold: 1 })
  await clock.advance(60_000)
  if (reason === 'recovered') failing.clear()
  if (reason === 'paused') await engine.monitors.pause(id)
  if (reason === 'reconfigured') await engine.monitors.update(id, { host: 'c.test' })
  await clock.advance(120_000)
  const [incident] = (await engine.incidents.list({ monitor_id: id })).items
  const page = await read(`/incidents/${incident?.id ?? 0}`)
  expect(page).toContain(words)
  expect(page.match(/Recovered: |Closed: /g)).toHaveLength(1)
})
