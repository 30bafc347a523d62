/** A job whose monitor names other locations than before: signals come from none of them. */
import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'
import { fileStore } from './transfer-rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A job that has just run, and is due within an hour and ten minutes. */
async function beating(made: Rig, settings: object = {}) {
  await made.engine.contacts.create({
    kind: 'recorder',
    name: 'ops',
    to: 'ops',
    all_monitors: true,
  })
  const { id, token } = await made.engine.monitors.create({
    ...{ type: 'heartbeat', name: 'Backup', interval_sec: 3600, grace_sec: 600 },
    ...settings,
  })
  await made.engine.signal(token as string, { kind: 'success' })
  await made.clock.advance(10 * MINUTE)
  return { id, token: token as string }
}

const checkers = [heartbeat()] as never

describe('a heartbeat at another location', () => {
  it('is down when its job is silent', async () => {
    const r = await rig({ checkers, locations: ['fra', 'nyc'] })
    const { id } = await beating(r, { location_ids: [1, 2] })
    await r.engine.monitors.update(id, { location_ids: [2, 1] })
    await r.clock.advance(50 * MINUTE)
    expect((await r.engine.monitors.status(id)).state).toBe('late')
    await r.clock.advance(10 * MINUTE + 1000)
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    await r.engine.stop()
  })

  it('keeps its deadline where it moves there and back, and over a restart', async () => {
    const r = await rig({ checkers, locations: ['fra', 'nyc'] }, { store: fileStore() })
    const { id, token } = await beating(r, { location_ids: [1] })
    await r.engine.monitors.update(id, { location_ids: [2] })
    await r.engine.signal(token, { kind: 'success' })
    await r.engine.monitors.update(id, { location_ids: [1] })
    await r.engine.stop()
    const next = await r.restart()
    await next.clock.advance(HOUR + 9 * MINUTE)
    expect((await next.engine.monitors.status(id)).state).toBe('late')
    expect(r.told).toEqual([])
    await next.clock.advance(MINUTE + 1000)
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    await next.engine.stop()
  })

  it('is down as well where its location has another name now, and something else is changed', async () => {
    const r = await rig({ checkers, locations: ['local'] })
    const { id } = await beating(r)
    await r.engine.stop()
    const next = await r.restart({ locations: ['berlin'] })
    await next.engine.monitors.update(id, { name: 'Nightly backup' })
    await next.clock.advance(HOUR + 10 * MINUTE + 1000)
    expect((await next.engine.monitors.status(id)).state).toBe('down')
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    await next.engine.stop()
  })
})
