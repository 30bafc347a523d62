/** Repeats that begin during an outage: they are turned on, or the monitor gets a contact. */
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/model.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

/** A monitor that has been down for a while, of which `ops` was told. */
async function outage(settings: object = {}) {
  const r = await rig()
  const contact = (name: string, given: object = {}) =>
    r.engine.contacts.create({ kind: 'recorder', name, to: name, ...given })
  const [ops, night] = [await contact('ops'), await contact('night')]
  const monitor = await r.engine.monitors.create({
    ...{ type: 'scripted', name: 'Shop', host: 'shop.test', interval_sec: 60 },
    ...{ contact_ids: [ops.id], ...settings },
  })
  r.say('shop.test', 'fail')
  await r.clock.advance(20 * MINUTE)
  const update = (patch: JsonObject) => r.engine.monitors.update(monitor.id, patch)
  return { ...{ r, contact, ops, night, monitor, update }, changed_at: r.clock.now() }
}

/** `who event` and the minutes since `from`, of what arrived later. */
function heard(r: Rig, from: number): readonly string[] {
  return r.told
    .filter(({ at }) => at > from)
    .map(({ to, event, at }) => `${to} ${event} ${Math.round((at - from) / MINUTE)}`)
}

it('repeats that are turned on are counted from the change', async () => {
  const { r, update, changed_at } = await outage()
  await update({ notify_repeat_min: 30, notify_repeat_max: 2 })
  await r.clock.advance(29 * MINUTE)
  expect(heard(r, changed_at)).toEqual([])
  await r.clock.advance(100 * MINUTE)
  expect(heard(r, changed_at)).toEqual(['ops repeat 30', 'ops repeat 60'])
  const [down, first, second] = r.told.map(({ body }) => body)
  expect(first).toEqual({
    ...{ ...down, event: 'repeat', repeat: { n: 1, max: 2 } },
    sent_at: first?.['sent_at'],
    notification_id: first?.['notification_id'],
  })
  expect(second).toMatchObject({ repeat: { n: 2, max: 2 } })
})

it('they go on in one chain where they were turned off and on, and change their pause', async () => {
  const { r, update, changed_at } = await outage({ notify_repeat_min: 30 })
  for (const notify_repeat_min of [0, 10, 20]) await update({ notify_repeat_min })
  await r.clock.advance(60 * MINUTE)
  const first = heard(r, changed_at)[0]
  expect(first).toMatch(/^ops repeat \d$|^ops repeat 1\d$/)
  const minutes = heard(r, changed_at).map((each) => Number(each.split(' ')[2]))
  for (const [index, at] of minutes.slice(1).entries()) expect(at - (minutes[index] ?? 0)).toBe(20)
})

it.each<[string, (given: Awaited<ReturnType<typeof outage>>) => Promise<unknown>, object?]>([
  ['stay off', ({ update }) => update({ name: 'Store' })],
  ['are of a monitor that is up again', ({ r }) => recovered(r)],
  ['are of an incident that someone has acknowledged', ({ r }) => acknowledged(r)],
  ['are of a monitor in maintenance', ({ update }) => update({ maintenance: [ALWAYS] })],
])('none begin where they %s', async (what, before) => {
  const given = await outage()
  await before(given)
  await given.r.clock.advance(2 * MINUTE)
  const from = given.r.clock.now()
  if (what !== 'stay off') await given.update({ notify_repeat_min: 30 })
  await given.r.clock.advance(120 * MINUTE)
  expect(heard(given.r, from)).toEqual([])
})

it('a contact whose first notification waits for its delay gets repeats after it', async () => {
  const { r, ops, night, update, changed_at } = await outage()
  const open = { contact_ids: [ops.id, night.id], contact_delay: { [night.id]: 60 } }
  r.say('shop.test', 'ok')
  await update(open)
  await r.clock.advance(5 * MINUTE)
  r.say('shop.test', 'fail')
  await r.clock.advance(5 * MINUTE)
  await update({ notify_repeat_min: 45 })
  await r.clock.advance(115 * MINUTE)
  const events = heard(r, changed_at).filter((each) => each.startsWith('night'))
  const [down = 0, repeat = 0] = events.map((each) => Number(each.split(' ')[2]))
  expect(events.map((each) => each.split(' ')[1])).toEqual(['down', 'repeat'])
  expect(repeat - down).toBe(45)
})

it('a contact that is added hears nothing of the outage without repeats, nor of its end', async () => {
  const { r, contact, ops, night, update, changed_at } = await outage()
  await update({ contact_ids: [ops.id, night.id] })
  await contact('all', { all_monitors: true })
  await r.clock.advance(60 * MINUTE)
  const [incident] = (await r.engine.incidents.list()).items
  await r.engine.incidents.acknowledge(incident?.id ?? 0)
  await recovered(r)
  const events = heard(r, changed_at).map((each) => each.slice(0, each.lastIndexOf(' ')))
  expect(events).toEqual(['ops acknowledged', 'ops up'])
  r.say('shop.test', 'fail')
  await r.clock.advance(5 * MINUTE)
  expect(
    r.told
      .slice(-3)
      .map(({ to, event }) => `${to} ${event}`)
      .toSorted(),
  ).toEqual(['all down', 'night down', 'ops down'])
})

it('with repeats it is reminded like the others, and told of the end', async () => {
  const { r, ops, night, update, changed_at } = await outage({ notify_repeat_min: 30 })
  await update({ contact_ids: [night.id, ops.id] })
  await update({ contact_ids: [ops.id] })
  await update({ contact_ids: [night.id] })
  await r.clock.advance(70 * MINUTE)
  await recovered(r)
  const ofNight = heard(r, changed_at).filter((each) => each.startsWith('night'))
  expect(ofNight.slice(0, 2)).toEqual(['night repeat 30', 'night repeat 60'])
  expect(ofNight.slice(2)).toEqual([expect.stringMatching(/^night up 7\d$/)])
  expect(heard(r, changed_at).filter((each) => each.startsWith('ops up'))).toHaveLength(1)
  const body = r.told.find(({ to }) => to === 'night')?.body
  expect(body).toMatchObject({ repeat: { n: 1, max: 0 }, incident: { cause_code: 'broken' } })
})

it('also where nobody was told that it began', async () => {
  const { r, night, update, changed_at } = await outage({ contact_ids: [], notify_repeat_min: 30 })
  await update({ contact_ids: [night.id] })
  await r.clock.advance(31 * MINUTE)
  expect(heard(r, changed_at)).toEqual(['night repeat 30'])
  expect(r.told[0]?.body).toMatchObject({
    ...{ event: 'repeat', monitor: { name: 'Shop' }, repeat: { n: 1, max: 0 } },
    incident: { cause_code: 'broken', cause_text: 'It is broken' },
  })
})

const ALWAYS = { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' }

async function recovered(r: Rig): Promise<void> {
  r.say('shop.test', 'ok')
  await r.clock.advance(5 * MINUTE)
}

async function acknowledged(r: Rig): Promise<void> {
  const [incident] = (await r.engine.incidents.list()).items
  await r.engine.incidents.acknowledge(incident?.id ?? 0)
}
