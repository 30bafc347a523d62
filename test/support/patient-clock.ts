/**
 * The clock of the machine, but that every wait is twenty times as long as it was asked for.
 *
 * A check does without the rights of a login, the answer to its goodbye or the word of a TLS server on its certificate
 * where they do not come within half a second, and is right to. On a busy machine they hardly ever do. What a test expects
 * of them comes when it comes; nothing here waits for its end.
 *
 * @module
 */

import { sleepOn, systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'

const TIMES = 20

export const patientClock: Clock = {
  ...systemClock,
  timer: (ms, run, options) => systemClock.timer(ms * TIMES, run, options),
  sleep: (ms, signal) => sleepOn(patientClock, ms, signal),
}
