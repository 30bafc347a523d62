import type { Benchmark } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { bear } from '../load/bear.ts'
import { sqlitePremises } from '../load/places.ts'

const MONITORS = 10_000
const INTERVAL_SEC = 20
const P99_MS = 100
const BYTES = 8192

/** What `npm run bench -- load` does, for a minute and at a rate that every machine holds. */
export const lateness: Benchmark = {
  name: 'lateness',
  about: `how late checks begin: ${MONITORS} http monitors every ${INTERVAL_SEC} s, stored with SQLite`,
  unit: 'check',
  async prepare(stage) {
    const { http: target } = await startFarm(stage)
    const premises = await sqlitePremises()
    stage.onEnd(() => premises.end())
    return {
      contenders: [],
      async facts() {
        const settle_sec = 2 * INTERVAL_SEC
        const seconds = Math.max(INTERVAL_SEC, Math.round(60 * stage.scale))
        const load = { monitors: MONITORS, interval_sec: INTERVAL_SEC, settle_sec, seconds }
        const borne = await bear({ ...load, engines: 1, premises, target }, stage)
        return [
          { name: 'checks a second', value: borne.per_second, unit: '' },
          { name: 'start lateness, p50', value: borne.p50_ms, unit: 'ms' },
          { name: 'start lateness, p99', value: borne.p99_ms, unit: 'ms', at_most: P99_MS },
          { name: 'CPU of the engine', value: borne.engine_ms * 1000, unit: 'µs per check' },
          { name: 'written', value: borne.written_bytes, unit: 'bytes per check', at_most: BYTES },
        ]
      },
    }
  },
}
