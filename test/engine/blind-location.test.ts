/** A location that can never measure, where two of two must agree: nobody is told down, and the monitor is stale. */
import { expect, it } from 'vitest'
import { defineChecker, down, unknown, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000

it('a failure that cannot be confirmed is no alarm, and wherever it is shown nobody claims to know', async () => {
  let isUp = true
  const seen = defineChecker({
    ...{ type: 'seen', title: 'Seen', description: 'What one of two locations sees' },
    fields: { host: field.host({ description: 'Target' }).required() },
    causes: { broken: { text: 'It is broken' } },
    target: (s) => s.host,
    run: (ctx) =>
      Promise.resolve(
        ctx.location.name === 'blind'
          ? unknown('probe_resolver_broken', 'No name server here')
          : isUp
            ? up()
            : down('broken', 'It is broken'),
      ),
  })
  const r = await rig({ locations: ['here', 'blind'], checkers: [seen] as never })
  const { engine, clock, told } = r
  await engine.contacts.create({ kind: 'recorder', name: 'a', to: 'a', all_monitors: true })
  const input = { type: 'seen', name: 'Shop', host: 'shop.test', interval_sec: 60 }
  const { id } = await engine.monitors.create({ ...input, confirm_locations: 2 })
  const metrics = createMetrics(engine)
  const shown = async () => {
    const { state, stale, locations } = await engine.monitors.get(id)
    const { stale: unknown_count } = await engine.health()
    const text = await metrics.text()
    const figure = (name: string) => new RegExp(`^${name}(?:\\{.*\\})? (\\d)$`, 'm').exec(text)?.[1]
    return {
      ...{ state, stale, unknown_count, of: locations.map(({ status }) => status) },
      up: figure('watchpost_monitor_up'),
      counted: figure('watchpost_monitors_stale'),
    }
  }
  await clock.advance(10 * MINUTE)
  const known = { stale: false, unknown_count: 0, up: '1', counted: '0' }
  expect(await shown()).toEqual({ state: 'up', ...known, of: ['up', 'unknown'] })

  isUp = false
  await clock.advance(10 * MINUTE)
  const unclear = { stale: true, unknown_count: 1, up: undefined, counted: '1' }
  expect(await shown()).toEqual({ state: 'up', ...unclear, of: ['down', 'unknown'] })
  expect(told).toEqual([])

  await engine.monitors.update(id, { confirm_locations: 1 })
  await clock.advance(3 * MINUTE)
  expect(told.map(({ event }) => event)).toEqual(['down'])
  await engine.stop()
})
