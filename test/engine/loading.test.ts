/** A package that a checker loads on first use: its time is not the target's. */
import { expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { CheckContext } from '../../src/checkers/checker.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { check } from '../support/check.ts'

const SECOND = 1000

/** A check with five seconds, on a simulated clock. */
function checking(run: (ctx: CheckContext, after: (ms: number) => Promise<void>) => unknown) {
  const clock = simulatedClock()
  const checker = defineChecker({
    type: 'lazy',
    title: 'Lazy',
    description: 'Loads a package',
    fields: {},
    measurements: {},
    target: () => 'x',
    async run(ctx) {
      await run(ctx, (ms) => clock.sleep(ms))
      return up()
    },
  })
  let over = false
  const outcome = check(checker, {}, { clock, timeout_ms: 5 * SECOND }).finally(() => (over = true))
  return { outcome, after: (ms: number) => clock.advance(ms), isOver: () => over }
}

it('leaves the target the whole deadline', async () => {
  const { outcome, after } = checking(async (ctx, pause) => {
    await ctx.load('driver', () => pause(20 * SECOND))
    expect(ctx.remaining()).toBe(5 * SECOND)
    await pause(4 * SECOND)
  })
  await after(24 * SECOND)
  expect(await outcome).toMatchObject({ verdict: 'ok', duration_ms: 4 * SECOND })
})

it('lengthens no deadline of a target that says nothing', async () => {
  const { outcome, after, isOver } = checking(async (ctx, pause) => {
    await ctx.load('driver', () => pause(20 * SECOND))
    await ctx.phase('greeting', () => pause(60 * SECOND))
  })
  await after(25 * SECOND - 1)
  expect(isOver()).toBe(false)
  await after(1)
  expect(await outcome).toMatchObject({
    ...{ verdict: 'fail', cause_code: 'banner_timeout', duration_ms: 5 * SECOND },
    cause_text: 'The server did not say what was expected within 5000 ms',
  })
})

it('is waited for half a minute longer than the deadline, and the target is not blamed', async () => {
  const { outcome, after, isOver } = checking((ctx) =>
    ctx.load('driver', () => new Promise(() => undefined)),
  )
  await after(35 * SECOND - 1)
  expect(isOver()).toBe(false)
  await after(1)
  expect(await outcome).toMatchObject({
    ...{ verdict: 'unknown', cause_code: 'probe_overloaded', phase: null },
    cause_text: 'Loading the packages of this check takes more than 30000 ms',
  })
})
