/** Whatever is sent again or held back: a contact has one repeat of an incident in each `notify_repeat_min`. */
import { expect, it } from 'vitest'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function monitored(r: Rig, settings: object = {}) {
  const input = { type: 'scripted', name: 'Shop', host: 'shop.test', interval_sec: 60 }
  return r.engine.monitors.create({ ...input, notify_repeat_min: 30, ...settings })
}

/** Minutes between what the contact was sent. */
function pauses(r: Rig): readonly number[] {
  const times = r.told.map(({ at }) => at)
  return times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / MINUTE))
}

it('where `down` is sent again by hand', async () => {
  const r = await rig()
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  await monitored(r, { fail_threshold: 1 })
  r.say('shop.test', 'fail')
  await r.clock.advance(11 * MINUTE)
  const sent = (await r.engine.notifications.list()).items.find(({ event }) => event === 'down')
  await r.engine.notifications.resend(sent?.id ?? 0)
  await r.clock.advance(3 * HOUR)
  const [again, ...repeats] = pauses(r)
  expect(again).toBeLessThan(30)
  expect(repeats).toEqual([30, 30, 30, 30, 30, 30])
  const { items } = await r.engine.notifications.list()
  const cancelled = items.filter(({ status }) => status === 'cancelled')
  expect(cancelled.map(({ event, error }) => [event, error])).toEqual([
    ['repeat', 'repeat_superseded'],
  ])
  await r.engine.stop()
})

it('where `down` waits for the end of quiet hours, through a maintenance', async () => {
  const r = await rig()
  await r.clock.advance(MINUTE - (r.clock.now() % MINUTE))
  const begins = r.clock.now()
  const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 16)
  const hours = [{ from: timeOfDay(begins), to: timeOfDay(begins + 8 * HOUR) }]
  const quiet = { time_zone: 'UTC', hours }
  const contact = { kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true, quiet }
  await r.engine.contacts.create(contact)
  const iso = (at: number): string => new Date(at).toISOString()
  const window = { start: iso(begins + 2 * HOUR), end: iso(begins + 3 * HOUR) }
  await monitored(r, { maintenance: [window] })
  await r.clock.advance(HOUR)
  r.say('shop.test', 'fail')
  await r.clock.advance(7 * HOUR - 1000)
  expect(r.told).toEqual([])
  await r.clock.advance(3 * HOUR)
  expect(r.told[0]?.event).toBe('down')
  expect(pauses(r)).toEqual([30, 30, 30, 30, 30])
  await r.engine.stop()
})
