/** What one account has to store does not keep that of another waiting. */

import { expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { rig } from './rig.ts'

it('an outage is stored next, however many outages of another account wait', async () => {
  const store = memoryStore()
  let mayStore = Promise.resolve()
  const stored: number[][] = []
  const holding = {
    ...store,
    async commit(changes: Parameters<typeof store.commit>[0]) {
      await mayStore
      stored.push(changes.map(({ monitor_id }) => monitor_id))
      return store.commit(changes)
    },
  }
  const { engine, clock, say } = await rig({}, { store: holding })
  onTestFinished(() => engine.stop())
  const other = engine.account((await engine.accounts.create({ name: 'Other' })).id)
  for (let n = 0; n < 30; n++)
    await other.contacts.create({
      kind: 'recorder',
      name: `Duty ${n}`,
      to: `${n}`,
      all_monitors: true,
    })
  const monitor = {
    ...{ type: 'scripted', name: 'm', host: 'm.test' },
    ...{ interval_sec: 86_400, fail_threshold: 1 },
  }
  for (let n = 0; n < 40; n++) await other.monitors.create(monitor)
  const { id } = await engine.monitors.create(monitor)
  await clock.advance(10_000)
  say('m.test', 'fail')
  let open: () => void = () => undefined
  mayStore = new Promise((resolve) => (open = resolve))
  await other.monitors.bulk({ action: 'check', filter: { all: true } })
  await engine.monitors.queueCheck(id)
  await clock.settle()
  const before = stored.length
  open()
  await clock.settle()
  const groups = stored.slice(before)
  expect(groups.length).toBeGreaterThan(4)
  // The first was under way.
  expect(groups.findIndex((group) => group.includes(id))).toBe(1)
  expect((await engine.monitors.get(id)).state).toBe('down')
})
