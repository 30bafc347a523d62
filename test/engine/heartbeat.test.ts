import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import type { SignalInput } from '../../src/engine/api.ts'
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

  it('does not know a token that nobody has', async () => {
    const { r } = await job()
    await expect(r.engine.signal('A'.repeat(22), { kind: 'success' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
