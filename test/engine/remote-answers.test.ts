/** What a probe elsewhere, or a transport of the host, may answer: anything. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ping } from '../../src/checkers/ping.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { JsonObject } from '../../src/model.ts'
import type { CheckAnswer, CheckOrder, ProbeTransport } from '../../src/probes/transport.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'

const OUTCOME = {
  verdict: 'fail',
  cause_code: 'connect_refused',
  cause_text: 'Refused',
  phase: 'connect',
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 5,
  phases: { connect_ms: 5 },
  remote_ip: '192.0.2.1',
  details: {},
}

/** An engine whose orders are answered by the test. */
async function answeredBy(answersTo: (order: CheckOrder) => readonly unknown[]) {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-answers-'))
  let tell: (answer: CheckAnswer) => void = () => undefined
  const probes: ProbeTransport = {
    start(host) {
      tell = host.onAnswer
      return Promise.resolve()
    },
    send(order) {
      for (const answer of answersTo(order)) tell(answer as CheckAnswer)
      return Promise.resolve()
    },
    cancel: () => undefined,
    stop: () => Promise.resolve(),
    online: () => true,
  }
  const store = sqliteStore({ file: join(folder, 'data.db') })
  const locations = ['fra', 'iad']
  const engine = createEngine({
    store,
    checkers: [{ ...tcp(), events: ['moved'] }, ping()],
    probes,
    locations,
    logger: false,
  })
  onTestFinished(async () => {
    await engine.stop({ drainMs: 0 })
    rmSync(folder, { recursive: true, force: true })
  })
  await engine.start()
  const monitor = (port: number, location_ids: number[]) =>
    engine.monitors.create({ type: 'tcp', host: '127.0.0.1', port, location_ids })
  return { engine, monitor }
}

function answerTo(order: CheckOrder, outcome: object, more: object = {}) {
  const { id, monitor_id, version, round, location } = order
  return {
    order: { id, monitor_id, version, round, location_id: location.id },
    report: { outcome: { ...OUTCOME, ...outcome }, ...more },
    lag_ms: 0,
  }
}

const BROKEN: readonly [string, object][] = [
  ['a duration that is a text', { duration_ms: 'soon' }],
  ['a duration that JSON has no number for', { duration_ms: null }],
  ['a duration of more than a day', { duration_ms: 86_400_001 }],
  ['a duration of less than nothing', { duration_ms: -1 }],
  ['a cause that is an object', { cause_code: { toString: 'x' } }],
  ['no cause of a failure', { cause_code: null }],
  ['a cause with markup', { cause_code: '<script>' }],
  ['phases that are a text', { phases: 'all' }],
  ['no details', { details: undefined }],
]

describe('an answer of a probe', () => {
  it.each(BROKEN)('with %s says nothing, and other monitors are stored', async (_, broken) => {
    const { engine, monitor } = await answeredBy((order) =>
      order.settings['port'] === 1
        ? [answerTo(order, broken), answerTo(order, {})]
        : [answerTo(order, {})],
    )
    const ids = [(await monitor(1, [1])).id, (await monitor(2, [1])).id]
    const checked = await Promise.all(ids.map((id) => engine.monitors.check(id)))
    for (const { results } of checked)
      expect(results).toMatchObject([{ cause_code: 'connect_refused', duration_ms: 5 }])
  })

  it('is dated by the engine where it is dated more than a day away', async () => {
    const now = Date.now()
    const offsets = [-86_400_000 + 60_000, 86_400_000, -86_400_001, 86_400_000 + 60_000, 8e15 - now]
    const { engine, monitor } = await answeredBy((order) => {
      const started_at = new Date(now + offsets[Number(order.settings['port']) - 1]!).toISOString()
      return [answerTo(order, { started_at, duration_ms: 86_400_000 })]
    })
    const dates = await Promise.all(
      offsets.map(async (_, at) => {
        const { id } = await monitor(at + 1, [1])
        const { results } = await engine.monitors.check(id)
        return Date.parse(results[0]!.started_at) - now
      }),
    )
    expect(dates.slice(0, 2)).toEqual(offsets.slice(0, 2))
    for (const date of dates.slice(2)) {
      expect(date).toBeGreaterThanOrEqual(-86_400_000)
      expect(date).toBeLessThan(0)
    }
  })

  it.each([-1e300, 0, 1e300])(
    'that dates the failure to %d neither dates the incident nor hides what others see',
    async (since) => {
      const begun = Date.now()
      const { engine } = await answeredBy((order) => [
        answerTo(order, {}, order.location.id === 1 ? { since } : {}),
      ])
      const { id } = await engine.monitors.create({
        ...{ type: 'tcp', host: '127.0.0.1', port: 1, fail_threshold: 1 },
        ...{ location_ids: [1, 2], confirm_locations: 2 },
      })
      await engine.monitors.check(id)
      const { items } = await engine.incidents.list({ monitor_id: id })
      expect(items).toHaveLength(1)
      expect(Date.parse(items[0]!.started_at)).toBeGreaterThan(begun - 60_000)
      expect(Date.parse(items[0]!.started_at)).toBeLessThanOrEqual(Date.now())
    },
  )

  it('is stored within bounds', async () => {
    const long = '\u001b[2J'.repeat(50_000)
    const { engine, monitor } = await answeredBy((order) => [
      answerTo(
        order,
        { cause_text: long, remote_ip: long, details: { long }, phases: { connect_ms: 'x', a: 1 } },
        {
          memo: long,
          notices: Array.from({ length: 5000 }, (_, n) => ({
            event: 'moved',
            key: `${n}`,
            data: {},
          })),
        },
      ),
    ])
    const notices: string[] = []
    engine.on('notice', ({ event }) => void notices.push(event))
    const { id } = await monitor(1, [1])
    const { results } = await engine.monitors.check(id)
    expect(JSON.stringify(results).length).toBeLessThan(50_000)
    expect(JSON.stringify(results)).not.toContain('\\u001b')
    expect(results[0]?.phases).toEqual({ a: 1 })
    expect(notices.length).toBeLessThanOrEqual(100)
  })

  it('that is nested too deep does not hide what others see', async () => {
    const details = JSON.parse(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`) as JsonObject
    const { engine } = await answeredBy((order) => [
      answerTo(order, order.location.id === 1 ? { verdict: 'ok', details } : {}),
    ])
    const { id } = await engine.monitors.create({
      ...{ type: 'tcp', host: '127.0.0.1', port: 1, fail_threshold: 1 },
      ...{ location_ids: [1, 2], confirm_locations: 1 },
    })
    await engine.monitors.check(id)
    expect((await engine.monitors.get(id)).state).toBe('down')
  })

  it.each(['down', 'up', 'restored', 'ssl_changed'])(
    'has no notice %s, which its type does not list',
    async (event) => {
      const { engine, monitor } = await answeredBy((order) => [
        answerTo(order, { verdict: 'ok' }, { notices: [{ event, key: 'k', data: {} }] }),
      ])
      const told: unknown[] = []
      engine.on('notice', (notice) => void told.push(notice))
      await engine.monitors.check((await monitor(1, [1])).id)
      expect(told).toEqual([])
    },
  )

  it('with a response time that is none is counted without one', async () => {
    const { engine } = await answeredBy((order) => [
      answerTo(order, { verdict: 'ok', details: { rtt_avg_ms: JSON.parse('1e999') as number } }),
    ])
    const { id } = await engine.monitors.create({ type: 'ping', host: '127.0.0.1' })
    for (let n = 0; n < 3; n++) await engine.monitors.check(id)
    expect((await engine.monitors.get(id)).state).toBe('up')
  })

  it('of a location that was not asked decides nothing', async () => {
    const { engine, monitor } = await answeredBy((order) => {
      const own = answerTo(order, {})
      if (order.location.id !== 1) return [own]
      return [3, 4].map((location_id) => ({ ...own, order: { ...own.order, location_id } }))
    })
    const { id } = await monitor(1, [1, 2])
    const checking = engine.monitors.check(id)
    const early = Symbol('undecided')
    const soon = new Promise((resolve) => void setImmediate(() => resolve(early)))
    checking.catch(() => undefined)
    expect(await Promise.race([checking, soon])).toBe(early)
  })
})
