/**
 * Loaded into each process of the suite by `npm run faults -- suite --pauses`: the first thread of one that runs tests
 * stands still at random moments, for a quarter of the time in all, as on a machine with too few CPUs. Processes that
 * tests start do not.
 *
 * @module
 */

import { isMainThread } from 'node:worker_threads'

const SHORTEST_RUN_MS = 500
const LONGEST_RUN_MS = 3_000

/** Four of five pauses are short. */
const LONG_SHARE = 0.2

/** @param {number} from @param {number} to */
const between = (from, to) => from + (to - from) * Math.random()

const pause_ms = () => (Math.random() < LONG_SHARE ? between(500, 2_000) : between(50, 300))

const cell = new Int32Array(new SharedArrayBuffer(4))

function runOn() {
  const timer = setTimeout(
    () => {
      Atomics.wait(cell, 0, 0, pause_ms())
      runOn()
    },
    between(SHORTEST_RUN_MS, LONGEST_RUN_MS),
  )
  timer.unref()
}

if (isMainThread && /vitest[\\/]dist[\\/]workers/.test(process.argv[1] ?? '')) runOn()
