/** F1, F2 and F8 on a real engine in a process of its own, with an SQLite file. docs/reliability.md has the long runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { waitedOnMachine_ms, withDeadline } from '../support/deadlines.ts'
import { startEngine } from './rig/engine.ts'
import type { EngineProcess } from './rig/engine.ts'
import { runKills } from './rig/kills.ts'
import { balance, lookAt } from './rig/ledger.ts'
import type { EnginePlan } from './rig/plan.ts'
import { buildPrograms } from './rig/programs.ts'
import type { Programs } from './rig/programs.ts'
import { setScene } from './rig/scene.ts'
import type { Scene } from './rig/scene.ts'
import { tablesOf } from './rig/tables.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }
/** Each of two runs, once at each named point and as often at random; fewer where they take longer than this. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 12)
const FEWEST = 5
const WITHIN_MS = 60_000
/** Against what hangs: a kill takes half a minute where the machine is busy with ten other things. */
const LIMIT_MS = 900_000

/** The default deadline of an attempt. */
const ATTEMPT_MS = 10_000

let programs: Programs
beforeAll(async () => void (programs = await buildPrograms()))
afterAll(() => programs.remove())

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'watchpost-kill-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** One target is bad from the beginning. Checks have time, so that a busy machine is no outage. */
async function scene(factor: number): Promise<Scene> {
  const targets = { http: 2, tcp: 1 }
  const settings = () => ({ interval_sec: 60, timeout_ms: 50_000 })
  const set = await setScene({
    programs,
    folder: folder(),
    targets,
    paths: ['/calm'],
    factor,
    settings,
  })
  set.farm.targets[0]!.set(false)
  onTestFinished(() => set.close())
  return set
}

async function start(plan: EnginePlan): Promise<EngineProcess> {
  const engine = startEngine(programs.engine, plan)
  onTestFinished(() => engine.signal('SIGKILL'))
  await engine.hears('ready')
  return engine
}

async function books({ plan, receiver, secret }: Scene, engine: EngineProcess) {
  engine.tell({ do: 'stop' })
  expect(await engine.ended).toBe(0)
  const healthy = { path: '/calm', id: 1 }
  const { said } = engine
  return balance({
    tables: tablesOf(plan),
    said,
    received: receiver.entries(),
    contacts: 1,
    healthy,
    secret,
  })
}

const sent = (engine: EngineProcess) =>
  engine.said.filter((line) => line.kind === 'notification' && line.status === 'sent').length

describe('kill -9 of the engine, at random and at named points', () => {
  it(
    'loses nothing, leaves nothing half done, and doubles no delivery without a cause',
    async () => {
      const runs = [1, 2].map((seed) =>
        runKills({
          programs,
          folder: folder(),
          times: KILLS,
          within_ms: WITHIN_MS,
          fewest: FEWEST,
          seed,
        }),
      )
      for (const figures of await Promise.all(runs)) {
        expect(figures.problems).toEqual([])
        expect(figures.kills).toBeGreaterThanOrEqual(FEWEST)
        expect(figures.incidents).toBeGreaterThan(0)
        expect(figures.resumed).toBeGreaterThan(0)
      }
    },
    LIMIT_MS,
  )
})

describe('kill -9 of the receiver', () => {
  it('in the middle of its answer is a failed attempt; the next one delivers the same bytes', async () => {
    // At thirty times the pace an attempt has a third of a second.
    await withDeadline(
      ATTEMPT_MS / 30,
      async (deadline_ms) => {
        const { farm, receiver, plan, ...rest } = await scene(ATTEMPT_MS / deadline_ms)
        await receiver.script('/calm', [{ do: 'die' }])
        const engine = await start(plan)
        await receiver.ended()
        await receiver.restart()
        await expect.poll(() => sent(engine), PATIENCE).toBe(1)
        farm.setAll(true)
        await expect.poll(() => sent(engine), PATIENCE).toBe(2)
        const figures = await books({ farm, receiver, plan, ...rest }, engine)
        expect(figures).toMatchObject({
          problems: [],
          incidents: 1,
          extra_deliveries: 0,
          interrupted: 0,
        })
        const [died, ...delivered] = receiver.entries()
        expect(died?.answer).toEqual({ do: 'die' })
        expect(delivered.map(({ body }) => body)).toContain(died?.body)
      },
      waitedOnMachine_ms,
    )
  })
})

describe('a checker that throws later, from a timer', () => {
  it('ends the process, since nothing can tell whose error it was; what was committed stays', async () => {
    const { plan } = await scene(30)
    const late = { type: 'later', host: 'late.test' }
    const engine = startEngine(programs.engine, { ...plan, monitors: [...plan.monitors, late] })
    expect(await engine.ended).toBe(1)
    expect(await lookAt(tablesOf(plan), 1)).toEqual([])
  })
})

describe('an engine that is stopped and continued', () => {
  // At three times the pace five seconds are longer than the deadline of an attempt.
  it.each([1000, 5000])(
    'for %i ms while it sends does not send twice, and tells of no outage that was none',
    async (ms) => {
      const shortest_ms = ATTEMPT_MS / 3
      const wrong: string[] = []
      await withDeadline(
        shortest_ms,
        async (deadline_ms) => {
          const { receiver, plan, ...rest } = await scene(ATTEMPT_MS / deadline_ms)
          await receiver.script('/calm', [{ status: 200, delay_ms: 200 }])
          const engine = await start(plan)
          await expect.poll(() => receiver.entries().length, PATIENCE).toBe(1)
          engine.signal('SIGSTOP')
          // What is tested is that time passes.
          await systemClock.sleep((ms * deadline_ms) / shortest_ms)
          engine.signal('SIGCONT')
          await expect.poll(() => sent(engine), PATIENCE).toBe(1)
          const figures = await books({ receiver, plan, ...rest }, engine)
          // What is lost or doubled without a cause is so on a busy machine as well.
          wrong.push(...figures.problems)
          expect(figures).toMatchObject({ incidents: 1, attempts: 1 })
          expect(receiver.entries()).toHaveLength(1)
        },
        waitedOnMachine_ms,
      )
      expect(wrong).toEqual([])
    },
  )
})
