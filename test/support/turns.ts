/**
 * How long the event loop is kept from everybody else: the time of the processor between two of its turns.
 *
 * Wall time says nothing on a machine that does other work. Linux tells the processor time of one thread
 * (`schedstat`), which leaves out the thread pool, other workers and the helpers of the garbage collector; elsewhere
 * it is that of the whole process, which is more. All figures are those of the reference machine of `pace.ts`: what
 * this one takes, divided by how slow it is just before and after.
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { slowness } from './pace.ts'

export interface Measured<T> {
  readonly value: T
  /** Longest turn of the event loop, in ms of the reference machine's processor. */
  readonly longest_ms: number
  /** All turns together, those of measuring included. */
  readonly cpu_ms: number
}

/** Looks at the turns of the loop until `work` has settled: alone where they are longer than a millisecond. */
export async function measureTurns<T>(work: () => Promise<T>): Promise<Measured<T>> {
  const before = slowness(processorMs)
  const { value, longest_ms, cpu_ms } = await watchTurns(work)
  const slow = (before + slowness(processorMs)) / 2
  return { value, longest_ms: longest_ms / slow, cpu_ms: cpu_ms / slow }
}

async function watchTurns<T>(work: () => Promise<T>): Promise<Measured<T>> {
  let longest_ms = 0
  const watch = { over: false }
  const from = processorMs()
  let last = from
  const watching = (async () => {
    while (!watch.over) {
      await aMillisecond()
      const now = processorMs()
      longest_ms = Math.max(longest_ms, now - last)
      last = now
    }
  })()
  try {
    const value = await work()
    // What settled it belongs to a turn that is not over.
    await turn()
    return { value, longest_ms: Math.max(longest_ms, processorMs() - last), cpu_ms: last - from }
  } finally {
    watch.over = true
    await watching
  }
}

/** Time of the processor that `work` takes of this thread, without looking at turns, which takes time as well. */
export async function measureCpu<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly cpu_ms: number }> {
  const before = slowness(processorMs)
  const from = processorMs()
  const value = await work()
  const cpu_ms = processorMs() - from
  return { value, cpu_ms: (2 * cpu_ms) / (before + slowness(processorMs)) }
}

/** Beside other work a processor takes twice as long for the same, for seconds: what is too much is tried again. */
const MOST_TRIES = 8

/**
 * The least of a few tries: a collection of garbage that others caused is nobody's turn. With `enough_ms`, of up to
 * eight: the first that takes no longer is the last.
 */
export async function leastOf<T>(
  tries: number,
  work: () => Promise<Measured<T>>,
  enough_ms = 0,
): Promise<Measured<T>> {
  const most = enough_ms > 0 ? Math.max(tries, MOST_TRIES) : tries
  let least = await work()
  for (let n = 1; n < most && least.longest_ms > enough_ms; n++) {
    const next = await work()
    if (next.longest_ms < least.longest_ms) least = next
  }
  return least
}

/**
 * The same for many works that most machines do within `enough_ms`: the first try is not divided by how slow this
 * machine is, which would take longer than the work. What is quick enough without that is quick enough.
 */
export async function leastTurns<T>(
  tries: number,
  work: () => Promise<T>,
  enough_ms: number,
): Promise<Measured<T>> {
  const first = await watchTurns(work)
  if (first.longest_ms <= enough_ms) return first
  return leastOf(tries, () => measureTurns(work), enough_ms)
}

/** Processor time of this thread since it began, in ms. */
export function processorMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

/** To look at every single turn keeps the processor busy for as long as the work waits for somebody. */
function aMillisecond(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 1))
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
