import { describe, expect, it } from 'vitest'
import { limitWork } from '../../src/checkers/work-limit.ts'
import { systemClock } from '../../src/clock.ts'

/** A machine on which each part takes `wall_ms`, and this thread has a processor for `cpu_ms` of them. */
function machine({ wall_ms, cpu_ms }: { wall_ms: number; cpu_ms?: number }) {
  let [monotonic, cpu] = [1000, 50]
  return {
    clock: {
      monotonic: () => monotonic,
      ...(cpu_ms === undefined ? {} : { cpu: () => cpu }),
    },
    part() {
      monotonic += wall_ms
      cpu += cpu_ms ?? 0
      return 'done'
    },
  }
}

/** How many parts run until the limit has passed, and what it is. */
function partsOf(
  { clock, part }: ReturnType<typeof machine>,
  limits: { cpu_ms: number; wall_ms: number },
) {
  const limit = limitWork({ clock, ...limits })
  let parts = 0
  for (; limit.passed === undefined && parts < 1000; parts++) expect(limit.run(part)).toBe('done')
  return { parts, passed: limit.passed }
}

describe('work is limited', () => {
  it('by the CPU time that it takes: what a busy machine adds does not count', () => {
    const busy = machine({ wall_ms: 100, cpu_ms: 10 })
    expect(partsOf(busy, { cpu_ms: 1000, wall_ms: 100_000 })).toEqual({
      parts: 101,
      passed: '1 s of CPU time',
    })
  })

  it('by the time that passes, so that the check ends before its deadline', () => {
    const busy = machine({ wall_ms: 100, cpu_ms: 10 })
    expect(partsOf(busy, { cpu_ms: 1000, wall_ms: 2500 })).toEqual({ parts: 26, passed: '2.5 s' })
  })

  it('by no more CPU time than has passed: other threads of the process may count', () => {
    const threads = machine({ wall_ms: 10, cpu_ms: 40 })
    expect(partsOf(threads, { cpu_ms: 250, wall_ms: 100_000 })).toEqual({
      parts: 26,
      passed: '0.25 s of CPU time',
    })
  })

  it('by the time that passes where the clock has no CPU time', () => {
    expect(partsOf(machine({ wall_ms: 10 }), { cpu_ms: 250, wall_ms: Infinity }).parts).toBe(26)
  })
})

it('the clock of the machine tells the CPU time of work, and not that of waiting', async () => {
  const cpu = systemClock.cpu ?? expect.fail('without CPU time')
  const began = cpu()
  while (cpu() - began < 5) JSON.parse('[1, 2, 3]')
  const [from, cpuFrom] = [systemClock.monotonic(), cpu()]
  await systemClock.sleep(200)
  expect(cpu() - cpuFrom).toBeLessThan(systemClock.monotonic() - from)
})
