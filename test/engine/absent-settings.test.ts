import { expect, it } from 'vitest'
import { rig } from './rig.ts'

const shop = {
  type: 'scripted',
  name: 'Shop',
  host: 'shop.test',
  secret: 'hidden',
  level: 7,
  tags: ['a', 'b'],
  interval_sec: 120,
  maintenance: [{ start: '2027-01-01T00:00:00Z', end: '2027-01-01T01:00:00Z' }],
}

it('update with undefined changes nothing of a monitor', async () => {
  const { engine, store } = await rig()
  const before = await engine.monitors.create(shop)
  const absent = Object.fromEntries(Object.keys(shop).map((name) => [name, undefined]))
  for (const patch of [absent, { ...absent, nothing: undefined }, { ...absent, type: undefined }]) {
    const after = await engine.monitors.update(before.id, patch)
    expect({ ...after, version: 0, updated_at: '' }).toEqual({
      ...before,
      version: 0,
      updated_at: '',
    })
  }
  expect((await store.monitors.get(before.id))?.settings).toMatchObject({ secret: 'hidden' })
  expect(await engine.monitors.update(before.id, { tags: null, level: undefined })).toMatchObject({
    tags: [],
    level: 7,
  })
  await engine.stop()
})

it('undefined is absent in a new monitor and in a preview, at every depth', async () => {
  const { engine } = await rig()
  const input = {
    ...shop,
    level: undefined,
    tags: undefined,
    nothing: undefined,
    maintenance: [{ ...shop.maintenance[0], skip_checks: undefined, nothing: undefined }],
  }
  const { level, tags, maintenance } = (await engine.monitors.create(input as never)) as never
  expect({ level, tags }).toEqual({ level: 1, tags: [] })
  expect(maintenance).toHaveLength(1)
  const { settings } = await engine.monitors.preview(input as never)
  expect(settings).toMatchObject({ level: 1, tags: [] })
  await engine.stop()
})

it('undefined leaves a contact as it is, and is absent in a new one', async () => {
  const { engine, store } = await rig()
  const input = { kind: 'recorder', name: 'Duty', to: 'a', all_monitors: true, secret: 'hidden' }
  const before = await engine.contacts.create({ ...input, nothing: undefined })
  const absent = Object.fromEntries(
    [...Object.keys(input), 'nothing'].map((name) => [name, undefined]),
  )
  const after = await engine.contacts.update(before.id, absent)
  expect({ ...after, version: 0 }).toEqual({ ...before, version: 0 })
  expect((await store.contacts.get(before.id))?.settings).toMatchObject({ secret: 'hidden' })
  await engine.stop()
})

it.each([null, 5, 'x', []])('a contact is not changed by %j', async (patch) => {
  const { engine } = await rig()
  const { id } = await engine.contacts.create({ kind: 'recorder', name: 'Duty', to: 'a' })
  await expect(engine.contacts.update(id, patch as never)).rejects.toMatchObject({
    fields: { '': 'invalid: an object is expected' },
  })
  await engine.stop()
})
