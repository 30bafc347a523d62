/** What waits for the end of quiet hours, where the contact changes them meanwhile. */
import { expect, it } from 'vitest'
import type { QuietInput } from '../../src/engine/api/inputs.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 16)

/** Quiet hours from now on, until `ends`. */
function until(r: Rig, ends: number, given: Partial<QuietInput> = {}): QuietInput {
  const hours = [{ from: timeOfDay(r.clock.now() - HOUR), to: timeOfDay(ends) }]
  return { time_zone: 'UTC', hours, ...given }
}

/** A contact that is quiet for eight hours, in which a monitor fails after a minute. */
async function night(settings: object = {}) {
  const r = await rig()
  await r.clock.advance(MINUTE - (r.clock.now() % MINUTE))
  const ends = r.clock.now() + 8 * HOUR
  const quiet = until(r, ends)
  const { contacts } = r.engine
  const { id } = await contacts.create({ kind: 'recorder', name: 'n', to: 'n', quiet })
  const input = { type: 'scripted', name: 'Shop', host: 'shop.test', interval_sec: 60 }
  const monitor = await r.engine.monitors.create({ ...input, contact_ids: [id], ...settings })
  r.say('shop.test', 'fail')
  await r.clock.advance(10 * MINUTE)
  expect(await waiting(r)).toEqual(['down', timeOfDay(ends)])
  return { r, ends, id, monitor }
}

async function waiting(r: Rig): Promise<readonly unknown[]> {
  const { items } = await r.engine.notifications.list()
  return items
    .filter(({ status }) => status === 'queued')
    .flatMap(({ event, next_attempt_at }) => [event, next_attempt_at?.slice(11, 16)])
}

const events = (r: Rig) => r.told.map(({ event }) => event)

it('is sent at once where they are removed, and the rest follows', async () => {
  const { r, id } = await night({ notify_repeat_min: 30 })
  const at = r.clock.now()
  await r.engine.contacts.update(id, { quiet: null })
  await r.clock.advance(MINUTE)
  expect(events(r)).toEqual(['down'])
  expect((r.told[0]?.at ?? 0) - at).toBeLessThan(1000)
  await r.clock.advance(30 * MINUTE)
  r.say('shop.test', 'ok')
  await r.clock.advance(5 * MINUTE)
  expect(events(r)).toEqual(['down', 'repeat', 'up'])
})

it('waits for the end of the new ones, which may be sooner or later', async () => {
  const { r, id, ends } = await night()
  for (const end of [ends + 2 * HOUR, r.clock.now() + 2 * HOUR]) {
    await r.engine.contacts.update(id, { quiet: until(r, end) })
    await r.clock.advance(MINUTE)
    expect(await waiting(r)).toEqual(['down', timeOfDay(end)])
  }
  await r.clock.advance(2 * HOUR)
  expect(events(r)).toEqual(['down'])
})

it('is dropped where the new ones drop, and sent where they except its monitor', async () => {
  const { r, id, ends } = await night({ tags: ['critical'] })
  await r.engine.contacts.update(id, { quiet: until(r, ends, { except_tags: ['critical'] }) })
  await r.clock.advance(MINUTE)
  expect(events(r)).toEqual(['down'])
  const other = await night()
  await other.r.engine.contacts.update(other.id, {
    quiet: until(other.r, other.ends, { during: 'drop' }),
  })
  await other.r.clock.advance(9 * HOUR)
  expect(events(other.r)).toEqual([])
})

it('does not hold back the beginning of the next outage', async () => {
  const { r, id } = await night()
  r.say('shop.test', 'ok')
  await r.clock.advance(5 * MINUTE)
  expect(await waiting(r)).toHaveLength(4)
  await r.engine.contacts.update(id, { quiet: null })
  await r.clock.advance(MINUTE)
  expect(events(r)).toEqual(['outage'])
  r.say('shop.test', 'fail')
  await r.clock.advance(5 * MINUTE)
  expect(events(r)).toEqual(['outage', 'down'])
})

it('keeps its time where something else of the contact changes', async () => {
  const { r, id, ends } = await night()
  await r.engine.contacts.update(id, { name: 'night' })
  await r.clock.advance(MINUTE)
  expect(await waiting(r)).toEqual(['down', timeOfDay(ends)])
  const [row] = (await r.store.notifications.list({ account_id: 1, limit: 1 })) as [object]
  expect(row).toMatchObject({ claims: 1 })
})
