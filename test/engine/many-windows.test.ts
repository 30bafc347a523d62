/** Many monitors with many windows of planned work keep nobody else from having a turn. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { rig } from './rig.ts'

const TURN_MS = 50
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Lord_Howe']

/** Rare ones, for which a year of days is looked through. */
function rareWindows(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    at: '00:00',
    duration_min: 1,
    time_zone: ZONES[n % ZONES.length] ?? 'UTC',
    days: [31],
    weekdays: ['mon' as const],
  }))
}

describe('two hundred monitors with twenty windows each', () => {
  it('are taken in by short turns', async () => {
    const store = memoryStore()
    const engineOn = () => {
      const engine = createEngine({ store, checkers: [tcp()], logger: false })
      onTestFinished(() => engine.stop())
      return engine
    }
    const maintenance = rareWindows(20)
    for (let n = 0, { monitors } = engineOn(); n < 200; n++)
      await monitors.create({ type: 'tcp', name: `n${n}`, host: '127.0.0.1', port: 1, maintenance })
    const starting = await leastOf(3, () => measureTurns(() => engineOn().start()), TURN_MS)
    expect(starting.longest_ms).toBeLessThan(TURN_MS)
  }, 60_000)

  it('enter a window of the same minute by short turns', async () => {
    const r = await rig({ logger: false })
    const opens = r.clock.now() + 3_600_000
    const once = {
      start: new Date(opens).toISOString(),
      end: new Date(opens + 3_600_000).toISOString(),
      skip_checks: true,
    }
    const maintenance = [once, ...rareWindows(19)]
    for (let n = 0; n < 200; n++)
      await r.engine.monitors.create({ type: 'scripted', name: `n${n}`, host: 'a', maintenance })
    await r.clock.advance(3_599_999)
    const opening = await measureTurns(() => r.clock.advance(1_000))
    const { items } = await r.engine.monitors.list({ status: ['maintenance'], limit: 200 })
    expect(items).toHaveLength(200)
    expect(opening.longest_ms).toBeLessThan(TURN_MS)
  }, 60_000)
})
