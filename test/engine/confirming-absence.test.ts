/** A failure that was to be confirmed when the engine stopped, and one after hours of absence. */
import { expect, it } from 'vitest'
import { rig } from './rig.ts'

const MINUTE = 60_000

it.each([
  ['hours later are two: nobody is told of a short one', 8 * 60, []],
  ['after a restart are one outage, which is told', 3, ['down']],
])('failures %s', async (_, minutes, events) => {
  const first = await rig()
  await first.engine.contacts.create({ kind: 'recorder', name: 'a', to: 'a', all_monitors: true })
  const input = { type: 'scripted', name: 'Shop', host: 'shop.test', interval_sec: 60 }
  const { id } = await first.engine.monitors.create({ ...input, fail_threshold: 2 })
  await first.clock.advance(5 * MINUTE)
  first.say('shop.test', 'fail')
  while ((await first.engine.monitors.get(id)).state !== 'confirming')
    await first.clock.advance(1000)
  await first.engine.stop()
  await first.clock.advance(minutes * MINUTE)

  const next = await first.restart()
  next.say('shop.test', 'fail')
  while (next.checks.length === 0) await next.clock.advance(1000)
  next.say('shop.test', 'ok')
  await next.clock.advance(10 * MINUTE)
  expect(next.told.map(({ event }) => event).slice(0, 1)).toEqual(events)
  expect((await next.engine.incidents.list()).items).toHaveLength(events.length)
  expect((await next.engine.monitors.get(id)).state).toBe('up')
  await next.engine.stop()
})
