/** Planned work as code: windows of a list beside its monitors. */

import { expect, it, onTestFinished } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { describePlan, isEmptyPlan, syncMonitors } from '../../src/monitors/index.ts'
import type { MaintenanceEntry, SyncOptions } from '../../src/monitors/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

const MONITORS = [
  { key: 'db', type: 'tcp', host: 'db.example', port: 5432 },
  { key: 'web', type: 'tcp', host: 'web.example', port: 80, tags: ['shop'] },
] as const
const NIGHT = { at: '22:00', duration_min: 60 }
const DISKS: MaintenanceEntry = { key: 'disks', name: 'Disks', window: NIGHT, monitors: ['db'] }
const HOUR_MS = 3_600_000

async function account() {
  const clock = simulatedClock()
  const engine = createEngine({ store: memoryStore(), checkers: builtinCheckers(), clock })
  onTestFinished(() => engine.stop())
  await engine.open()
  const sync = (maintenance: unknown, options: SyncOptions = {}) =>
    syncMonitors(engine, MONITORS, { ...options, maintenance: maintenance as never })
  const windows = async () => (await engine.maintenance.list()).items
  const told = async (...given: Parameters<typeof sync>) =>
    describePlan(await sync(...given)).filter((line) => !line.startsWith('0 to create'))
  return { engine, clock, sync, windows, told }
}

it('are created, updated and left as the list says, and cover its monitors', async () => {
  const { engine, sync, windows, told } = await account()
  const dry = await sync([DISKS], { dryRun: true })
  expect(await windows()).toEqual([])
  expect(isEmptyPlan(dry)).toBe(false)
  const shop = { key: 'shop', name: 'Shop', window: NIGHT, tags: ['shop'] }
  await sync([DISKS, shop], { actor: 'ci' })
  const [web, db] = (await engine.monitors.list()).items.toReversed()
  const of = async (id = 0) =>
    (await engine.maintenance.list({ monitor_id: id })).items.map(({ name }) => name)
  expect([await of(db?.id), await of(web?.id)]).toEqual([['Disks'], ['Shop']])
  const { items } = await engine.auditLog.list({ resource: 'maintenance' })
  expect(items.map(({ actor }) => actor)).toEqual(['ci', 'ci'])

  expect(isEmptyPlan(await sync([DISKS, shop]))).toBe(true)
  const renamed = { ...DISKS, name: 'Racks', monitors: ['db', 'web'] }
  expect(await told([renamed, shop])).toEqual([
    '~ disks  "Racks"',
    '    name: "Disks" → "Racks"',
    '    tags: ["key:db"] → ["key:db","key:web"]',
    'maintenance: 0 to create, 1 to update, 0 to remove, 1 unchanged',
  ])
  const [first] = await windows()
  expect(first).toMatchObject({ name: 'Racks', version: 2 })
})

it('are removed only if asked for, and others are never touched', async () => {
  const { engine, sync, windows, told } = await account()
  await engine.maintenance.create({ name: 'By hand', window: NIGHT, all_monitors: true })
  await sync([DISKS])
  const left = '? disks  "Disks"  not in the list, left alone'
  expect(await told([], { unlisted: 'pause' })).toContain(left)
  // A list that says nothing of them.
  await syncMonitors(engine, MONITORS, { unlisted: 'remove' })
  expect(await windows()).toHaveLength(2)
  expect(await told([], { unlisted: 'remove' })).toContain('- disks  "Disks"  remove')
  expect((await windows()).map(({ name }) => name)).toEqual(['By hand'])
})

it('that have ended stay as they are, and are not created any more', async () => {
  const { clock, sync, windows, told } = await account()
  const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString()
  const once = { ...DISKS, window: { start: at(1), end: at(2) } }
  await sync([once])
  await clock.advance(3 * HOUR_MS)
  expect(isEmptyPlan(await sync([once]))).toBe(true)
  expect(await told([once, { ...once, key: 'late', name: 'Late' }])).toContain(
    '! late  window: has ended, and is not created',
  )
  expect(await windows()).toHaveLength(1)
})

it('with a mistake change nothing, and every mistake is told', async () => {
  const { engine, sync } = await account()
  const refused = sync([
    DISKS,
    { ...DISKS },
    { ...DISKS, key: 'Bad Key' },
    { key: 'none', name: 'None', window: NIGHT },
    { ...DISKS, key: 'stranger', monitors: ['router'] },
    { ...DISKS, key: 'times', window: { at: '25:00', duration_min: 0 }, nmae: 'x' },
    { ...DISKS, key: 'own', tags: ['window:x'] },
    'text',
  ])
  await expect(refused).rejects.toMatchObject({
    fields: {
      'maintenance.disks.key': 'invalid: an earlier entry has it',
      'maintenance entry 3.key': expect.stringContaining('lower-case letters'),
      'maintenance.none.monitors': 'required: or tags, or all_monitors',
      'maintenance.stranger.monitors': 'invalid: no monitor of the list has the key "router"',
      'maintenance.times.nmae': expect.stringContaining('unknown_field'),
      'maintenance.times.window': expect.any(String),
      'maintenance.own.tags': 'invalid: window:… is set by the sync',
      'maintenance entry 8': 'invalid: an object is expected',
    },
  })
  await expect(sync({})).rejects.toMatchObject({ fields: { maintenance: expect.any(String) } })
  expect((await engine.monitors.list()).items).toEqual([])
})
