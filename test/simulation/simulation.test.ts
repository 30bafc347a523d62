import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { breachesOf, INVARIANTS } from './invariants/index.ts'
import { figuresOf } from './figures.ts'
import type { Figures } from './figures.ts'
import { calmPlan, planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import { spawnProcess } from './process.ts'
import { RULES } from './rules/index.ts'
import { simulate } from './simulate.ts'
import { digestOf } from './tape.ts'

// A few small worlds per fault; `npm run simulate` plays large ones for as long as one likes.

/** Plays a plan, and fails with the line that replays it where an invariant does not hold. */
async function play(plan: Plan): Promise<Figures> {
  const { ledger, breaches } = breachesOf(await simulate(plan))
  expect(breaches, `seed ${plan.seed}, ${JSON.stringify(plan)}`).toEqual([])
  return figuresOf(ledger)
}

const flapping = { flaps: 6, badAnswers: 0.6 } as const
const few = { days: 1, monitors: 6 } as const

describe('whatever goes wrong, for every seed the invariants hold:', () => {
  it('targets flap, receivers answer anything', async () => {
    const figures = await play(calmPlan(1, flapping, few))
    expect(figures.incidents).toBeGreaterThan(5)
    expect(figures.attempts).toBeGreaterThan(figures.notifications)
  })

  it('the process is killed at any step', async () => {
    const figures = await play(calmPlan(2, { ...flapping, kills: 60 }, few))
    expect(figures.kills).toBeGreaterThan(20)
  })

  it('the store fails, before and after it has done what was asked', async () => {
    const figures = await play(
      calmPlan(3, { ...flapping, storeTroubles: 40, slowCalls: 0.05 }, few),
    )
    expect(figures.store_failures).toBeGreaterThan(50)
  })

  it('the clock is set forward and back', async () => {
    const figures = await play(
      calmPlan(4, { ...flapping, jumps: 12, kills: 10 }, { ...few, heartbeats: 2 }),
    )
    expect(figures.jumps).toBeGreaterThan(5)
  })

  it('probes are silent, late, repeat themselves and answer for rounds of long ago', async () => {
    const locations = ['fra', 'nyc', 'sin']
    const faults = { ...flapping, blind: 2, silences: 4, badPosts: 0.1 }
    const figures = await play(calmPlan(5, faults, { ...few, locations }))
    expect(figures.bad_posts).toBeGreaterThan(50)
  })

  it('the process stands still, another takes its place, and it wakes up beside that', async () => {
    const figures = await play(calmPlan(6, { ...flapping, freezes: 20, restarts: 4 }, few))
    expect(figures.freezes).toBeGreaterThan(8)
  })

  it('people pause, change, remove, depend, maintain, acknowledge and send again', async () => {
    const figures = await play(
      calmPlan(7, { ...flapping, actions: 250 }, { ...few, heartbeats: 2, shortMemory: true }),
    )
    expect(figures.actions).toBeGreaterThan(100)
  })

  it('what lies behind a broken monitor is broken as well, and mends with it', async () => {
    const figures = await play(
      calmPlan(23, { flaps: 5, blind: 1, kills: 10 }, { days: 1, monitors: 8, lines: 2 }),
    )
    expect(figures.incidents).toBeGreaterThan(20)
  })

  it('no process runs for minutes and hours, while jobs go on reporting', async () => {
    const history = await simulate(
      calmPlan(10, { kills: 40 }, { days: 2, monitors: 1, heartbeats: 4 }),
    )
    const { ledger, breaches } = breachesOf(history)
    expect(breaches).toEqual([])
    expect(ledger.all('signal').filter(({ heard }) => !heard).length).toBeGreaterThan(20)
  })

  it('the targets of guests hang, who ask for checks of them, and places are few', async () => {
    const plan = { days: 1, monitors: 24, tenants: 3, places: 4, locations: ['fra', 'nyc'] }
    const figures = await play(calmPlan(23, { flaps: 3, silences: 3, floods: 12 }, plan))
    expect(figures.floods).toBeGreaterThan(10)
    expect(figures.starved).toBeGreaterThan(5)
  })

  it('contacts have quiet hours, and one message for many, while processes are killed', async () => {
    const faults = { ...flapping, kills: 30, restarts: 3, storeTroubles: 10, actions: 40 }
    const plan = calmPlan(25, faults, { days: 1, monitors: 8, lines: 1, patient: true })
    const { ledger, breaches } = breachesOf(await simulate(plan))
    expect(breaches).toEqual([])
    const reasons = ledger.all('finish').map(({ end }) => end.error)
    expect(reasons).toEqual(expect.arrayContaining(['quiet_hours', 'grouped']))
    expect(ledger.all('arrival').map(({ event }) => event)).toContain('digest')
  })

  it('two engines share a store, die, stand still, and what they commit arrives late', async () => {
    const faults = { ...flapping, kills: 40, freezes: 60, slowCalls: 0.05, actions: 80 }
    const plan = calmPlan(28, faults, { days: 0.45, monitors: 6, heartbeats: 1, machines: 2 })
    const { ledger, breaches } = breachesOf(await simulate(plan))
    expect(breaches).toEqual([])
    const engines = new Set(ledger.all('order').map(({ life }) => life))
    expect(engines.size).toBeGreaterThan(4)
    expect(figuresOf(ledger).freezes).toBeGreaterThan(2)
  })

  it('all of it', async () => {
    await play(planOf(8, { days: 1, monitors: 8, machines: 1 }))
  })
})

describe('the simulation itself', () => {
  it('gives the same history for the same seed, and another one for another', async () => {
    const digest = async (seed: number) =>
      digestOf((await simulate(planOf(seed, { days: 0.33, monitors: 3, machines: 2 }))).entries)
    const first = await digest(11)
    expect(await digest(11)).toBe(first)
    expect(await digest(12)).not.toBe(first)
  })

  it('ends a process that keeps itself busy without time passing', async () => {
    const clock = simulatedClock({ settling: 'promises' })
    const ends: string[] = []
    const process = spawnProcess({
      life: 1,
      clock,
      store: memoryStore({ clock }),
      fate: () => undefined,
      onDeath: () => void ends.push('dead'),
      onSpin: () => void ends.push('spun'),
    })
    const again = (): void => void process.clock.timer(0, again)
    again()
    await clock.advance(1)
    expect(ends).toEqual(['dead', 'spun'])
  })

  it('says in one sentence each what must hold', () => {
    expect(INVARIANTS.length).toBeGreaterThan(30)
    for (const { sentence } of INVARIANTS) expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(new Set(INVARIANTS.map(({ sentence }) => sentence)).size).toBe(INVARIANTS.length)
  })
})

describe('the rules that are broken to see it turn red', () => {
  it.each(RULES)('$name stands in the sources once, as it is to be broken', ({ file, find }) => {
    const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
    expect(text.split(find)).toHaveLength(2)
  })
})
