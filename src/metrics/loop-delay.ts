/**
 * Measures the delay of the event loop by a timer of a tenth of a second.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { createHistogram } from './instruments.ts'

const TICK_MS = 100
const DELAY = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface LoopDelay {
  text(): string
  close(): void
}

/** The timer does not keep the process alive. */
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
