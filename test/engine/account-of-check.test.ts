import { expect, it, onTestFinished } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { rig } from './rig.ts'

it('a checker is told whose check it makes, and 0 where there is no monitor', async () => {
  const seen: number[] = []
  const checker = defineChecker({
    type: 'curious',
    title: 'Curious',
    description: 'Looks at its context',
    fields: { host: field.host({ description: 'Target' }).required() },
    target: ({ host }) => host,
    run(ctx) {
      seen.push(ctx.account_id)
      return Promise.resolve(up())
    },
  })
  const r = await rig({ checkers: [checker] })
  onTestFinished(() => r.engine.stop({ drainMs: 0 }))
  const { id } = await r.engine.accounts.create({ name: 'Tenant' })
  for (const { monitors } of [r.engine, r.engine.account(id)]) {
    const input = { type: 'curious', name: 'Shop', host: 'shop.test' } as const
    await monitors.check((await monitors.create(input)).id)
  }
  await runCheck(checker, { host: 'shop.test' })
  expect(seen).toEqual([1, id, 0])
})
