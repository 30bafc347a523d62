/**
 * Gauges that are read from the engine and the process at each scrape, and the delay of the event loop.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/api/engine.ts'
import type { MonitorReading } from '../engine/api/readings.ts'
import type { Logger } from '../logger.ts'
import { MONITOR_STATES } from '../model.ts'
import { VERSION } from '../version.ts'
import type { Histogram } from './instruments.ts'
import { head, sample } from './text.ts'
import type { Labels } from './text.ts'

type Health = Awaited<ReturnType<Engine['health']>>

interface EngineFacts {
  readonly monitors: readonly MonitorReading[]
  /** `undefined` if the store did not answer; its gauges are then omitted. */
  readonly health: Health | undefined
}

interface EngineGauge {
  readonly name: string
  readonly help: string
  samples(facts: EngineFacts): readonly (readonly [Labels, number])[]
}

export const ENGINE_GAUGES: readonly EngineGauge[] = [
  {
    name: 'watchpost_build_info',
    help: 'The version of watchpost and of Node that run.',
    samples: () => [[{ version: VERSION, node: process.versions.node }, 1]],
  },
  {
    name: 'watchpost_monitors',
    help: 'Monitors that this engine watches, by state.',
    samples({ monitors }: EngineFacts): readonly (readonly [Labels, number])[] {
      const counts = new Map<string, number>(MONITOR_STATES.map((state) => [state, 0]))
      for (const { state } of monitors) counts.set(state, (counts.get(state) ?? 0) + 1)
      return [...counts].map(([state, count]) => [{ state }, count])
    },
  },
  {
    name: 'watchpost_monitors_stale',
    help: 'Monitors of which nobody knows how they are.',
    samples: ({ monitors }) => [[{}, monitors.filter((monitor) => monitor.stale).length]],
  },
  {
    name: 'watchpost_monitors_degraded',
    help: 'Monitors that are up and beyond a threshold of `warn`.',
    samples: ({ monitors }) => [[{}, monitors.filter((monitor) => monitor.degraded).length]],
  },
  {
    name: 'watchpost_incidents_open',
    help: 'Monitors with an open incident.',
    samples: ({ monitors }) => [[{}, monitors.filter((each) => each.incident_open).length]],
  },
  ofHealth('watchpost_engine_running', '1 while checks are made, else 0.', ({ running }) =>
    Number(running),
  ),
  ofHealth(
    'watchpost_rounds_running',
    'Rounds of checks under way.',
    ({ checks_running }) => checks_running,
  ),
  ofHealth(
    'watchpost_outbox_notifications',
    'Notifications not yet final.',
    ({ outbox_depth }) => outbox_depth,
  ),
  ofHealth(
    'watchpost_outbox_oldest_due_seconds',
    'For how long the longest-waiting notification has been due; 0 where none is.',
    ({ outbox_wait_ms }) => outbox_wait_ms / 1000,
  ),
]

function ofHealth(name: string, help: string, valueOf: (health: Health) => number): EngineGauge {
  return {
    name,
    help,
    samples: ({ health }) => (health === undefined ? [] : [[{}, valueOf(health)]]),
  }
}

/** A gauge without samples has no header either. */
export function engineState(facts: EngineFacts): string {
  return ENGINE_GAUGES.map(({ name, help, samples }) => {
    const lines = samples(facts).map(([labels, value]) => sample(name, labels, value))
    return lines.length === 0 ? '' : head(name, 'gauge', help) + lines.join('')
  }).join('')
}

/** If the store does not answer, the metrics report that and leave out its figures. */
export async function healthOf(
  engine: Pick<Engine, 'health'>,
  logger: Logger,
): Promise<Health | undefined> {
  try {
    return await engine.health()
  } catch (err) {
    logger.warn({ err }, 'the figures of the outbox could not be read')
    return undefined
  }
}

/** CPU time, memory and start time of the process, under their standard names. */
export function processState(): string {
  const { user, system } = process.cpuUsage()
  const cpu = 'process_cpu_seconds_total'
  return [
    head(cpu, 'counter', 'Processor time of user and system.'),
    sample(cpu, {}, (user + system) / 1e6),
    gauge(
      'process_resident_memory_bytes',
      'Memory of the process that is resident.',
      process.memoryUsage.rss(),
    ),
    gauge(
      'process_start_time_seconds',
      'When the process began, in Unix time.',
      performance.timeOrigin / 1000,
    ),
  ].join('')
}

function gauge(name: string, help: string, value: number): string {
  return head(name, 'gauge', help) + sample(name, {}, value)
}

const SAMPLE_MS = 100

export const LOOP_DELAY = {
  name: 'watchpost_event_loop_delay_seconds',
  help: 'How late a timer of the process comes, tried ten times a second.',
  plain: true,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
} as const

/**
 * Measures the delay of the event loop by a timer of a tenth of a second. The timer does not keep the process alive.
 */
export function measureLoopDelay(clock: Clock, delays: Histogram): { close(): void } {
  let due = clock.monotonic() + SAMPLE_MS
  const sample = (): void => {
    const now = clock.monotonic()
    delays.observe({}, Math.max(0, now - due) / 1000)
    due = now + SAMPLE_MS
    timer = clock.timer(SAMPLE_MS, sample, { background: true })
  }
  let timer = clock.timer(SAMPLE_MS, sample, { background: true })
  return { close: () => timer.cancel() }
}
