/**
 * SIGTERM, SIGINT and SIGHUP (the terminal was closed): the first one stops the server gracefully,
 * a later one immediately.
 *
 * @module
 */

import { constants } from 'node:os'
import type { Clock } from '../clock.ts'

/** `npm start` passes on the signal that the terminal has sent to us as well. */
const TWIN_MS = 1000

/** Resolves with the first signal. A further one ends the process, unless it is the twin of the first. */
export function stopSignal(clock: Clock): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first_at: number | undefined
    const hear = (signal: NodeJS.Signals): void => {
      if (first_at === undefined) {
        first_at = clock.monotonic()
        resolve(signal)
      } else if (clock.monotonic() - first_at > TWIN_MS) {
        process.exit(128 + constants.signals[signal])
      }
    }
    process.on('SIGTERM', hear).on('SIGINT', hear).on('SIGHUP', hear)
  })
}
