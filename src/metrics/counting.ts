/**
 * Counters and histograms fed by the engine's events, so that neither a check nor a delivery waits for them.
 *
 * @module
 */

import type { Engine } from '../engine/api/engine.ts'
import type { NotificationView, ResultView } from '../engine/api/views.ts'
import { BUILTIN_PHASES } from '../model.ts'
import type { Counter, Histogram, Instruments } from './instruments.ts'

/** Seconds; from a response in the local network to the longest usual timeouts. */
const CHECK = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const COMMIT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * Phases that only custom checkers have. A series is kept until the process ends, and a probe elsewhere may name other
 * phases in each report: what comes beyond is counted as `other`.
 */
const MAX_OWN_PHASES = 100

export type Counted = Pick<Engine, 'on' | 'locations'>

/** Counts until the returned function is called. */
export function countEvents(engine: Counted, meters: Meters): () => void {
  let names: Promise<ReadonlyMap<number, string>> | undefined
  const phaseOf = boundedPhases()
  const subscriptions = [
    engine.on('round', ({ monitor: { type }, results }) => {
      // Locations come from the configuration and do not change while the engine runs.
      names ??= namesOf(engine)
      void names.then((known) => {
        for (const result of results) {
          const location = known.get(result.location_id) ?? String(result.location_id)
          countCheck(meters, { type, location, phaseOf }, result)
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
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

async function namesOf({ locations }: Counted): Promise<ReadonlyMap<number, string>> {
  try {
    return new Map((await locations.list()).map(({ id, name }) => [id, name]))
  } catch {
    // The engine is stopping, with a last round to count.
    return new Map()
  }
}

type PhaseOf = (name: string) => string

function boundedPhases(): PhaseOf {
  const known = new Set<string>(BUILTIN_PHASES)
  const limit = known.size + MAX_OWN_PHASES
  return (name) => {
    const phase = name.replace(/_ms$/, '')
    if (known.size < limit) known.add(phase)
    return known.has(phase) ? phase : 'other'
  }
}

type Meters = ReturnType<typeof createMeters>

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- what it makes of the instruments is inferred
export function createMeters<C extends Counter, H extends Histogram>(make: Instruments<C, H>) {
  return {
    checks: make.counter({
      name: 'watchpost_checks_total',
      help: 'Checks that were stored, by verdict: ok, fail, or unknown where our side could not measure.',
    }),
    check_seconds: make.histogram({
      name: 'watchpost_check_duration_seconds',
      help: 'How long checks took, from first to last byte of work.',
      buckets: CHECK,
    }),
    phase_seconds: make.histogram({
      name: 'watchpost_check_phase_duration_seconds',
      help: 'How long the phases of checks took: resolve, connect, tls, first_byte, transfer and others.',
      buckets: CHECK,
    }),
    lag_seconds: make.histogram({
      name: 'watchpost_scheduler_lag_seconds',
      help: 'How long after their time checks began.',
      plain: true,
      buckets: CHECK,
    }),
    deliveries: make.counter({
      name: 'watchpost_deliveries_total',
      help: 'Notifications that are final, by event and outcome: sent, failed, or cancelled.',
    }),
    attempt_seconds: make.histogram({
      name: 'watchpost_delivery_attempt_duration_seconds',
      help: 'How long single attempts to deliver took, of notifications that are final.',
      plain: true,
      buckets: CHECK,
    }),
    commit_seconds: make.histogram({
      name: 'watchpost_store_commit_duration_seconds',
      help: 'How long the store took to commit the changes that were gathered.',
      plain: true,
      buckets: COMMIT,
    }),
    changes: make.counter({
      name: 'watchpost_store_changes_total',
      help: 'Changes of monitors that were committed; several share a commit.',
      plain: true,
    }),
    commit_failures: make.counter({
      name: 'watchpost_store_commit_failures_total',
      help: 'Commits that the store could not make.',
      plain: true,
    }),
  }
}

function countCheck(
  meters: Meters,
  {
    type,
    location,
    phaseOf,
  }: { readonly type: string; readonly location: string; readonly phaseOf: PhaseOf },
  { verdict, duration_ms, lag_ms, phases }: ResultView,
): void {
  meters.checks.add({ type, location, verdict })
  // Signals and missed deadlines have neither duration nor lag.
  if (duration_ms === 0 && lag_ms === 0) return
  meters.check_seconds.observe({ type, location }, duration_ms / 1000)
  meters.lag_seconds.observe({}, lag_ms / 1000)
  for (const [name, ms] of Object.entries(phases)) {
    meters.phase_seconds.observe({ type, phase: phaseOf(name) }, ms / 1000)
  }
}

function countDelivery(meters: Meters, { event, status, attempts }: NotificationView): void {
  meters.deliveries.add({ event, outcome: status })
  for (const { duration_ms } of attempts) {
    meters.attempt_seconds.observe({}, duration_ms / 1000)
  }
}
