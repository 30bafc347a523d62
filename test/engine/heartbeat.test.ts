import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import type { SignalInput } from '../../src/engine/api/engine.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function job(settings: object = {}) {
  const r = await rig({ checkers: [heartbeat()] as never, baseUrl: 'https://watch.example/' })
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const monitor = await r.engine.monitors.create({
    type: 'heartbeat',
    name: 'Backup',
    interval_sec: 3600,
    grace_sec: 600,
    ...settings,
  })
  const token = monitor.token as string
  const signal = (kind: SignalInput['kind'] = 'success', more: object = {}) =>
    r.engine.signal(token, { kind, ...more })
  const state = async () => (await r.engine.monitors.status(monitor.id)).state
  return {
    r,
    id: monitor.id,
    monitor,
    signal,
    state,
    events: () => r.told.map(({ event }) => event),
  }
}

describe('a heartbeat', () => {
  it('has an address with a token of 128 bits, and is pending until its first signal', async () => {
    const { monitor, r, state, events } = await job()
    expect(monitor.ping_url).toBe(`https://watch.example/hb/${monitor.token}`)
    expect(monitor.token).toMatch(/^[\w-]{22}$/)
    await r.clock.advance(48 * HOUR)
    expect(await state()).toBe('pending')
    expect(events()).toEqual([])
  })

  it('is down after so many deadlines in a row, and begun then with the first of them', async () => {
    const { r, id, signal, state, events } = await job({ fail_threshold: 3 })
    await signal()
    const began = r.clock.now()
    await r.clock.advance(2 * HOUR + 50 * MINUTE)
    expect(await state()).toBe('late')
    // A job that starts, or somebody who looks, makes it no worse.
    await signal('start')
    await signal('success')
    await r.clock.advance(3 * HOUR + 9 * MINUTE)
    await r.engine.monitors.check(id)
    expect([await state(), events()]).toEqual(['late', []])
    await r.clock.advance(MINUTE + 1000)
    expect([await state(), events()]).toEqual(['down', ['down']])
    const [incident] = (await r.engine.incidents.list()).items
    const again = began + 2 * HOUR + 50 * MINUTE
    expect(incident?.started_at).toBe(new Date(again + HOUR + 10 * MINUTE).toISOString())
  })

  it.each([
    ['its grace ends', { grace_sec: 0 }],
    ['its period ends', { interval_sec: 600 }],
  ])(
    'is down at once where %s before its last judgement by a change of it',
    async (_what, change) => {
      const { r, id, signal, state, events } = await job()
      await signal()
      await r.clock.advance(HOUR + 5 * MINUTE)
      await r.engine.monitors.check(id)
      expect(await state()).toBe('late')
      await r.engine.monitors.update(id, change)
      await r.clock.advance(1000)
      expect([await state(), events()]).toEqual(['down', ['down']])
    },
  )

  it('counts the deadlines of a cron expression, and takes a reported failure at once', async () => {
    const { r, signal, state } = await job({ cron: '0 3 * * *', fail_threshold: 2 })
    await signal()
    await r.clock.advance(3 * HOUR + 11 * MINUTE)
    expect(await state()).toBe('late')
    await r.clock.advance(24 * HOUR)
    expect(await state()).toBe('down')
    await signal()
    expect(await state()).toBe('up')
    await signal('fail')
    expect(await state()).toBe('down')
  })

  it('goes up → late → down, dated at the deadline, and up again with the next signal', async () => {
    const { r, signal, state, events } = await job()
    expect(await signal()).toMatchObject({
      state: 'up',
      next_expected_at: new Date(r.clock.now() + HOUR).toISOString(),
    })
    const deadline = r.clock.now() + HOUR + 10 * MINUTE
    await r.clock.advance(HOUR + 1000)
    expect(await state()).toBe('late')
    expect(events()).toEqual([])
    await r.clock.advance(10 * MINUTE)
    expect(await state()).toBe('down')
    expect(events()).toEqual(['down'])
    const [incident] = (await r.engine.incidents.list()).items
    expect(incident).toMatchObject({
      cause_code: 'heartbeat_missed',
      started_at: new Date(deadline).toISOString(),
    })
    await r.clock.advance(5 * HOUR)
    expect(events()).toEqual(['down'])
    await signal()
    expect(await state()).toBe('up')
    await r.clock.settle()
    expect(events()).toEqual(['down', 'up'])
  })

  it('a signal within the grace keeps it up and tells nobody', async () => {
    const { r, signal, state, events } = await job()
    for (let i = 0; i < 10; i++) {
      await signal()
      await r.clock.advance(HOUR + 5 * MINUTE)
      expect(await state()).toBe('late')
    }
    expect(events()).toEqual([])
  })

  it('a reported failure is down at once, with its exit code', async () => {
    const { r, signal, state, events } = await job()
    await signal()
    await signal('fail', { exit_code: 3, message: 'disk full' })
    await r.clock.settle()
    expect(await state()).toBe('down')
    expect(events()).toEqual(['down'])
    expect(r.told[0]!.body.incident).toMatchObject({
      cause_code: 'heartbeat_failed',
      cause_text: 'The job reported a failure with exit code 3',
    })
    expect(r.told[0]!.body.details).toMatchObject({ message: 'disk full', exit_code: 3 })
  })

  it('a run that starts and does not end in time is down', async () => {
    const { r, id, signal, state } = await job()
    await signal()
    await r.clock.advance(50 * MINUTE)
    await signal('start')
    await r.clock.advance(10 * MINUTE + 1000)
    expect(await state()).toBe('down')
    expect((await r.engine.monitors.status(id)).cause_code).toBe('heartbeat_too_long')
    await signal('success')
    const [last] = (await r.engine.results.list(id)).items
    expect(last).toMatchObject({ verdict: 'ok', details: { run_ms: 10 * MINUTE + 1000 } })
  })

  it('a log line changes nothing but what is remembered', async () => {
    const { r, signal, state } = await job()
    await signal('log', { message: 'just looking' })
    await r.clock.advance(48 * HOUR)
    expect(await state()).toBe('pending')
  })

  it('is not blamed for signals that could not be heard while the engine was away', async () => {
    const { r, id, signal, events } = await job()
    await signal()
    await r.clock.advance(10 * MINUTE)
    await r.engine.stop()
    await r.clock.advance(5 * HOUR)
    const again = await r.restart()
    // It may have reported just before, into the void: the next signal comes a whole period later.
    await again.clock.advance(HOUR + 9 * MINUTE)
    expect((await again.engine.monitors.status(id)).state).not.toBe('down')
    expect(events()).toEqual([])
    // A job that stays silent through period and grace after that is missed all the same.
    await again.clock.advance(2 * MINUTE)
    expect((await again.engine.monitors.status(id)).state).toBe('down')
    const { days } = await again.engine.monitors.uptime(id, { days: 1 })
    expect(days[0]!.unknown_sec).toBeGreaterThan(4.9 * 3600)
  })

  it('a deadline that passes during a short restart is judged right after it', async () => {
    const { r, id, signal, events } = await job()
    await signal()
    await r.clock.advance(HOUR + 10 * MINUTE - 5_000)
    await r.engine.stop()
    await r.clock.advance(10_000)
    const again = await r.restart()
    await again.clock.advance(1000)
    expect((await again.engine.monitors.status(id)).state).toBe('down')
    expect(events()).toEqual(['down'])
  })

  it('a pause forgives, and a resumed one has a whole period', async () => {
    const { r, id, signal, state, events } = await job()
    await signal()
    await r.engine.monitors.pause(id)
    expect(await signal()).toMatchObject({ state: 'paused' })
    await r.clock.advance(24 * HOUR)
    await r.engine.monitors.resume(id)
    await r.clock.advance(HOUR)
    expect(events()).toEqual([])
    await r.clock.advance(11 * MINUTE)
    expect(await state()).toBe('down')
  })

  it('answers a flood of signals without recording it', async () => {
    const { signal, id, r } = await job()
    const answers = []
    for (let i = 0; i < 70; i++) answers.push(await signal())
    expect(answers.filter(({ ignored }) => ignored === 'rate_limited')).toHaveLength(10)
    expect((await r.engine.results.list(id)).items).toHaveLength(60)
  })

  it('hears that a job failed, however much it has logged', async () => {
    const { signal, state, events } = await job()
    await signal('start')
    const lines = []
    for (let i = 0; i < 70; i++) lines.push(await signal('log', { message: `line ${i}` }))
    expect(lines.filter(({ ignored }) => ignored === 'rate_limited')).toHaveLength(10)
    expect(await signal('fail')).not.toHaveProperty('ignored')
    expect([await state(), events()]).toEqual(['down', ['down']])
  })

  it('does not know a token that nobody has', async () => {
    const { r } = await job()
    await expect(r.engine.signal('A'.repeat(22), { kind: 'success' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('first_signal_sec', () => {
  const first = { first_signal_sec: 1800 }

  it('is down where nothing has come by then, dated at that time, and up with the first signal', async () => {
    const { r, signal, state, events } = await job(first)
    const deadline = r.clock.now() + 30 * MINUTE
    await r.clock.advance(30 * MINUTE - 1)
    expect(await state()).toBe('pending')
    await r.clock.advance(1000)
    expect(await state()).toBe('down')
    expect(events()).toEqual(['down'])
    const [incident] = (await r.engine.incidents.list()).items
    expect(incident).toMatchObject({
      cause_code: 'heartbeat_never_came',
      started_at: new Date(deadline).toISOString(),
    })
    await signal()
    await r.clock.settle()
    expect(await state()).toBe('up')
    expect(events()).toEqual(['down', 'up'])
  })

  it('says when the first signal is due', async () => {
    const { r, id } = await job(first)
    const { next_check_at } = await r.engine.monitors.status(id)
    expect(next_check_at).toBe(new Date(r.clock.now() + 30 * MINUTE).toISOString())
  })

  it('a signal in time is an ordinary first one', async () => {
    const { r, signal, state, events } = await job(first)
    await r.clock.advance(29 * MINUTE)
    await signal()
    await r.clock.advance(HOUR)
    expect(await state()).toBe('late')
    expect(events()).toEqual([])
  })

  it('a pause before any signal begins it anew', async () => {
    const { r, id, state } = await job(first)
    await r.clock.advance(20 * MINUTE)
    await r.engine.monitors.pause(id)
    await r.clock.advance(24 * HOUR)
    expect(await state()).toBe('paused')
    await r.engine.monitors.resume(id)
    await r.clock.advance(29 * MINUTE)
    expect(await state()).toBe('pending')
    await r.clock.advance(2 * MINUTE)
    expect(await state()).toBe('down')
  })

  it('holds over a restart, and an outage of the engine is not the fault of the job', async () => {
    const { r, id, events } = await job(first)
    await r.clock.advance(10 * MINUTE)
    await r.engine.stop()
    await r.clock.advance(5 * HOUR)
    const again = await r.restart()
    await again.clock.advance(29 * MINUTE)
    expect(events()).toEqual([])
    await again.clock.advance(2 * MINUTE)
    expect((await again.engine.monitors.status(id)).state).toBe('down')
  })

  it('stays down when it is judged again', async () => {
    const { r, id, state } = await job(first)
    await r.clock.advance(31 * MINUTE)
    await r.engine.monitors.check(id)
    expect(await state()).toBe('down')
  })
})

describe('a cron schedule', () => {
  /** The simulated clock begins at some time of day: the job runs an hour later, and ten minutes each. */
  async function daily(settings: object = {}) {
    const { r, ...rest } = await job({ cron: '0 3 * * *', time_zone: 'Europe/Berlin', ...settings })
    const until = async (hhmm: string): Promise<void> => {
      const [hour = 0, minute = 0] = hhmm.split(':').map(Number)
      const day = new Date(r.clock.now())
      const at = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), hour, minute)
      const ahead = at > r.clock.now() ? at : at + 24 * HOUR
      await r.clock.advance(ahead - r.clock.now())
    }
    return { r, ...rest, until }
  }

  const expected = (answer: { readonly next_expected_at: string | null }): string =>
    (answer.next_expected_at ?? '').slice(11, 16)

  it('expects the next signal at its next time, and is late and down after it', async () => {
    const { until, signal, state, events } = await daily({ time_zone: 'UTC' })
    await until('03:10')
    expect(expected(await signal())).toBe('03:00')
    await until('02:59')
    expect(await state()).toBe('up')
    await until('03:01')
    expect(await state()).toBe('late')
    await until('03:11')
    expect(await state()).toBe('down')
    expect(events()).toEqual(['down'])
  })

  it('takes a signal of a clock that runs ahead by half a minute as in time', async () => {
    const { r, until, signal, state } = await daily({ time_zone: 'UTC' })
    await until('02:59')
    await r.clock.advance(30_000)
    await signal()
    await until('03:30')
    expect(await state()).toBe('up')
  })

  it('one that is earlier than that is none for this time', async () => {
    const { r, until, signal, state } = await daily({ time_zone: 'UTC' })
    await until('02:59')
    await r.clock.advance(29_000)
    await signal()
    await until('03:05')
    expect(await state()).toBe('late')
  })

  it('has by default a fifth of its period as grace, at most an hour', async () => {
    const { until, signal, state } = await daily({ time_zone: 'UTC', grace_sec: null })
    await until('03:10')
    await signal()
    await until('03:59')
    await until('03:59')
    expect(await state()).toBe('late')
    await until('04:01')
    expect(await state()).toBe('down')
  })

  it('follows a change of its settings', async () => {
    const { r, id, until, signal, state } = await daily({ time_zone: 'UTC' })
    await until('03:10')
    await signal()
    await r.engine.monitors.update(id, { cron: '0 5 * * *' })
    await until('03:30')
    expect(await state()).toBe('up')
    await until('05:05')
    expect(await state()).toBe('late')
  })

  it('has a time zone only with an expression', async () => {
    await expect(job({ time_zone: 'Europe/Berlin' })).rejects.toMatchObject({
      fields: { time_zone: 'invalid: it goes with cron' },
    })
  })
})
