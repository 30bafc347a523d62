/** A monitor that other processes change all the time. */

import { expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { createRest } from '../../src/rest/fetch.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

/** While it is busy, somebody else is always faster. */
async function contested() {
  const inner = memoryStore()
  const state = { busy: false }
  const commit: Store['commit'] = (changes) =>
    state.busy
      ? Promise.resolve(changes.map(() => ({ ok: false, reason: 'outdated' }) as const))
      : inner.commit(changes)
  const r = await rig({}, { store: { ...inner, commit }, clock: simulatedClock() })
  const settings = { type: 'scripted', name: 'a', host: 'a.test', fail_threshold: 1 }
  const { id } = await r.engine.monitors.create(settings)
  await r.clock.advance(60_000)
  return { r, state, id }
}

it('is a conflict for whoever wants to change it, not a failure of ours', async () => {
  const { r, state, id } = await contested()
  const { key } = await r.engine.keys.create({ name: 'test' })
  const rest = createRest(r.engine, { rateLimit: false })
  state.busy = true
  const headers = { authorization: `Bearer ${key}` }
  const url = `http://localhost/api/v1/monitors/${id}/pause`
  const answer = await rest.fetch(new Request(url, { method: 'POST', headers }))
  expect([answer.status, await answer.json()]).toMatchObject([409, { error: 'busy' }])
})

it('loses no round: it is stored when they let go', async () => {
  const { r, state, id } = await contested()
  const before = (await r.engine.results.list(id)).items.length
  state.busy = true
  await r.engine.monitors.queueCheck(id)
  await r.clock.advance(1000)
  state.busy = false
  await r.clock.advance(10_000)
  expect((await r.engine.results.list(id)).items.length).toBe(before + 1)
})
