import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { waitedOnMachine_ms, withDeadline } from './deadlines.ts'

function holdTheLoop(ms: number): void {
  const end = systemClock.monotonic() + ms
  while (systemClock.monotonic() < end);
}

it('gives a busy machine longer deadlines, and ends with the failure of the last one', async () => {
  const tried: number[] = []
  const failing = withDeadline(50, async (timeout_ms) => {
    tried.push(timeout_ms)
    // The first turn starts the measurement, which the second one misses.
    await systemClock.sleep(20)
    holdTheLoop(timeout_ms)
    await systemClock.sleep(20)
    throw new Error(`too late at ${timeout_ms}`)
  })
  await expect(failing).rejects.toThrow('too late at 800')
  expect(tried).toEqual([50, 200, 800])
})

it('stops at the first deadline that is long enough', async () => {
  const passed = await withDeadline(50, async (timeout_ms) => {
    await systemClock.sleep(20)
    if (timeout_ms > 50) return timeout_ms
    const late = systemClock.sleep(timeout_ms)
    holdTheLoop(timeout_ms)
    // In the first turn after the hold.
    await late
    throw new Error('too late')
  })
  expect(passed).toBe(200)
})

it('takes a failure for one where the machine had time', async () => {
  // A tenth of so long a deadline is more than any machine takes from a test that ends at once.
  const long_ms = 600_000
  const tried: number[] = []
  const failing = withDeadline(long_ms, async (timeout_ms) => {
    tried.push(timeout_ms)
    throw new Error('wrong')
  })
  await expect(failing).rejects.toThrow('wrong')
  expect(tried).toEqual([long_ms])
})

it('gives a check that another process makes longer deadlines where that one may have waited', async () => {
  const tried: number[] = []
  const checking = (waits_ms: number) => {
    let waited_ms = 0
    tried.length = 0
    return withDeadline(
      10_000,
      (timeout_ms) => {
        tried.push(timeout_ms)
        waited_ms += waits_ms
        return Promise.reject(new Error('too late'))
      },
      () => waited_ms,
    )
  }
  await expect(checking(999)).rejects.toThrow('too late')
  expect(tried).toEqual([10_000])
  await expect(checking(20_000)).rejects.toThrow('too late')
  expect(tried).toEqual([10_000, 40_000, 160_000])
})

it('knows how long others on this machine have waited, which only grows', () => {
  const before = waitedOnMachine_ms()
  holdTheLoop(20)
  expect(before).toBeGreaterThanOrEqual(0)
  expect(waitedOnMachine_ms()).toBeGreaterThanOrEqual(before)
})
