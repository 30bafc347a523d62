/**
 * For vitest's `setupFiles`: how much CPU time each test file takes, with the programs that it starts and waits for.
 * Unlike the duration, it hardly depends on what else the machine does. `npm test` prints the largest.
 *
 * @module
 */

import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'
import { root } from '../../scripts/steps.mjs'

/** Clock ticks a second in `/proc`, the same on every Linux (`man 5 proc_pid_stat`). */
const TICKS = 100

const log = process.env.WATCHPOST_TEST_CPU
if (log !== undefined && process.platform === 'linux') {
  const began = cpuSeconds()
  afterAll(() => {
    const file = expect.getState().testPath?.slice(root.length + 1) ?? 'unknown'
    appendFileSync(log, JSON.stringify({ file, seconds: cpuSeconds() - began }) + '\n')
  })
}

/** Of this process and of those that it started and that have ended. */
function cpuSeconds(): number {
  // Behind the name of the program, which may have blanks: state is field 3, utime to cstime are 14 to 17.
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / TICKS
}
