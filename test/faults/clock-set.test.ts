/** The wall clock under the engine: set by hand, by NTP, by the calendar (F6). */
import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { AttemptResult } from '../../src/webhook/contact-kind.ts'
import { rig } from '../engine/rig.ts'
import type { Rig } from '../engine/rig.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const QUIET = { error: null, answer: null, duration_ms: 1, retry_after_ms: null }

const JUMPS = [HOUR, -HOUR, DAY, -DAY, 30 * DAY, 3 * SECOND, -3 * SECOND]
const named = (ms: number): string =>
  `${ms > 0 ? 'forward' : 'back'} by ${Math.abs(ms) >= DAY ? `${Math.abs(ms) / DAY} d` : `${Math.abs(ms) / SECOND} s`}`

async function watching(count: number, settings: object = {}, now?: number): Promise<Rig> {
  const clock = simulatedClock(now === undefined ? {} : { now })
  const r = await rig({ checkers: [heartbeat()] as never }, { clock })
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  for (let n = 0; n < count; n++) {
    await r.engine.monitors.create({
      type: 'scripted',
      name: `n${n}`,
      host: `n${n}`,
      interval_sec: 60,
      fail_threshold: 1,
      ...settings,
    })
  }
  await r.clock.advance(5 * MINUTE)
  return r
}

/** Checks of each monitor since `from`. */
function counts(r: Rig, from: number): number[] {
  const each = new Map<string, number>()
  for (const check of r.checks.slice(from)) each.set(check, (each.get(check) ?? 0) + 1)
  return [...each.values()]
}

describe.each(JUMPS.map((jump) => [named(jump), jump] as const))('a clock set %s', (_, jump) => {
  it('makes no monitor miss a check, and none be checked more than once more', async () => {
    const r = await watching(50)
    const from = r.checks.length
    r.clock.jump(jump)
    await r.clock.advance(10 * MINUTE)
    const all = counts(r, from)
    expect(all).toHaveLength(50)
    expect(Math.min(...all)).toBeGreaterThanOrEqual(9)
    expect(Math.max(...all)).toBeLessThanOrEqual(11)
  })

  it('tells nobody of an outage that is none, and nobody twice of one that is', async () => {
    const r = await watching(3, { notify_repeat_min: 30 })
    r.say('n0', 'fail')
    await r.clock.advance(2 * MINUTE)
    const before = r.told.length
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    r.clock.jump(jump)
    await r.clock.advance(20 * MINUTE)
    expect(r.told.slice(before).map(({ event }) => event)).toEqual([])
    await r.clock.advance(10 * MINUTE)
    expect(r.told.slice(before).map(({ event }) => event)).toEqual(['repeat'])
  })

  it('makes no outage last less than nothing', async () => {
    const r = await watching(1)
    r.say('n0', 'fail')
    await r.clock.advance(2 * MINUTE)
    r.clock.jump(jump)
    await r.clock.advance(SECOND)
    r.say('n0', 'ok')
    const [open] = (await r.engine.incidents.list()).items
    expect(open?.duration_sec).toBeGreaterThanOrEqual(0)
    await r.clock.advance(2 * MINUTE)
    const [incident] = (await r.engine.incidents.list()).items
    expect(incident).toMatchObject({ state: 'closed' })
    const { started_at = '', ended_at } = incident ?? {}
    expect(Date.parse(ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(started_at))
    const up = r.told.find(({ event }) => event === 'up')
    expect(
      (up?.body as { incident: { duration_sec: number } }).incident.duration_sec,
    ).toBeGreaterThanOrEqual(0)
  })

  it('blames no job for a silence that nobody has lived through', async () => {
    const r = await watching(0)
    const monitor = await r.engine.monitors.create({
      type: 'heartbeat',
      name: 'Backup',
      interval_sec: 3600,
      grace_sec: 300,
    })
    const token = monitor.token as string
    await r.engine.signal(token, { kind: 'success' })
    await r.clock.advance(50 * MINUTE)
    r.clock.jump(jump)
    await r.clock.advance(9 * MINUTE)
    await r.engine.signal(token, { kind: 'success' })
    await r.clock.advance(HOUR - MINUTE)
    expect(r.told).toEqual([])
    await r.clock.advance(20 * MINUTE)
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
  })

  it('sends no second time what is under way', async () => {
    const answers: (() => void)[] = []
    const slow = defineContactKind({
      kind: 'slow',
      title: 'Slow',
      fields: {},
      policy: () => undefined,
      check: () => Promise.resolve({}),
      deliver: () =>
        new Promise<AttemptResult>((resolve) =>
          answers.push(() => resolve({ ...QUIET, class: 'delivered', http_status: 200 })),
        ),
    })
    const r = await rig({ contacts: [slow] })
    const { id } = await r.engine.contacts.create({ kind: 'slow', name: 'ops', all_monitors: true })
    const settings = { type: 'scripted', interval_sec: 10, timeout_ms: 5000, fail_threshold: 1 }
    r.say('a', 'fail')
    await r.engine.monitors.create({ ...settings, name: 'a', host: 'a' })
    await r.clock.advance(SECOND)
    expect(answers).toHaveLength(1)
    r.clock.jump(jump)
    // Wakes the outbox, which looks for what it could send, before anybody has seen that the clock was set.
    const tested = r.engine.contacts.test(id)
    // Longer than the clock is left unlooked at, and less than a delivery may take.
    await r.clock.advance(6 * SECOND)
    expect(answers).toHaveLength(2)
    for (const answer of answers) answer()
    await r.clock.advance(5 * MINUTE)
    await tested
    const { items } = await r.engine.notifications.list()
    expect(items).toMatchObject([{ status: 'sent' }, { status: 'sent' }])
    expect(answers).toHaveLength(2)
  })
})

describe('a clock set back while no engine ran', () => {
  it('keeps nobody from what a process was sending when it died', async () => {
    const r = await rig()
    const { id } = await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops' })
    await r.clock.advance(MINUTE)
    await r.engine.stop()
    await r.store.open()
    const { notifications } = r.store
    const now = r.clock.now()
    const payload = JSON.stringify({ event: 'test', monitor: null, incident: null })
    const row = { account_id: 1, contact_id: id, monitor_id: null, incident_id: null, repeat: 0 }
    const times = { due_at: now, created_at: now }
    await notifications.create({ ...row, ...times, event: 'test', payload })
    await notifications.claim({ now, lease_until: now + 30 * SECOND, limit: 1, per_contact: 1 })
    r.clock.jump(-DAY)
    const again = await r.restart()
    await again.clock.advance(2 * MINUTE)
    expect(again.told.map(({ event }) => event)).toEqual(['test'])
  })
})

describe.each([
  ['the clocks of Europe change', '2027-03-28T00:30:00Z'],
  ['the clocks of America change back', '2026-11-01T05:30:00Z'],
  ['February has a 29th', '2028-02-28T23:30:00Z'],
  ['the year ends', '2027-12-31T23:30:00Z'],
  ['32-bit seconds end', '2038-01-19T02:44:08Z'],
])('when %s', (_, begin) => {
  it('checks come as ever, days have all their seconds, and an outage lasts as long as it does', async () => {
    const r = await watching(1, {}, Date.parse(begin))
    r.say('n0', 'fail')
    await r.clock.advance(20 * MINUTE)
    r.say('n0', 'ok')
    await r.clock.advance(35 * MINUTE)
    const { items } = await r.engine.results.list(1, { order: 'asc' })
    const rounds = items.map(({ round }) => Date.parse(round)).slice(1)
    const pauses = rounds.slice(1).map((at, index) => at - (rounds[index] ?? 0))
    expect(new Set(pauses)).toEqual(new Set([MINUTE]))
    expect(rounds.length).toBeGreaterThanOrEqual(59)

    const [incident] = (await r.engine.incidents.list()).items
    expect(incident).toMatchObject({ state: 'closed', duration_sec: 20 * 60 })
    const { days } = await r.engine.monitors.uptime(1, { days: 2 })
    const downtime = days.reduce((sum, day) => sum + day.down_sec, 0)
    expect(downtime).toBe(20 * 60)
    expect(r.told.map(({ event }) => event)).toEqual(['down', 'up'])
  })
})

describe('waiting for longer than a timer of Node can', () => {
  /** As the system's clock does, timers fire early rather than late or at once. */
  function shortTimers() {
    const clock = simulatedClock({ settling: 'promises' })
    const timer: typeof clock.timer = (ms, run, options) =>
      clock.timer(Math.min(ms, 2 ** 30), run, options)
    return { ...clock, timer }
  }

  it('a monthly check comes at its time, not at once and not in a circle', async () => {
    // Two weeks and more before the next check, by the hash of the id.
    const clock = shortTimers()
    const r = await rig({}, { clock })
    const interval_sec = 31 * 86_400
    await r.engine.monitors.create({ type: 'scripted', name: 'a', host: 'a', interval_sec })
    await clock.advance(MINUTE)
    const { next_check_at } = await r.engine.monitors.get(1)
    const due_in = Date.parse(next_check_at ?? '') - clock.now()
    expect(due_in).toBeGreaterThan(2 ** 30)
    await clock.advance(due_in - MINUTE)
    expect(r.checks).toHaveLength(1)
    await clock.advance(2 * MINUTE)
    expect(r.checks).toHaveLength(2)
    expect((await r.engine.monitors.get(1)).next_check_at).toBe(
      new Date(Date.parse(next_check_at ?? '') + 31 * DAY).toISOString(),
    )
  })

  it('a contact is told after the week that it asked for, and again every five days', async () => {
    const clock = shortTimers()
    const r = await rig({}, { clock })
    const { id } = await r.engine.contacts.create({ kind: 'recorder', name: 'boss', to: 'boss' })
    r.say('a', 'fail')
    await r.engine.monitors.create({
      ...{ type: 'scripted', name: 'a', host: 'a', interval_sec: 3600, fail_threshold: 1 },
      ...{ contact_ids: [id], contact_delay: { [id]: 7 * 24 * 60 } },
      ...{ notify_repeat_min: 5 * 24 * 60 },
    })
    await clock.advance(13 * DAY)
    const [incident] = (await r.engine.incidents.list()).items
    const began = Date.parse(incident?.detected_at ?? '')
    const days = r.told.map(({ at }) => Math.round(((at - began) / DAY) * 1000) / 1000)
    expect(r.told.map(({ event }) => event)).toEqual(['down', 'repeat'])
    expect(days).toEqual([7, 12])
  })
})
