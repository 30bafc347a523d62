/**
 * The series of single monitors: their number grows with that of monitors, so they can be omitted.
 *
 * @module
 */

import type { LocationReading } from '../engine/api/readings.ts'
import type { MonitorReading } from '../engine/api/readings.ts'
import { MONITOR_STATES } from '../model.ts'
import { head, labelPairs, line } from './text.ts'

/** A monitor with its encoded labels, which all of its series share. */
export interface MonitorRow {
  readonly monitor: MonitorReading
  readonly labels: string
}

export function rowOf(monitor: MonitorReading): MonitorRow {
  const { id, name, type } = monitor
  return { monitor, labels: labelPairs({ monitor_id: String(id), name, type }) }
}

interface MonitorMetric {
  readonly name: string
  readonly help: string
  samples(name: string, row: MonitorRow): string
}

const UP_STATES: readonly string[] = ['up', 'late', 'confirming']
const DOWN_STATES: readonly string[] = ['down', 'recovering']

const METRICS: readonly MonitorMetric[] = [
  {
    name: 'watchpost_monitor_up',
    help: '1 while a monitor counts as up, 0 while it counts as down; absent while pending, paused, under maintenance, or up and stale.',
    samples(name, { labels, monitor: { state, stale } }) {
      if (DOWN_STATES.includes(state)) return line(name, labels, 0)
      return UP_STATES.includes(state) && !stale ? line(name, labels, 1) : ''
    },
  },
  {
    name: 'watchpost_monitor_state',
    help: '1 for the state a monitor is in, 0 for the others.',
    samples: (name, { labels, monitor }) =>
      MONITOR_STATES.map((state) =>
        line(name, `${labels},state="${state}"`, Number(state === monitor.state)),
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
    'nobody knows how a monitor is: its checks have not begun for two intervals, or could not be decided',
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
export const PART = 250

/** One text per metric and part. All samples of a metric are contiguous, as the format requires. */
export function* monitorParts(rows: readonly MonitorRow[]): Generator<string> {
  for (const { name, help, samples } of METRICS) {
    yield head(name, 'gauge', help)
    for (let from = 0; from < rows.length; from += PART) {
      yield rows
        .slice(from, from + PART)
        .map((row) => samples(name, row))
        .join('')
    }
  }
}

function flag(
  name: string,
  what: string,
  isSet: (monitor: MonitorReading) => boolean,
): MonitorMetric {
  return {
    name,
    help: `1 while ${what}, else 0.`,
    samples: (full, { labels, monitor }) => line(full, labels, Number(isSet(monitor))),
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
    samples: (full, { labels, monitor: { locations } }) =>
      locations
        .map((reading) => {
          const value = valueOf(reading)
          if (value === undefined) return ''
          return line(full, `${labels},${labelPairs({ location: reading.name })}`, value)
        })
        .join(''),
  }
}
