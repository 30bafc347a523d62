import { expect, it } from 'vitest'
import { inProcessProbes } from '../../src/probes/in-process.ts'
import type { CheckAnswer, ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000

/** Probes whose answers can be kept back, as those of a process that stands still. */
function keepingBack(clock: ReturnType<typeof simulatedClock>) {
  const inner = inProcessProbes({ clock })
  const kept: (() => void)[] = []
  const state = { keep: false }
  const probes: ProbeTransport = {
    ...inner,
    start: (host) =>
      inner.start({
        ...host,
        onAnswer(answer: CheckAnswer) {
          if (state.keep) kept.push(() => host.onAnswer(answer))
          else host.onAnswer(answer)
        },
      }),
  }
  return { probes, state, release: () => kept.splice(0).forEach((go) => go()) }
}

it('a round of long ago, of a process that stood still meanwhile, changes nothing', async () => {
  const clock = simulatedClock()
  const store = memoryStore({ clock })
  const { probes, state, release } = keepingBack(clock)
  const old = await rig({ probes }, { clock, store })
  const { id } = await old.engine.monitors.create({
    ...{ type: 'scripted', name: 'a', host: 'a', interval_sec: 3600, fail_threshold: 1 },
  })
  await clock.advance(MINUTE)
  old.say('a', 'fail')
  state.keep = true
  const check = old.engine.monitors.check(id)
  await clock.advance(MINUTE)

  const next = await rig({}, { clock, store })
  await next.engine.monitors.check(id)
  await clock.advance(MINUTE)
  const { items } = await next.engine.results.list(id)
  state.keep = false
  release()
  expect((await check).results).toEqual([])
  expect((await next.engine.results.list(id)).items).toEqual(items)
  expect((await next.engine.incidents.list()).items).toEqual([])
  const { days } = await next.engine.monitors.uptime(id, { days: 1 })
  expect(days[0]?.down_sec).toBe(0)
})
