/**
 * Gauges that are read from the engine and the process at each scrape, and the delay of the event loop.
 *
 * @module
 */

import type { Engine } from '../engine/api/engine.ts'
import type { MonitorReading } from '../engine/api/readings.ts'
import { MONITOR_STATES } from '../model.ts'
import { VERSION } from '../version.ts'
import { head, sample } from './text.ts'
import type { Clock } from '../clock.ts'
import { createHistogram } from './instruments.ts'

type Health = Awaited<ReturnType<Engine['health']>>

/** `health` is `undefined` if the store did not answer; its gauges are then omitted. */
export function engineState(
  monitors: readonly MonitorReading[],
  health: Health | undefined,
): string {
  const open = monitors.filter(({ incident_open }) => incident_open).length
  const stale = monitors.filter((monitor) => monitor.stale).length
  return [
    head('watchpost_build_info', 'gauge', 'The version of watchpost and of Node that run.'),
    sample('watchpost_build_info', { version: VERSION, node: process.versions.node }, 1),
    monitorsByState(monitors),
    gauge('watchpost_monitors_stale', 'Monitors of which nobody knows how they are.', stale),
    gauge('watchpost_incidents_open', 'Monitors with an open incident.', open),
    health === undefined ? '' : healthText(health),
  ].join('')
}

function monitorsByState(monitors: readonly MonitorReading[]): string {
  const name = 'watchpost_monitors'
  const counts = new Map<string, number>(MONITOR_STATES.map((state) => [state, 0]))
  for (const { state } of monitors) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [
    head(name, 'gauge', 'Monitors that this engine watches, by state.'),
    ...[...counts].map(([state, count]) => sample(name, { state }, count)),
  ].join('')
}

function healthText({ running, checks_running, outbox_depth, outbox_wait_ms }: Health): string {
  return [
    gauge('watchpost_engine_running', '1 while checks are made, else 0.', Number(running)),
    gauge('watchpost_rounds_running', 'Rounds of checks under way.', checks_running),
    gauge('watchpost_outbox_notifications', 'Notifications not yet final.', outbox_depth),
    gauge(
      'watchpost_outbox_oldest_due_seconds',
      'For how long the longest-waiting notification has been due; 0 where none is.',
      outbox_wait_ms / 1000,
    ),
  ].join('')
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

const TICK_MS = 100
const DELAY = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface LoopDelay {
  text(): string
  close(): void
}

/**
 * Measures the delay of the event loop by a timer of a tenth of a second. The timer does not keep the process alive.
 */
export function measureLoopDelay(clock: Clock): LoopDelay {
  const delays = createHistogram(
    {
      name: 'watchpost_event_loop_delay_seconds',
      help: 'How late a timer of the process comes, tried ten times a second.',
      plain: true,
    },
    DELAY,
  )
  let due = clock.monotonic() + TICK_MS
  const tick = (): void => {
    const now = clock.monotonic()
    delays.observe({}, Math.max(0, now - due) / 1000)
    due = now + TICK_MS
    timer = clock.timer(TICK_MS, tick, { background: true })
  }
  let timer = clock.timer(TICK_MS, tick, { background: true })
  return { text: () => delays.text(), close: () => timer.cancel() }
}
