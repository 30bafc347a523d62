import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { StorageError } from '../../src/errors.ts'
import { chosenMonitors } from '../../src/page/public/public-facts.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/index.ts'

/** A page of three monitors, and a store whose second monitor cannot be had while `broken` is set. */
async function published() {
  const clock = simulatedClock()
  const store = memoryStore()
  const fault: { broken?: Error } = {}
  const get: typeof store.monitors.get = (id) =>
    id === 2 && fault.broken !== undefined ? Promise.reject(fault.broken) : store.monitors.get(id)
  const faulty = { ...store, monitors: { ...store.monitors, get } }
  const engine = createEngine({ store: faulty, clock, checkers: [tcp()], logger: false })
  onTestFinished(() => engine.stop())
  const input = { type: 'tcp', host: 'h.test', port: 1 } as const
  for (const name of ['one', 'two', 'three']) await engine.monitors.create({ ...input, name })
  const page = { slug: 'status', title: 'Status', monitors: [3, 2, 1] }
  return { engine, page, fault }
}

it('a public page leaves out a monitor that was removed', async () => {
  const { engine, page } = await published()
  await engine.monitors.remove(2)
  const found = await chosenMonitors(engine, page)
  expect(found.map(({ id }) => id)).toEqual([3, 1])
})

it('a public page never leaves out a monitor because the store does not answer', async () => {
  const { engine, page, fault } = await published()
  fault.broken = new StorageError('The disk is gone')
  await expect(chosenMonitors(engine, page)).rejects.toBe(fault.broken)
})

it('a public page never shows a monitor of another account', async () => {
  const { engine, page } = await published()
  const { id: account_id } = await engine.accounts.create({ name: 'other' })
  expect(await chosenMonitors(engine, { ...page, account_id })).toEqual([])
  await engine.start()
  expect(await chosenMonitors(engine, { ...page, account_id })).toEqual([])
})
