import { expect, it } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

function workshop() {
  const clock = simulatedClock()
  const seen: (string | undefined)[] = []
  const probe = defineChecker({
    type: 'probe',
    title: 'Probe',
    description: 'Notes what it was given',
    fields: {
      host: field.host({ description: 'Target' }).required(),
      pass: field.secret({ description: 'A secret' }),
    },
    causes: { broken: { text: 'It is broken', phase: 'connect' } },
    measurements: {},
    target: ({ host }) => host,
    async run(ctx, { host, pass }) {
      seen.push(pass)
      await ctx.clock.sleep(100, ctx.signal)
      return host === 'broken.test' ? down('broken', `No ${pass ?? 'secret'} here`) : up()
    },
  })
  const checkers = [probe, heartbeat()] as const
  const engine = createEngine({ clock, store: memoryStore({ clock }), checkers, logger: false })
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    const end = Promise.allSettled([work])
    await clock.advance(1000)
    await end
    return work
  }
  return { clock, engine, seen, settled }
}

it('a test checks settings as they are given, redacts them, and stores nothing', async () => {
  const { engine, settled } = workshop()
  const input = { type: 'probe', host: 'broken.test', pass: 'opensesame' } as const
  expect(await settled(engine.monitors.test(input))).toMatchObject({
    ...{ verdict: 'fail', cause_code: 'broken', cause_text: 'No *** here' },
    ...{ duration_ms: 100, response_ms: 100 },
  })
  expect((await engine.monitors.list()).items).toEqual([])
  await expect(engine.monitors.test({ type: 'probe' } as never)).rejects.toMatchObject({
    fields: { host: 'required' },
  })
  await expect(engine.monitors.test({ type: 'heartbeat' })).rejects.toMatchObject({
    code: 'not_testable',
  })
})

it('a test of a patch has the stored secrets, unless they would go elsewhere', async () => {
  const { engine, seen, settled } = workshop()
  const { id } = await engine.monitors.create({ type: 'probe', host: 'a.test', pass: 'opensesame' })
  await settled(engine.monitors.test({ fail_threshold: 5 }, { update: id }))
  expect(seen).toEqual(['opensesame'])
  for (const ask of [
    engine.monitors.test({ host: 'evil.test' }, { update: id }),
    engine.monitors.preview({ host: 'evil.test' }, { update: id }),
  ])
    await expect(ask).rejects.toMatchObject({
      fields: { pass: expect.stringMatching(/^required/) },
    })
  await settled(engine.monitors.test({ host: 'b.test', pass: 'another1' }, { update: id }))
  expect(seen).toEqual(['opensesame', 'another1'])
  expect(await engine.monitors.get(id)).toMatchObject({ host: 'a.test', fail_threshold: 2 })
})

it('a preview of a patch has what update would change', async () => {
  const { engine } = workshop()
  const { id } = await engine.monitors.create({ type: 'probe', host: 'a.test', pass: 'opensesame' })
  const preview = await engine.monitors.preview({ name: 'A', pass: 'another1' }, { update: id })
  expect(preview.changes).toEqual([
    { field: 'name', from: 'a.test', to: 'A', secret: false },
    { field: 'pass', from: '***', to: '***', secret: true },
  ])
  const wrong = engine.monitors.preview({ type: 'heartbeat' } as never, { update: id })
  await expect(wrong).rejects.toMatchObject({ fields: { type: 'immutable' } })
})

it('an account has two tests at a time, whatever others do', async () => {
  const { engine, clock, settled } = workshop()
  const { id } = await engine.accounts.create({ name: 'other' })
  const other = engine.account(id)
  const input = { type: 'probe', host: 'a.test' } as const
  const running = [1, 2].map(() => engine.monitors.test(input))
  await clock.settle()
  await expect(engine.monitors.test(input)).rejects.toMatchObject({ code: 'test_running' })
  expect(await settled(other.monitors.test(input))).toMatchObject({ verdict: 'ok' })
  await Promise.all(running)
  expect(await settled(engine.monitors.test(input))).toMatchObject({ verdict: 'ok' })
  await engine.monitors.create(input)
  const foreign = other.monitors.test({ host: 'a.test' }, { update: 1 })
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
})

it('a test ends when the engine stops', async () => {
  const { engine, clock } = workshop()
  const before = clock.pending
  const running = engine.monitors.test({ type: 'probe', host: 'a.test' })
  const refused = expect(running).rejects.toMatchObject({ code: 'unavailable' })
  await clock.settle()
  await engine.stop()
  await clock.settle()
  expect(clock.pending).toBe(before)
  await refused
})
