/** Heartbeats of an account that has moved: their jobs have not signalled here yet. */
import { expect, it } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { exported, fileStore, importing, KEY, started } from './transfer-rig.ts'

const HOUR = 3_600_000

it.each([['memory', () => memoryStore()] as const, ['SQLite', fileStore] as const])(
  'an import into %s gives each job the time of a first signal anew, and tells nobody before',
  async (_name, store) => {
    const source = await started()
    const { engine } = source
    await engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    const job = { type: 'heartbeat', interval_sec: 3600, first_signal_sec: 48 * 3600 }
    const { token } = await engine.monitors.create({ ...job, name: 'Backup' })
    for (let hour = 0; hour < 100; hour++) {
      await engine.signal(token as string, { kind: 'success' })
      await source.clock.advance(HOUR)
    }
    const lines = await exported(engine, { key: KEY, tokens: true, history: true })
    await engine.stop()

    const target = await started(store(), source)
    await importing(target.engine, lines, { key: KEY })
    await target.clock.advance(47 * HOUR)
    expect(target.told).toEqual([])
    await target.clock.advance(2 * HOUR)
    expect(target.told.map(({ event }) => event)).toEqual(['down'])
  },
)
