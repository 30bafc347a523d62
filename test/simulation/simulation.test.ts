import { describe, expect, it } from 'vitest'
import { holdAll } from './invariants.ts'
import { simulate } from './world.ts'
import type { Plan } from './world.ts'

const base: Omit<Plan, 'seed'> = {
  days: 1,
  monitors: 4,
  locations: ['local'],
  killChance: 0,
  failChance: 0,
  jumps: 0,
}

// A failing seed is replayed with SIMULATION_SEED; SIMULATION_TIMES=50 runs fifty times as many.
const first = Number(process.env.SIMULATION_SEED ?? 1)
const times = Number(process.env.SIMULATION_TIMES ?? 1)
const seeds = (n: number) => Array.from({ length: n * times }, (_, i) => first + i)

describe('whatever goes wrong, for every seed:', () => {
  it.each(seeds(2))('targets flap and receivers fail (seed %i)', async (seed) => {
    const { incidents, notifications } = await holdAll(await simulate({ ...base, seed }))
    expect(incidents).toBeGreaterThan(0)
    expect(notifications).toBeGreaterThan(incidents)
  })

  it.each(seeds(4))('the process is killed at any step (seed %i)', async (seed) => {
    const history = await simulate({ ...base, seed, killChance: 0.002 })
    expect(history.kills).toBeGreaterThan(0)
    await holdAll(history)
  })

  it.each(seeds(2))('the store fails (seed %i)', async (seed) => {
    const history = await simulate({ ...base, seed, failChance: 0.02 })
    expect(history.storeFailures).toBeGreaterThan(0)
    await holdAll(history)
  })

  it.each(seeds(2))('three locations, kills, failures and all (seed %i)', async (seed) => {
    await holdAll(
      await simulate({
        ...base,
        seed,
        locations: ['fra', 'nyc', 'sin'],
        killChance: 0.001,
        failChance: 0.01,
      }),
    )
  })

  it('the same seed gives the same history', async () => {
    const plan = { ...base, seed: first, days: 1, killChance: 0.002, failChance: 0.01 }
    const [a, b] = [await simulate(plan), await simulate(plan)]
    expect(a.received).toEqual(b.received)
    expect(a.rounds).toBe(b.rounds)
  })
})
