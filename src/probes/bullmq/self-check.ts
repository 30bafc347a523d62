/**
 * Tests whether a location has a network. Without one, every target would appear down from it.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import type { Logger } from '../../logger.ts'

const EVERY_MS = 30_000
const ANSWER_MS = 5000

export interface SelfCheckOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly check: ((signal: AbortSignal) => Promise<boolean>) | undefined
}

export interface SelfCheck {
  /** The last result; `true` without a check. */
  readonly passes: boolean
  /** Resolves after the first check. */
  start(): Promise<void>
  stop(): void
}

export function createSelfCheck({ clock, log, check }: SelfCheckOptions): SelfCheck {
  let passes = true
  let timer: Timer | undefined
  let stopped = false

  async function look(own: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    const before = passes
    passes = await answerOf(own)
    if (!passes && before) log.warn({}, 'the self-check fails: this place takes no orders')
    if (passes && !before) log.info({}, 'the self-check passes again')
    if (!stopped) timer = clock.timer(EVERY_MS, () => void look(own), { background: true })
  }

  function answerOf(own: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    const late = new AbortController()
    return new Promise((resolve) => {
      const end = clock.timer(ANSWER_MS, () => {
        late.abort(new Error('The self-check took too long'))
        resolve(false)
      })
      Promise.resolve()
        .then(() => own(late.signal))
        .then(resolve, () => resolve(false))
        .finally(() => end.cancel())
    })
  }

  return {
    get passes() {
      return passes
    },
    start: () => (check === undefined ? Promise.resolve() : look(check)),
    stop() {
      stopped = true
      timer?.cancel()
    },
  }
}
