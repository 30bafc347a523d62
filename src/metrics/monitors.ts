/**
 * The series of single monitors: as many as there are monitors, which is why they can be left out.
 *
 * @module
 */

import type { LocationReading, MonitorReading } from '../engine/readings.ts'
import { MONITOR_STATES } from '../model.ts'
import { head, sample } from './text.ts'
import type { Labels } from './text.ts'

interface MonitorMetric {
  readonly name: string
  readonly help: string
  samples(name: string, labels: Labels, monitor: MonitorReading): string
}

const UP_STATES: readonly string[] = ['up', 'late', 'confirming']
const DOWN_STATES: readonly string[] = ['down', 'recovering']

const METRICS: readonly MonitorMetric[] = [
  {
    name: 'watchpost_monitor_up',
    help: '1 while a monitor counts as up, 0 while it counts as down; absent while pending, paused or under maintenance.',
    samples(name, labels, { state }) {
      if (DOWN_STATES.includes(state)) return sample(name, labels, 0)
      return UP_STATES.includes(state) ? sample(name, labels, 1) : ''
    },
  },
  {
    name: 'watchpost_monitor_state',
    help: '1 for the state a monitor is in, 0 for the others.',
    samples: (name, labels, monitor) =>
      MONITOR_STATES.map((state) =>
        sample(name, { ...labels, state }, Number(state === monitor.state)),
      ).join(''),
  },
  flag(
    'watchpost_monitor_incident_open',
    'an incident of a monitor is open',
    (monitor) => monitor.incident_open,
  ),
  flag(
    'watchpost_monitor_incident_held',
    'its open incident is not told, since another monitor explains it',
    (monitor) => monitor.incident_held,
  ),
  flag('watchpost_monitor_flapping', 'a monitor is flapping', (monitor) => monitor.flapping),
  flag(
    'watchpost_monitor_stale',
    'the last rounds of a monitor could not be decided',
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
    'watchpost_monitor_last_check_timestamp_seconds',
    'When the last check from this location began, in Unix time.',
    ({ checked_at }) => checked_at / 1000,
  ),
]

/** Monitors per part: the event loop turns between two. */
const PART = 250

/** A text per metric and part. All samples of a metric stand together, as the format wants it. */
export function* monitorParts(monitors: readonly MonitorReading[]): Generator<string> {
  for (const { name, help, samples } of METRICS) {
    yield head(name, 'gauge', help)
    for (let from = 0; from < monitors.length; from += PART) {
      yield monitors
        .slice(from, from + PART)
        .map((monitor) => samples(name, labelsOf(monitor), monitor))
        .join('')
    }
  }
}

function labelsOf({ id, name, type }: MonitorReading): Labels {
  return { monitor_id: String(id), name, type }
}

function flag(
  name: string,
  what: string,
  isSet: (monitor: MonitorReading) => boolean,
): MonitorMetric {
  return {
    name,
    help: `1 while ${what}, else 0.`,
    samples: (full, labels, monitor) => sample(full, labels, Number(isSet(monitor))),
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
    samples: (full, labels, { locations }) =>
      locations
        .map((reading) => {
          const value = valueOf(reading)
          return value === undefined
            ? ''
            : sample(full, { ...labels, location: reading.name }, value)
        })
        .join(''),
  }
}
