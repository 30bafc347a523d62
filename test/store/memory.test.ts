import { describe, expect, test } from 'vitest'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { monitor } from '../../src/testing/store-suite/case.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { measureCpu } from '../support/turns.ts'

describe('the store in memory', () => {
  // Closed and opened again it is the same store.
  const reopen = async (closed: ReturnType<typeof memoryStore>) => closed
  for (const { name, run } of storeSuite(async () => memoryStore(), { reopen })) test(name, run)
})

describe('stores in memory on one place', () => {
  let place = memoryPlace()
  const empty = async () => memoryStore({ place: (place = memoryPlace()) })
  const beside = async () => memoryStore({ place })
  for (const { name, run } of storeSuite(empty, { beside })) test(name, run)
})

test('the last of thousands of monitors is created nearly as fast as the first ones', async () => {
  const store = memoryStore()
  await store.open()
  await store.accounts.ensureFirst({ name: 'First', created_at: 0 })
  const create = async () => {
    for (let n = 0; n < 500; n++) await store.monitors.create(monitor())
  }
  // The compiler sees it first.
  await create()
  const first = await measureCpu(create)
  for (let n = 0; n < 7; n++) await create()
  const last = await measureCpu(create)
  expect(last.cpu_ms / first.cpu_ms).toBeLessThan(3)
})
