/**
 * What is counted while the engine works: from its events, so that nothing of a check or a delivery waits
 * for it.
 *
 * @module
 */

import type { Engine } from '../engine/api/engine.ts'
import type { NotificationView, ResultView } from '../engine/api/views.ts'
import { createCounter, createHistogram } from './instruments.ts'

/** Seconds; from an answer of a neighbour to the longest timeouts that people set. */
const CHECK = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const COMMIT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export interface Counting {
  text(): string
  /** Counts no more. */
  close(): void
}

export function createCounting(engine: Pick<Engine, 'on' | 'locations'>): Counting {
  const meters = createMeters()
  let names: Promise<ReadonlyMap<number, string>> | undefined
  const subscriptions = [
    engine.on('round', ({ monitor: { type }, results }) => {
      // They are those of the configuration, and stay as long as the engine does.
      names ??= namesOf(engine)
      void names.then((known) => {
        for (const result of results) {
          const location = known.get(result.location_id) ?? String(result.location_id)
          countCheck(meters, { type, location }, result)
        }
      })
    }),
    engine.on('notification', (notification) => countDelivery(meters, notification)),
    engine.on('commit', ({ changes, duration_ms, ok }) => {
      meters.commit_seconds.observe({}, duration_ms / 1000)
      if (ok) meters.changes.add({}, changes)
      else meters.commit_failures.add({})
    }),
  ]
  return {
    text: () =>
      Object.values(meters)
        .map((meter) => meter.text())
        .join(''),
    close() {
      for (const unsubscribe of subscriptions) unsubscribe()
    },
  }
}

async function namesOf({
  locations,
}: Pick<Engine, 'locations'>): Promise<ReadonlyMap<number, string>> {
  try {
    return new Map((await locations.list()).map(({ id, name }) => [id, name]))
  } catch {
    // The engine stops, with a last round to be counted.
    return new Map()
  }
}

type Meters = ReturnType<typeof createMeters>

function createMeters() {
  return {
    checks: createCounter({
      name: 'watchpost_checks_total',
      help: 'Checks that were stored, by verdict: ok, fail, or unknown where our side could not measure.',
    }),
    check_seconds: createHistogram(
      {
        name: 'watchpost_check_duration_seconds',
        help: 'How long checks took, from first to last byte of work.',
      },
      CHECK,
    ),
    phase_seconds: createHistogram(
      {
        name: 'watchpost_check_phase_duration_seconds',
        help: 'How long the phases of checks took: resolve, connect, tls, first_byte, transfer and others.',
      },
      CHECK,
    ),
    lag_seconds: createHistogram(
      {
        name: 'watchpost_scheduler_lag_seconds',
        help: 'How long after their time checks began.',
        plain: true,
      },
      CHECK,
    ),
    deliveries: createCounter({
      name: 'watchpost_deliveries_total',
      help: 'Notifications that are final, by event and outcome: sent, failed, or cancelled.',
    }),
    attempt_seconds: createHistogram(
      {
        name: 'watchpost_delivery_attempt_duration_seconds',
        help: 'How long single attempts to deliver took, of notifications that are final.',
        plain: true,
      },
      CHECK,
    ),
    commit_seconds: createHistogram(
      {
        name: 'watchpost_store_commit_duration_seconds',
        help: 'How long the store took to commit the changes that were gathered.',
        plain: true,
      },
      COMMIT,
    ),
    changes: createCounter({
      name: 'watchpost_store_changes_total',
      help: 'Changes of monitors that were committed; several share a commit.',
      plain: true,
    }),
    commit_failures: createCounter({
      name: 'watchpost_store_commit_failures_total',
      help: 'Commits that the store could not make.',
      plain: true,
    }),
  }
}

function countCheck(
  meters: Meters,
  { type, location }: { readonly type: string; readonly location: string },
  { verdict, duration_ms, lag_ms, phases }: ResultView,
): void {
  meters.checks.add({ type, location, verdict })
  // Signals that came in, and silence, took no time and were not late.
  if (duration_ms === 0 && lag_ms === 0) return
  meters.check_seconds.observe({ type, location }, duration_ms / 1000)
  meters.lag_seconds.observe({}, lag_ms / 1000)
  for (const [name, ms] of Object.entries(phases)) {
    meters.phase_seconds.observe({ type, phase: name.replace(/_ms$/, '') }, ms / 1000)
  }
}

function countDelivery(meters: Meters, { event, status, attempts }: NotificationView): void {
  meters.deliveries.add({ event, outcome: status })
  for (const { duration_ms } of attempts) {
    meters.attempt_seconds.observe({}, duration_ms / 1000)
  }
}
