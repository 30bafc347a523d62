/** Requests about one window that cross: what one of them read is older than what another stored. */

import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

/** An engine whose next read of a window is answered late, with what was true when it was asked. */
async function slowlyRead() {
  const clock = simulatedClock()
  const store = memoryStore({ clock })
  let wait: Promise<void> | undefined
  const maintenance = {
    ...store.maintenance,
    async get(id: number) {
      const [record, until] = [await store.maintenance.get(id), wait]
      wait = undefined
      await until
      return record
    },
  }
  const r = await rig({}, { clock, store: { ...store, maintenance } })
  const { id } = await r.engine.monitors.create({ type: 'scripted', host: 'shop.test' })
  const span = (hours: number) => ({
    start: new Date(clock.now()).toISOString(),
    end: new Date(clock.now() + hours * 3_600_000).toISOString(),
  })
  const window = await r.engine.maintenance.create({
    name: 'Move',
    all_monitors: true,
    window: span(2),
  })
  await clock.advance(61_000)
  /** Reads the window by `read`; `meanwhile` is over before the answer comes. */
  async function crossing<T>(read: () => Promise<T>, meanwhile: () => Promise<unknown>) {
    let answer = (): void => undefined
    wait = new Promise((resolve) => (answer = resolve))
    const reading = read().catch((error: unknown) => error)
    await clock.advance(1)
    await meanwhile()
    answer()
    return reading
  }
  return { ...r, id, window, span, crossing }
}

describe('requests about a window that cross', () => {
  it('bring no window back that was removed', async () => {
    const { engine, clock, id, window, crossing } = await slowlyRead()
    expect((await engine.monitors.status(id)).state).toBe('maintenance')
    const read = await crossing(
      () => engine.maintenance.get(window.id),
      () => engine.maintenance.remove(window.id),
    )
    await clock.advance(61_000)
    expect(read).toMatchObject({ code: 'not_found' })
    expect((await engine.maintenance.list()).items).toEqual([])
    expect((await engine.monitors.status(id)).state).toBe('up')
  })

  it('bring no older version back', async () => {
    const { engine, clock, id, window, span, crossing } = await slowlyRead()
    await crossing(
      () => engine.maintenance.get(window.id),
      () => engine.maintenance.update(window.id, { name: 'Short', window: span(1) }),
    )
    expect((await engine.maintenance.list()).items).toMatchObject([{ name: 'Short', version: 2 }])
    await clock.advance(61 * 60_000)
    expect((await engine.monitors.status(id)).state).toBe('up')
  })
})
