import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import type { StatusPageOptions } from '../../src/page/index.ts'
import { site } from './visit.ts'

async function looking(options: StatusPageOptions = {}) {
  const made = await site({ authorize: () => ({ account_id: 1 }), ...options })
  const visitor = made.visitor()
  /** What stands in the row of a monitor, without marks. */
  const row = async (id: number): Promise<string> => {
    const [, item = ''] =
      new RegExp(`<li id="m${id}"(.*?)</li>`, 's').exec(await visitor.text('/')) ?? []
    return item
      .slice(item.indexOf('>') + 1)
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
  }
  return { ...made, visitor, row }
}

describe('a row of the overview', () => {
  it('says of what is down why, and since when, in the place of its address', async () => {
    const { create, failing, clock, row } = await looking()
    failing.set('b.test', 'Got status 503, expected 200-299')
    const id = await create('b.test', { name: 'Shop', fail_threshold: 1 })
    expect(await row(id)).toContain('b.test')
    await clock.advance(12 * 60_000)
    expect(await row(id)).toMatch(/Shop Down 1\d min: Got status 503, expected 200-299/)
    expect(await row(id)).not.toContain('b.test')
    failing.clear()
    await clock.advance(60_000)
    expect(await row(id)).toContain('b.test')
    expect(await row(id)).not.toContain('Got status')
  })

  it('says that somebody is on it', async () => {
    const { engine, create, failing, clock, row } = await looking()
    failing.set('b.test', 'No')
    const id = await create('b.test', { fail_threshold: 1 })
    await clock.advance(1000)
    expect(await row(id)).not.toContain('Acknowledged')
    await engine.incidents.acknowledge(1)
    expect(await row(id)).toContain('Acknowledged')
  })

  it('says what ends soon, or has ended', async () => {
    const { create, clock, row } = await looking()
    const soon = await create('a.test', { interval_sec: 3600 })
    await clock.advance(1000)
    expect(await row(soon)).toContain('Licence ends in 8 days')
    await clock.advance(9 * 86_400_000)
    expect(await row(soon)).toContain('Licence ends: has ended')
  })

  it('draws the response times of the days, once there are two', async () => {
    const { create, clock, visitor } = await looking()
    await create('a.test', { interval_sec: 3600 })
    await clock.advance(1000)
    const line = /aria-label="a\.test, response in 90 days: median [\d.]+ ms, p95 [\d.]+ ms"/
    expect(await visitor.text('/')).not.toMatch(line)
    await clock.advance(26 * 3_600_000)
    expect(await visitor.text('/')).toMatch(line)
    // Always as fast: in the middle of 48.
    expect(await visitor.text('/')).toMatch(/class="p50" d="M[\d.]+ 24 [\d.]+ 24"/)
  })
})

describe('the filter', () => {
  it('offers no tag that is the key of one monitor, unless it was asked for', async () => {
    const { create, visitor } = await looking()
    await create('a.test', { tags: ['web', 'key:shop'] })
    expect(await visitor.text('/')).toContain('<option value="web"')
    expect(await visitor.text('/')).not.toContain('<option value="key:shop"')
    expect(await visitor.text('/?tag=key%3Ashop')).toMatch(/<option value="key:shop"\s+selected/)
  })

  it('answers what no name can contain with 400, as a mistake of the visitor', async () => {
    const errors: unknown[] = []
    const error = (...line: unknown[]) => void errors.push(line)
    const logger = { ...silentLogger, error }
    const { visitor } = await looking({ logger })
    for (const path of ['/?q=%00', '/?tag=a%00b', '/wall?q=%1b', '/audit-log?actor=%00'])
      expect((await visitor.get(path)).status, path).toBe(400)
    const several = await visitor.post('/monitors/several?q=%00', { do: 'pause', all: 'on' })
    expect(several.status).toBe(400)
    expect(errors).toEqual([])
  })
})
