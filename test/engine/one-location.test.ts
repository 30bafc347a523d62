import { expect, it } from 'vitest'
import { defineChecker, down } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { rig } from './rig.ts'

it('a type whose answer is the same everywhere is asked from the first location alone', async () => {
  const asked: string[] = []
  const registry = defineChecker({
    type: 'registry',
    title: 'Registry',
    description: 'Answers alike, whoever asks',
    fields: { host: field.host({ description: 'Target' }).required() },
    causes: { gone: { text: 'It is gone' } },
    common: { singleLocation: true },
    target: (s) => s.host,
    run(ctx) {
      asked.push(ctx.location.name)
      return Promise.resolve(down('gone', 'It is gone'))
    },
  })
  const r = await rig({ locations: ['fra', 'nyc', 'sin'], checkers: [registry] as never })
  const { id } = await r.engine.monitors.create({
    ...{ type: 'registry', host: 'a.test', fail_threshold: 1 },
    ...{ location_ids: [2, 3], confirm_locations: 2 },
  })
  await r.clock.advance(2000)
  expect(new Set(asked)).toEqual(new Set(['nyc']))
  // One location is enough to confirm: nobody else is asked.
  expect((await r.engine.monitors.status(id)).state).toBe('down')
  await r.engine.stop()
})
