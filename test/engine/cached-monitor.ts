/** A monitor as the rules of the engine see it, without an engine. */
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { Reported } from '../../src/engine/rounds/round-records.ts'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import { initialState } from '../../src/incident/state.ts'
import type {
  CheckReport,
  CommonSettings,
  LocationState,
  MachineState,
  MonitorRecord,
  Outcome,
} from '../../src/model.ts'
import { monitor, outcome } from '../../src/testing/store-suite/case.ts'

/** 2026-01-01, noon. */
export const NOON = Date.UTC(2026, 0, 1, 12)

export interface Given {
  readonly id?: number
  readonly common?: Partial<CommonSettings>
  readonly machine?: Partial<MachineState>
  readonly checker?: Partial<AnyChecker>
  readonly locations?: readonly LocationState[]
  readonly record?: Partial<MonitorRecord>
}

/** Always up. */
export const plain = defineChecker({
  type: 'plain',
  title: 'Plain',
  description: 'Always works',
  fields: {},
  target: () => 'x',
  run: () => Promise.resolve(up()),
})

/** No warnings, no notices, checked every minute at location 1, unless the test says otherwise. */
export function cachedMonitor({
  id = 9,
  common = {},
  machine = {},
  checker = {},
  locations = [],
  record = {},
}: Given = {}): CachedMonitor {
  const { common: usual, ...rest } = monitor()
  return {
    record: {
      ...{ ...rest, id, version: 1, revision: 1 },
      common: { ...usual, warn: {}, contact_delay: {}, ...common },
      machine: { ...initialState(NOON), ...machine },
      ...record,
    },
    type: { checker: { ...plain, ...checker } } as unknown as CachedMonitor['type'],
    settings: {},
    locations: new Map(locations.map((each) => [each.location_id, each])),
  }
}

/** What a location reports: good, in 80 ms, unless the test says otherwise. */
export function reported(
  location_id: number,
  of: Partial<Outcome> = {},
  {
    report = {},
    ...more
  }: Partial<Omit<Reported, 'report'>> & { report?: Partial<CheckReport> } = {},
): Reported {
  const usual = outcome({ started_at: new Date(NOON).toISOString(), duration_ms: 80, phases: {} })
  return { location_id, report: { outcome: { ...usual, ...of }, ...report }, lag_ms: 0, ...more }
}
