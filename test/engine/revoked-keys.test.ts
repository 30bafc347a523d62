import { expect, it } from 'vitest'
import { rig } from './rig.ts'

const HOUR = 3_600_000

it('lists a revoked key for 30 days, and never accepts it again', async () => {
  const before = await rig()
  const leaked = { name: 'leaked', key: 'the-key-that-was-leaked' }
  const { view } = await before.engine.keys.create(leaked)
  const used = await before.engine.keys.create({ name: 'in use' })
  await before.engine.keys.revoke(view.id)
  await before.engine.stop()
  await before.clock.advance(30 * 24 * HOUR - HOUR)

  const { engine, clock } = await before.restart()
  const names = async () => (await engine.keys.list()).map(({ name }) => name)
  await clock.advance(HOUR / 2)
  expect(await names()).toEqual(['leaked', 'in use'])
  await clock.advance(HOUR)
  expect(await names()).toEqual(['in use'])
  expect(await engine.authenticate(leaked.key)).toBeUndefined()
  await expect(engine.keys.create(leaked)).rejects.toMatchObject({ code: 'validation' })
  expect(await engine.authenticate(used.key)).toMatchObject({ account_id: 1 })
  const { items } = await engine.auditLog.list({ resource: 'key', resource_id: view.id })
  expect(items.map(({ action }) => action)).toEqual(['revoked', 'created'])
  await engine.stop()
})
