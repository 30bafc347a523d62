import { describe, expect, it } from 'vitest'
import type { TypeView } from '../../src/engine/api/engine.ts'
import type { ResultView } from '../../src/engine/api/views.ts'
import type { StatusPageOptions } from '../../src/page/index.ts'
import { textOf } from '../../src/page/layout/markup.ts'
import { highlights, nearestEnd, inWords } from '../../src/page/monitor/highlights.ts'
import { ENGLISH } from '../../src/page/words/language.ts'
import { site } from './visit.ts'

async function signedIn(options: StatusPageOptions = {}) {
  const made = await site(options)
  const visitor = made.visitor()
  await visitor.signIn()
  return { ...made, visitor }
}

describe('the page of a job that signals', () => {
  it('says what address the job has to call, and nothing of places and response times', async () => {
    const { engine, visitor } = await signedIn()
    const { id, token = '' } = await engine.monitors.create({ type: 'heartbeat', name: 'Backup' })
    const text = await visitor.text(`/monitors/${id}`)
    expect(token).not.toBe('')
    expect(text).toContain(`/hb/${token}`)
    for (const heading of ['Locations', 'Response time']) expect(text).not.toContain(heading)
  })

  it('shows how long its runs take, where it says so, and never the time of the look', async () => {
    const { engine, visitor, clock } = await signedIn()
    const { id, token = '' } = await engine.monitors.create({ type: 'heartbeat', name: 'Backup' })
    await engine.signal(token, { kind: 'success' })
    const silent = await visitor.text(`/monitors/${id}`)
    for (const heading of ['Run time', 'Response time']) expect(silent).not.toContain(heading)
    expect(await visitor.text('/')).toMatch(/<dt>Response<\/dt>\s*<dd[^>]*>\s*<span\s*>–</)
    await engine.signal(token, { kind: 'success', duration_ms: 42_000 })
    await clock.advance(1000)
    const text = await visitor.text(`/monitors/${id}`)
    expect(text).toContain('<h2 id="h-time">Run time</h2>')
    expect(text).toContain('median from 42.0 s to 42.0 s')
    expect(text).not.toContain('Response time')
    expect(await visitor.text('/')).toMatch(/<dt>Response<\/dt>\s*<dd[^>]*>\s*<span\s*>42\.0 s</)
  })

  it('keeps the address from those who may only look', async () => {
    const { engine, visitor } = await signedIn({
      authorize: () => ({ account_id: 1, read_only: true }),
    })
    const { id, token = '' } = await engine.monitors.create({ type: 'heartbeat', name: 'Backup' })
    const text = await visitor.text(`/monitors/${id}`)
    expect(text).toContain('Backup')
    expect(text).not.toContain(token)
  })
})

describe('the response times', () => {
  it('say that there are none where no check was good, instead of an empty scale', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    failing.set('a.test', 'No')
    const id = await create('a.test', { fail_threshold: 1 })
    await clock.advance(1000)
    expect(await visitor.text(`/monitors/${id}`)).toContain('No successful check in this period')
    failing.clear()
    await clock.advance(60_000)
    const text = await visitor.text(`/monitors/${id}`)
    expect(text).not.toContain('No successful check in this period')
    // One quarter of an hour alone is a line of its width, not a point.
    const [, from, to] = /class="trace p50" d="M([\d.]+) [\d.]+L([\d.]+) /.exec(text) ?? []
    expect(Number(to) - Number(from)).toBeGreaterThan(5)
  })
})

describe('the chart', () => {
  const chartIn = (text: string): string => /id="chart"[^]*?<\/figure>/.exec(text)?.[0] ?? ''
  /** The rows of its table, oldest first, each cell as text. */
  const rowsIn = (text: string): string[][] =>
    [...(/<tbody[^]*<\/tbody/.exec(chartIn(text))?.[0] ?? '').matchAll(/<tr>([^]*?)<\/tr/g)]
      .map(([, row = '']) => [...row.matchAll(/<t[hd][^>]*>([^<]*)/g)].map(([, cell = '']) => cell))
      .reverse()
  const headsIn = (text: string): string[] =>
    [...chartIn(text).matchAll(/<th scope="col">(?:<bdi>)?([^<]*)/g)].map(([, head = '']) => head)

  it('begins when the monitor was created, and so do the bars of its days', async () => {
    const { create, visitor, clock } = await signedIn()
    const id = await create('a.test')
    await clock.advance(30 * 60_000)
    const hour = await visitor.text(`/monitors/${id}?range=1h`)
    expect(rowsIn(hour)).toHaveLength(31)
    expect(chartIn(hour)).toMatch(/class="begin"[^>]*>00:00</)
    expect(rowsIn(await visitor.text(`/monitors/${id}?range=24h`))).toHaveLength(3)
    for (const range of ['7d', '30d', '90d'])
      expect(rowsIn(await visitor.text(`/monitors/${id}?range=${range}`)), range).toHaveLength(1)
    for (const path of ['/', `/monitors/${id}`])
      expect(await visitor.text(path), path).not.toContain('class="none"')
    await clock.advance(2 * 3_600_000)
    expect(rowsIn(await visitor.text(`/monitors/${id}?range=1h`))).toHaveLength(60)
    const week = rowsIn(await visitor.text(`/monitors/${id}?range=7d`))
    expect(week.map(([time]) => time)).toEqual(['00:00–01:00', '01:00–02:00', '02:00–03:00'])
  })

  it('has median, p95, p99 and maximum of each moment, what failed, and incidents shaded', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    const id = await create('a.test', { fail_threshold: 1, recover_threshold: 1 })
    await clock.advance(10 * 60_000)
    const calm = await visitor.text(`/monitors/${id}?range=1h`)
    expect(chartIn(calm)).not.toMatch(/class="(?:fails|down)"/)
    expect(headsIn(calm).slice(3)).toEqual(['Median', 'p95', 'p99', 'Maximum'])
    expect(rowsIn(calm)[3]).toEqual(['00:03', '', '', '20 ms', '20 ms', '20 ms', '20 ms'])
    failing.set('a.test', 'Gone')
    await clock.advance(3 * 60_000)
    failing.clear()
    await clock.advance(5 * 60_000)
    const text = await visitor.text(`/monitors/${id}?range=1h`)
    const failed = rowsIn(text).filter(([, , failures]) => failures === '1 of 1 check failed')
    expect(failed.map(([, state]) => state)).toEqual(['Down', 'Down', 'Down'])
    expect(chartIn(text).match(/<rect\s+class="down"/g)).toHaveLength(1)
    const [, x, width] = /class="down"\s+x="([\d.]+)"\s+y="0"\s+width="([\d.]+)"/.exec(
      chartIn(text),
    ) ?? ['', '0', '0']
    // The eleventh of nineteen minutes, for three of them.
    expect(Number(x) / 1000).toBeCloseTo(10 / 19, 1)
    expect(Number(width) / 1000).toBeCloseTo(3 / 19, 1)
    const day = rowsIn(await visitor.text(`/monitors/${id}?range=90d`))
    expect(day[0]?.slice(0, 3)).toEqual(['1 Jan 2026', 'Down', '3 of 19 checks failed'])
  })

  it('marks planned work and pauses, and has gaps instead of what was not looked at', async () => {
    const { engine, create, visitor, clock } = await signedIn()
    const id = await create('a.test')
    await clock.advance(10 * 60_000)
    await engine.monitors.pause(id)
    await clock.advance(10 * 60_000)
    await engine.monitors.resume(id)
    await clock.advance(5 * 60_000)
    const text = await visitor.text(`/monitors/${id}?range=1h`)
    expect(chartIn(text)).toMatch(/<rect\s+class="paused"/)
    expect(rowsIn(text)[15]).toEqual(['00:15', 'Paused', 'no check', '', '', '', ''])
    const [, median = ''] = /class="trace p50"\s+d="([^"]*)/.exec(chartIn(text)) ?? []
    expect(median.match(/M/g)).toHaveLength(2)
  })

  it('is exact for a day of many checks, whatever their number', async () => {
    const { create, visitor, clock } = await signedIn()
    const id = await create('a.test', { interval_sec: 10 })
    await clock.advance(90 * 60_000)
    const rows = rowsIn(await visitor.text(`/monitors/${id}?range=24h`))
    expect(rows.map(([time]) => time)).toEqual(['00:00–01:00', '01:00–02:00'])
    const slow = await create('b.test', { interval_sec: 300 })
    await clock.advance(60_000)
    const [[time] = []] = rowsIn(await visitor.text(`/monitors/${slow}?range=24h`))
    expect(time).toBe('01:30–01:45')
  })

  it('has a line for each location, where there are several', async () => {
    const one = await signedIn()
    const id = await one.create('a.test')
    await one.clock.advance(60_000)
    expect(chartIn(await one.visitor.text(`/monitors/${id}`))).not.toContain('trace at-')
    const made = await site({}, { locations: ['Oslo', 'Rome'] })
    const visitor = made.visitor()
    await visitor.signIn()
    const second = await made.create('a.test')
    await made.clock.advance(60_000)
    for (const range of ['1h', '24h', '90d']) {
      const text = await visitor.text(`/monitors/${second}?range=${range}`)
      expect(chartIn(text).match(/class="trace at-\d"/g), range).toHaveLength(2)
      expect(headsIn(text).slice(-2), range).toEqual(['Oslo', 'Rome'])
    }
  })
})

describe('times in words', () => {
  const NOW = Date.parse('2026-01-01T00:00:00.000Z')
  const type = (format: 'end' | 'time') =>
    ({ highlights: [{ name: 'at', title: 'Certificate', format }] }) as unknown as TypeView
  const results = (at: string) => [{ details: { at } }] as unknown as readonly ResultView[]

  it.each([
    ['2025-12-31T23:46:00.000Z', '14 min ago'],
    ['2025-12-31T01:00:00.000Z', '23 h ago'],
    ['2025-12-29T00:00:00.000Z', '3 d ago'],
  ])('what began at %s did so %s', (at, words) => {
    const [shown] = highlights({ type: type('time'), results: results(at), now: NOW })
    expect(shown === undefined ? '' : textOf(shown, ENGLISH)).toContain(words)
  })

  it.each([
    ['2026-01-01T00:30:00.000Z', 'Certificate in 30 min'],
    ['2026-01-01T20:00:00.000Z', 'Certificate in 20 h'],
    ['2026-01-02T06:00:00.000Z', 'Certificate in 30 h'],
    ['2026-01-05T23:00:00.000Z', 'Certificate in 4 days'],
    ['2025-12-31T23:59:00.000Z', 'Certificate: has ended'],
  ])('what ends at %s: %s', (at, words) => {
    expect(nearestEnd({ type: type('end'), results: results(at), now: NOW })?.(ENGLISH)).toBe(words)
  })

  it.each([
    [0.031, '0.03 ms'],
    [0.004, '< 0.01 ms'],
    [8.14, '8.1 ms'],
    [59_900, '59.9 s'],
    [1_264_000, '21 min 4 s'],
    [7_500_000, '2 h 5 min'],
    [null, '–'],
  ])('%s ms is %s', (ms, words) => {
    expect(ENGLISH.ms(ms)).toBe(words)
  })
})

describe('what a check measured', () => {
  it.each([
    ['text', 'text'],
    [12.5, '12.5'],
    [true, 'yes'],
    [['DNS:a.test', 'DNS:b.test'], 'DNS:a.test, DNS:b.test'],
    [[], 'none'],
    [{ type: 'rsa', bits: 2048, curve: null, weak: false }, 'type rsa, bits 2048, weak no'],
    [
      [
        { url: 'http://a.test', status: 301 },
        { url: 'http://b.test', status: 200 },
      ],
      'url http://a.test, status 301; url http://b.test, status 200',
    ],
  ])('is said in words: %j', (value, words) => {
    expect(inWords(value)(ENGLISH)).toBe(words)
  })

  it('has its bounds', () => {
    expect(inWords('x'.repeat(5000))(ENGLISH)).toHaveLength(1001)
    expect(inWords(Array.from({ length: 30 }, (_, at) => at))(ENGLISH)).toMatch(/19, and 10 more$/)
  })
})
