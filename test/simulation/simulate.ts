/** One history: a world is set up, things go wrong in it for days, and in the end all is calm. */
import type { AuditRecord } from '../../src/model.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { beginAccidents } from './accidents.ts'
import { diceOf } from './dice.ts'
import { boot } from './lives.ts'
import type { Plan } from './plan.ts'
import { recordStore } from './recorded-store.ts'
import { beginRushes, setQuotas } from './rushes.ts'
import { beginSamples } from './samples.ts'
import { beginScenes } from './scenes.ts'
import { createTape } from './tape.ts'
import type { Entry } from './tape.ts'
import { createTargets } from './targets.ts'
import { CALM, DAY, MINUTE } from './time.ts'
import { createTrouble } from './trouble.ts'
import { settle } from './settling.ts'
import { beginActions, resumeAll } from './users.ts'
import { jump } from './world.ts'
import type { World } from './world.ts'

/** A commit may take so long that another engine has the monitor by then. */
const LATE = [150, 150, 150, 20_000]

export interface History {
  readonly plan: Plan
  readonly entries: readonly Entry[]
  /** What is left in the end. */
  readonly store: FullStore
  /** The audit log of every account, oldest first. */
  readonly audit: readonly AuditRecord[]
}

export async function simulate(plan: Plan): Promise<History> {
  const world = await createWorld(plan)
  const { clock, tape, store } = world
  for (const machine of world.machines) await boot(world, machine)
  await settle(world)
  await setQuotas(world)
  world.calm = false
  beginAccidents(world)
  beginActions(world)
  beginRushes(world)
  beginScenes(world)
  beginSamples(world)
  await clock.advance(Math.max(0, plan.days * DAY - CALM))
  if (!world.spun) await comeToAnEnd(world)
  return { plan, entries: tape.entries, store, audit: await auditLog(store) }
}

async function auditLog({ auditLog }: FullStore): Promise<readonly AuditRecord[]> {
  const newest = await auditLog.list({ account_id: 'all', limit: Number.MAX_SAFE_INTEGER })
  return [...newest].reverse()
}

async function comeToAnEnd(world: World): Promise<void> {
  await calmDown(world)
  await world.clock.advance(MINUTE)
  if (!world.spun) await resumeAll(world)
  await world.clock.advance(CALM - MINUTE)
  for (const { current } of world.machines) await current?.engine.stop()
}

async function createWorld(plan: Plan): Promise<World> {
  const clock = simulatedClock({ seed: plan.seed, settling: 'promises' })
  const dice = diceOf(plan.seed)
  const tape = createTape(clock)
  const store = memoryStore({ clock, ...(plan.machines > 1 ? { place: memoryPlace() } : {}) })
  await store.open()
  return {
    ...{ plan, clock, dice, tape, store },
    absences: diceOf(plan.seed, 3),
    preferences: diceOf(plan.seed, 4),
    choices: diceOf(plan.seed, 5),
    customers: diceOf(plan.seed, 9),
    scenes: diceOf(plan.seed, 11),
    recording: recordStore(store, tape),
    targets: createTargets(),
    trouble: createTrouble({
      ...{ clock, tape, dice, slowCalls: plan.faults.slowCalls },
      delays: plan.machines > 1 ? LATE : [150],
    }),
    guests: new Map(),
    silent: new Set(),
    lives: [],
    machines: Array.from({ length: plan.machines }, () => ({ current: undefined })),
    calm: true,
    spun: false,
    made: 0,
  }
}

/** All faults end; one process is left. */
async function calmDown(world: World): Promise<void> {
  const { tape, targets, silent, trouble, lives } = world
  world.calm = true
  trouble.calm()
  silent.clear()
  for (const target of targets.all()) Object.assign(target, { state: 'good', blind: false })
  setRight(world)
  tape.add({ kind: 'calm' })
  const inCharge = world.machines.map(({ current }) => current)
  for (const life of lives) if (!inCharge.includes(life)) life.process.kill()
  for (const machine of world.machines) {
    machine.current?.process.thaw()
    if (machine.current === undefined) await boot(world, machine)
  }
}

/** What was planned while the clock was ahead is not to wait until it is there again. */
function setRight(world: World): void {
  let [ahead, furthest] = [0, 0]
  for (const entry of world.tape.entries) {
    if (entry.kind !== 'jump') continue
    ahead += entry.ms
    furthest = Math.max(furthest, ahead)
  }
  if (furthest > ahead) jump(world, furthest - ahead)
}
