/**
 * The series of single monitors: their number grows with that of monitors, so they can be omitted.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/api/engine.ts'
import type { LocationReading, MonitorReading } from '../engine/api/readings.ts'
import { MONITOR_STATES } from '../model.ts'
import { head, labelPairs, line } from './text.ts'
import type { Labels } from './text.ts'

/** A monitor with its encoded labels, which all of its series share. */
export interface MonitorRow {
  readonly monitor: MonitorReading
  readonly labels: string
}

export function rowOf(monitor: MonitorReading): MonitorRow {
  return { monitor, labels: labelPairs(monitorLabels(monitor)) }
}

export function monitorLabels({ id, name, type }: MonitorReading): Labels {
  return { monitor_id: String(id), name, type }
}

/** A sample of a monitor, with the one label that it may have beside those of its monitor. */
export interface MonitorSample {
  readonly value: number
  readonly label?: readonly [name: string, value: string]
}

interface MonitorMetric {
  readonly name: string
  readonly help: string
  samples(monitor: MonitorReading): readonly MonitorSample[]
}

const UP_STATES: readonly string[] = ['up', 'late', 'confirming']
const DOWN_STATES: readonly string[] = ['down', 'recovering']

export const MONITOR_GAUGES: readonly MonitorMetric[] = [
  {
    name: 'watchpost_monitor_up',
    help: '1 while a monitor counts as up, 0 while it counts as down; absent while pending, paused, under maintenance, or up and stale.',
    samples({ state, stale }: MonitorReading): readonly MonitorSample[] {
      if (DOWN_STATES.includes(state)) return [{ value: 0 }]
      return UP_STATES.includes(state) && !stale ? [{ value: 1 }] : []
    },
  },
  {
    name: 'watchpost_monitor_state',
    help: '1 for the state a monitor is in, 0 for the others.',
    samples: (monitor) =>
      MONITOR_STATES.map((state) => ({
        value: Number(state === monitor.state),
        label: ['state', state],
      })),
  },
  flag(
    'watchpost_monitor_incident_open',
    'an incident of a monitor is open',
    (monitor) => monitor.incident_open,
  ),
  flag(
    'watchpost_monitor_incident_suppressed',
    'alerts of its open incident are suppressed: a parent is down, maintenance, or flapping',
    (monitor) => monitor.incident_suppressed,
  ),
  flag(
    'watchpost_monitor_degraded',
    'a monitor is up and beyond a threshold of `warn`',
    (monitor) => monitor.degraded,
  ),
  flag('watchpost_monitor_flapping', 'a monitor is flapping', (monitor) => monitor.flapping),
  flag(
    'watchpost_monitor_stale',
    'the state of a monitor is unknown: no check has started for two intervals, or none could be decided',
    (monitor) => monitor.stale,
  ),
  perLocation(
    'watchpost_monitor_location_up',
    '1 where the last check from this location was good, 0 where it failed; absent where it could not measure.',
    ({ verdict }) => (verdict === 'unknown' ? undefined : Number(verdict === 'ok')),
  ),
  perLocation(
    'watchpost_monitor_last_check_duration_seconds',
    'How long the last check from this location took.',
    ({ duration_ms }) => duration_ms / 1000,
  ),
  perLocation(
    'watchpost_monitor_last_response_seconds',
    'The response time of the last check from this location, as the type measures it: of ping the round trip, of heartbeat the run of the job; absent where it has none.',
    ({ response_ms }) => (response_ms === null ? undefined : response_ms / 1000),
  ),
  perLocation(
    'watchpost_monitor_last_check_timestamp_seconds',
    'When the last check from this location began, in Unix time.',
    ({ checked_at }) => checked_at / 1000,
  ),
]

/** Monitors per part; the event loop turns between two parts. */
const PART = 250

/** One text per metric and part. All samples of a metric are contiguous, as the format requires. */
export function* monitorParts(rows: readonly MonitorRow[]): Generator<string> {
  for (const { name, help, samples } of MONITOR_GAUGES) {
    yield head(name, 'gauge', help)
    for (let from = 0; from < rows.length; from += PART) {
      yield rows
        .slice(from, from + PART)
        .map(({ monitor, labels }) => textOf(name, labels, samples(monitor)))
        .join('')
    }
  }
}

function textOf(name: string, labels: string, samples: readonly MonitorSample[]): string {
  let text = ''
  for (const { value, label } of samples) {
    const more = label === undefined ? '' : `,${labelPairs({ [label[0]]: label[1] })}`
    text += line(name, labels + more, value)
  }
  return text
}

/** In parts, with a turn of the event loop in between: thousands of monitors would block it. */
export async function readMonitors(
  engine: Pick<Engine, 'readings'>,
  clock: Pick<Clock, 'sleep'>,
  account_id?: number,
): Promise<readonly MonitorReading[]> {
  // By id: a monitor that leaves and returns meanwhile is read twice.
  const all = new Map<number, MonitorReading>()
  for (const reading of engine.readings(account_id)) {
    all.set(reading.id, reading)
    if (all.size % PART === 0) await clock.sleep(0)
  }
  return [...all.values()]
}

function flag(
  name: string,
  what: string,
  isSet: (monitor: MonitorReading) => boolean,
): MonitorMetric {
  return {
    name,
    help: `1 while ${what}, else 0.`,
    samples: (monitor) => [{ value: Number(isSet(monitor)) }],
  }
}

function perLocation(
  name: string,
  help: string,
  valueOf: (reading: LocationReading) => number | undefined,
): MonitorMetric {
  return {
    name,
    help,
    samples: ({ locations }) =>
      locations.flatMap((reading) => {
        const value = valueOf(reading)
        return value === undefined ? [] : [{ value, label: ['location', reading.name] as const }]
      }),
  }
}
