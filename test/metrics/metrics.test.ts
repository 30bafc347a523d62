import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { find } from '../../scripts/servers.mjs'
import { root } from '../../scripts/steps.mjs'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { textInstruments } from '../../src/metrics/instruments.ts'
import { LOOP_DELAY, measureLoopDelay } from '../../src/metrics/state.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { sample } from '../../src/metrics/text.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { unmeasured } from '../../src/probes/transport.ts'
import type { ProbeHost, ProbeTransport } from '../../src/probes/transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { doors } from '../engine/doors.ts'
import { rig } from '../engine/rig.ts'
import type { Rig } from '../engine/rig.ts'
import { valuesOf } from './read.ts'

const TOKEN = 'a-token-of-the-operator'
const MINUTE_MS = 60_000

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Measured extends Rig {
  readonly metrics: Metrics
}

async function measured(options: Parameters<typeof createMetrics>[1] = {}): Promise<Measured> {
  const made = await rig({ locations: ['here', 'there'] })
  const metrics = createMetrics(made.engine, options)
  closing.push(() => made.engine.stop({ drainMs: 0 }), metrics.close)
  return { ...made, metrics }
}

/** One monitor that is well and one that has been down for some rounds, told to a contact. */
async function eventful(made: Measured): Promise<void> {
  const { engine, clock, say } = made
  await engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const common = { type: 'scripted', interval_sec: 60, fail_threshold: 1 }
  await engine.monitors.create({ ...common, name: 'Well', host: 'well.test' })
  say('ill.test', 'fail')
  await engine.monitors.create({ ...common, name: 'I "am"\\ill really', host: 'ill.test' })
  await clock.advance(3 * MINUTE_MS)
}

describe('metrics', () => {
  it('show every monitor with its state, up or down, and its checks by verdict', async () => {
    const made = await measured()
    await eventful(made)
    const read = valuesOf(await made.metrics.text())
    const well = { monitor_id: '1', name: 'Well', type: 'scripted' }
    const ill = { monitor_id: '2', name: 'I "am"\\ill really', type: 'scripted' }
    expect(read('watchpost_monitor_up', well)).toBe(1)
    expect(read('watchpost_monitor_up', ill)).toBe(0)
    expect(read('watchpost_monitor_state', { ...ill, state: 'down' })).toBe(1)
    expect(read('watchpost_monitor_state', { ...ill, state: 'up' })).toBe(0)
    expect(read('watchpost_monitor_incident_open', ill)).toBe(1)
    expect(read('watchpost_monitor_location_up', { ...ill, location: 'there' })).toBe(0)
    expect(read('watchpost_monitors', { state: 'down' })).toBe(1)
    expect(read('watchpost_incidents_open', {})).toBe(1)
    const checks = { type: 'scripted', location: 'here' }
    const good = (await made.engine.results.list(1, { verdict: 'ok', location_id: 1 })).items.length
    expect(good).toBeGreaterThan(1)
    expect(read('watchpost_checks_total', { ...checks, verdict: 'ok' })).toBe(good)
    expect(read('watchpost_checks_total', { ...checks, verdict: 'fail' })).toBeGreaterThan(1)
  })

  it('show how long checks and their phases took, and how late they began', async () => {
    const timed = defineChecker({
      type: 'timed',
      title: 'Timed',
      description: 'Takes its time',
      fields: { host: field.host({ description: 'Target' }).required() },
      causes: {},
      target: ({ host }) => host,
      async run(ctx) {
        await ctx.phase('connect', () => ctx.clock.sleep(20))
        await ctx.phase('first_byte', () => ctx.clock.sleep(400))
        return up()
      },
    })
    const made = await rig({ checkers: [timed], limits: { checksPerHost: 1 } })
    const metrics = createMetrics(made.engine)
    closing.push(() => made.engine.stop({ drainMs: 0 }), metrics.close)
    for (const name of ['first', 'second'])
      await made.engine.monitors.create({ type: 'timed', name, host: 'same.test' })
    await made.clock.advance(2_000)
    const read = valuesOf(await metrics.text())
    const by = { type: 'timed', location: 'local' }
    expect(read('watchpost_check_duration_seconds_count', by)).toBe(2)
    expect(read('watchpost_check_duration_seconds_sum', by)).toBeCloseTo(0.84)
    const phase = 'watchpost_check_phase_duration_seconds_bucket'
    const connect = { type: 'timed', phase: 'connect' }
    expect(read(phase, { ...connect, le: '0.01' })).toBe(0)
    expect(read(phase, { ...connect, le: '0.025' })).toBe(2)
    expect(read(phase, { ...connect, phase: 'first_byte', le: '0.5' })).toBe(2)
    // The second waited for the first, since both are of one host.
    expect(read('watchpost_scheduler_lag_seconds_bucket', { le: '0.25' })).toBe(1)
    expect(read('watchpost_scheduler_lag_seconds_bucket', { le: '0.5' })).toBe(2)
  })

  it('say of which monitors nobody knows how they are, and call none of these up', async () => {
    const clock = simulatedClock()
    const places = doors(clock)
    const made = await rig({ probes: places.transport }, { clock })
    const metrics = createMetrics(made.engine)
    closing.push(() => made.engine.stop({ drainMs: 0 }), metrics.close)
    const { id } = await made.engine.monitors.create({
      ...{ type: 'scripted', name: 'shop', host: 'shop.test', interval_sec: 60 },
    })
    await clock.advance(5 * 60_000)
    const by = { monitor_id: String(id), name: 'shop', type: 'scripted' }
    const before = valuesOf(await metrics.text())
    expect(before('watchpost_monitors_stale', {})).toBe(0)
    expect(before('watchpost_monitor_stale', by)).toBe(0)
    expect(before('watchpost_monitor_up', by)).toBe(1)
    places.close()
    await clock.advance(5 * 60_000)
    const after = valuesOf(await metrics.text())
    expect(after('watchpost_monitors_stale', {})).toBe(1)
    expect(after('watchpost_monitor_stale', by)).toBe(1)
    expect(after('watchpost_monitor_up', by)).toBeUndefined()
    expect(after('watchpost_monitor_state', { ...by, state: 'up' })).toBe(1)
  })

  it('say which monitors are up and degraded, which count as up', async () => {
    const made = await rig()
    const metrics = createMetrics(made.engine)
    closing.push(() => made.engine.stop({ drainMs: 0 }), metrics.close)
    made.say('shop.test', { ok: { details: { load: 7 } } })
    const { id } = await made.engine.monitors.create({
      ...{ type: 'scripted', name: 'shop', host: 'shop.test', interval_sec: 60 },
      ...{ fail_threshold: 1, warn: { load: { above: 5 } } },
    })
    await made.clock.advance(60_000)
    const by = { monitor_id: String(id), name: 'shop', type: 'scripted' }
    const read = valuesOf(await metrics.text())
    expect(read('watchpost_monitor_degraded', by)).toBe(1)
    expect(read('watchpost_monitors_degraded', {})).toBe(1)
    expect(read('watchpost_monitor_up', by)).toBe(1)
    made.say('shop.test', 'ok')
    await made.clock.advance(60_000)
    expect(valuesOf(await metrics.text())('watchpost_monitors_degraded', {})).toBe(0)
  })

  it('count what was delivered by outcome, and what waits to be', async () => {
    const made = await measured()
    made.answer('ops', 404)
    await eventful(made)
    const late = await made.engine.contacts.create({ kind: 'recorder', name: 'late', to: 'late' })
    made.answer('late', 500)
    made.say('later.test', 'fail')
    await made.engine.monitors.create({
      ...{ type: 'scripted', name: 'later', host: 'later.test', fail_threshold: 1 },
      contact_ids: [late.id],
    })
    await made.clock.advance(5_000)
    const read = valuesOf(await made.metrics.text())
    expect(read('watchpost_deliveries_total', { event: 'down', outcome: 'failed' })).toBe(2)
    expect(read('watchpost_delivery_attempt_duration_seconds_count', {})).toBe(2)
    expect(read('watchpost_outbox_notifications', {})).toBe(1)
    expect(read('watchpost_outbox_oldest_due_seconds', {})).toBe(0)
  })

  it('say for how long a notification has waited that nobody sends', async () => {
    const made = await measured()
    const { id } = await made.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops' })
    await made.store.notifications.create({
      ...{ account_id: 1, contact_id: id, monitor_id: null, incident_id: null, event: 'test' },
      ...{ payload: '{}', repeat: 0, due_at: made.clock.now() - 90_000, created_at: 0 },
    })
    const read = valuesOf(await made.metrics.text())
    expect(read('watchpost_outbox_oldest_due_seconds', {})).toBe(90)
  })

  it('count commits, and those that the store could not make', async () => {
    const store = memoryStore()
    let broken = false
    const made = await rig(
      {},
      {
        store: {
          ...store,
          commit: (changes) =>
            broken ? Promise.reject(new Error('disk full')) : store.commit(changes),
        },
      },
    )
    const metrics = createMetrics(made.engine)
    closing.push(() => made.engine.stop({ drainMs: 0 }), metrics.close)
    await eventful({ ...made, metrics })
    const before = valuesOf(await metrics.text())
    expect(before('watchpost_store_changes_total', {})).toBeGreaterThan(3)
    expect(before('watchpost_store_commit_duration_seconds_count', {})).toBeGreaterThan(3)
    expect(before('watchpost_store_commit_failures_total', {})).toBe(0)
    broken = true
    await made.clock.advance(MINUTE_MS)
    const after = valuesOf(await metrics.text())
    expect(after('watchpost_store_commit_failures_total', {})).toBeGreaterThan(0)
    broken = false
  })

  it.skipIf(find('promtool') === undefined)(
    'are to the liking of promtool, names that need escaping included',
    async () => {
      const made = await measured({ process: true })
      await eventful(made)
      const input = await made.metrics.text()
      expect(input).toContain('name="I \\"am\\"\\\\ill really"')
      const told = spawnSync(find('promtool') ?? '', ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      })
      expect(told.stderr + told.stdout).toBe('')
      expect(told.status).toBe(0)
    },
  )

  it('are all in the documentation, with those that are there alone', async () => {
    const made = await measured({ process: true })
    await eventful(made)
    const shown = [...(await made.metrics.text()).matchAll(/^# TYPE (\S+) /gm)].map(
      ([, name]) => name,
    )
    const page = readFileSync(join(root, 'docs/guide/metrics.md'), 'utf8')
    const told = [...page.matchAll(/^\| `((?:watchpost|process)_\w+)` /gm)].map(([, name]) => name)
    expect(told.toSorted()).toEqual(shown.toSorted())
  })

  it('leave out single monitors where that is asked', async () => {
    const made = await measured({ monitors: false })
    await eventful(made)
    const text = await made.metrics.text()
    expect(text).not.toContain('watchpost_monitor_')
    expect(text).not.toContain('Well')
    expect(valuesOf(text)('watchpost_monitors', { state: 'up' })).toBe(1)
  })

  it('do not grow with the phases that a probe elsewhere makes up', async () => {
    let [reports, host] = [0, undefined as ProbeHost | undefined]
    const elsewhere: ProbeTransport = {
      start: (given) => Promise.resolve(void (host = given)),
      send(order) {
        reports += 1
        const made = Array.from({ length: 60 }, (_, n) => [`made_${reports}_${n}_ms`, 1])
        const phases = Object.fromEntries([...made, ['transfer_ms', 1]])
        const report = unmeasured(Date.parse('2026-01-01'), 'probe_offline', '')
        const outcome = { ...report.outcome, verdict: 'ok', duration_ms: 70, phases } as const
        const { id, monitor_id, version, round, location } = order
        const answered = { id, monitor_id, version, round, location_id: location.id }
        host?.onAnswer({ order: answered, report: { outcome }, lag_ms: 1 })
        return Promise.resolve()
      },
      cancel: () => undefined,
      stop: () => Promise.resolve(),
      online: () => true,
    }
    const made = await rig({ probes: elsewhere })
    const metrics = createMetrics(made.engine, { monitors: false })
    closing.push(() => made.engine.stop({ drainMs: 0 }), metrics.close)
    await made.engine.monitors.create({ type: 'scripted', name: 'x', host: 'x.test' })
    await made.clock.advance(60 * MINUTE_MS)
    expect(reports).toBeGreaterThan(10)
    const text = await metrics.text()
    const counts = [
      ...text.matchAll(/^watchpost_check_phase_duration_seconds_count{.*phase="(\w+)"} (\d+)$/gm),
    ].map(([, phase, count]) => [phase, Number(count)] as const)
    expect(counts.length).toBeGreaterThan(60)
    expect(counts.length).toBeLessThan(120)
    expect(new Map(counts).get('transfer')).toBe(reports)
    expect(new Map(counts).get('other')).toBe(reports * 60 - 100)
  })

  it('do not grow with what monitors are called or where they point', async () => {
    const made = await measured({ monitors: false })
    await eventful(made)
    const linesWith = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const name = `more ${count} ${n}`
        const host = `more-${count}-${n}.test`
        await made.engine.monitors.create({ type: 'scripted', name, host })
      }
      await made.clock.advance(10 * MINUTE_MS)
      return (await made.metrics.text()).split('\n').length
    }
    const few = await linesWith(5)
    expect(await linesWith(10)).toBe(few)
  })
})

describe('who may read them', () => {
  async function asked(key?: string, method = 'GET'): Promise<Response> {
    const made = await measured({ token: TOKEN })
    await eventful(made)
    await made.engine.keys.create({ key: 'key-of-the-first-account' })
    const { id } = await made.engine.accounts.create({ name: 'second' })
    const second = made.engine.account(id)
    await second.keys.create({ key: 'key-of-the-second-account' })
    await second.monitors.create({ type: 'scripted', name: 'Theirs', host: 'x.test' })
    return made.metrics.fetch(
      new Request('http://x/metrics', {
        method,
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      }),
    )
  }

  it('the token reads the monitors of all accounts, as the text format of Prometheus', async () => {
    const response = await asked(TOKEN)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4(;|$)/)
    const text = await response.text()
    expect(text).toContain('name="Theirs"')
    expect(text).toContain('name="Well"')
  })

  it('a key of the first account reads its monitors and the engine', async () => {
    const text = await (await asked('key-of-the-first-account')).text()
    expect(text).toContain('name="Well"')
    expect(text).toContain('watchpost_store_commit_duration_seconds')
    expect(text).not.toContain('Theirs')
  })

  it('a key of another account reads its monitors and nothing else', async () => {
    const text = await (await asked('key-of-the-second-account')).text()
    expect(text).toContain('name="Theirs"')
    expect(text).not.toContain('Well')
    expect(text).not.toContain('watchpost_checks_total')
    expect(text).not.toContain('watchpost_monitors{')
  })

  it.for([undefined, 'a-token-of-somebody-else', `${TOKEN}x`])('%s reads nothing', async (key) => {
    const response = await asked(key)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.text()).not.toContain('watchpost_')
  })

  it('nothing but reading is possible', async () => {
    expect((await asked(TOKEN, 'POST')).status).toBe(405)
    const head = await asked(TOKEN, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('cost an account what its own monitors cost, however many others have', async () => {
    const { engine } = await rig()
    closing.push(() => engine.stop({ drainMs: 0 }))
    const { id: account_id } = await engine.accounts.create({ name: 'other' })
    const monitor = { type: 'scripted', name: 'm', host: 'm.test' }
    await engine.account(account_id).monitors.create(monitor)
    let turns = 0
    const clock: Clock = {
      ...systemClock,
      sleep(ms, signal) {
        turns++
        return systemClock.sleep(ms, signal)
      },
    }
    const metrics = createMetrics(engine, { clock })
    closing.push(metrics.close)
    const turnsFor = async () => {
      turns = 0
      expect(await metrics.text({ account_id, engine: false })).toContain('{monitor_id="1"')
      return turns
    }
    const alone = await turnsFor()
    for (let n = 0; n < 250; n++) await engine.monitors.create(monitor)
    expect(await turnsFor()).toBe(alone)
    expect([...engine.readings(account_id)].map(({ id }) => id)).toEqual([1])
  })

  it('a token that could be guessed is refused', async () => {
    const { engine } = await rig()
    closing.push(() => engine.stop({ drainMs: 0 }))
    expect(() => createMetrics(engine, { token: 'short' })).toThrow(/16 to 512/)
  })
})

describe('the parts', () => {
  it('a histogram adds up its buckets, with bounds that belong to them', () => {
    const histogram = textInstruments.histogram({
      ...{ name: 'h_seconds', help: 'H', buckets: [0.1, 1] },
    })
    for (const value of [0.1, 0.2, 1, 7]) histogram.observe({ a: 'b' }, value)
    expect(histogram.text().split('\n').slice(2)).toEqual([
      'h_seconds_bucket{a="b",le="0.1"} 1',
      'h_seconds_bucket{a="b",le="1"} 3',
      'h_seconds_bucket{a="b",le="+Inf"} 4',
      'h_seconds_sum{a="b"} 8.3',
      'h_seconds_count{a="b"} 4',
      '',
    ])
  })

  it('an event loop that is late is seen, and nothing is set once it is closed', async () => {
    const clock = simulatedClock()
    const delays = textInstruments.histogram(LOOP_DELAY)
    const late = {
      ...clock,
      timer: (...[ms, run, options]: Parameters<typeof clock.timer>) =>
        clock.timer(ms + 300, run, options),
    }
    const delay = measureLoopDelay(late, delays)
    await clock.advance(400)
    const read = valuesOf(delays.text())
    const bucket = 'watchpost_event_loop_delay_seconds_bucket'
    expect([read(bucket, { le: '0.25' }), read(bucket, { le: '0.5' })]).toEqual([0, 1])
    delay.close()
    expect(clock.pending).toBe(0)
  })

  it('a label is escaped where it has to be', () => {
    const text = sample('x', { a: 'one\ntwo "three" \\ four' }, 1)
    expect(text).toBe('x{a="one\\ntwo \\"three\\" \\\\ four"} 1\n')
    expect(valuesOf(text)('x', { a: 'one\ntwo "three" \\ four' })).toBe(1)
  })

  it('values that are no numbers are written the way of the format', () => {
    expect(sample('x', {}, Infinity) + sample('x', {}, NaN)).toBe('x +Inf\nx NaN\n')
  })

  it('a timer of metrics ends with the engine', async () => {
    const clock = simulatedClock()
    const made = await rig({}, { clock })
    createMetrics(made.engine, { clock })
    await made.engine.stop({ drainMs: 0 })
    expect(clock.pending).toBe(0)
  })
})
