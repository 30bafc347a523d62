import { describe, test } from 'vitest'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'

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
