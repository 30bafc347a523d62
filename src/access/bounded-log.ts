/**
 * The log of what requests run into. Anyone can repeat a request that fails, such as one that a function of the host
 * throws at: lines are bounded, and what is left out is counted.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'

/** Enough to see different errors behind one message. */
const LINES = 10
const WINDOW_MS = 60_000

interface Window {
  lines: number
  left_out: number
  /** Of the last line that was left out. */
  fields: Readonly<Record<string, unknown>>
}

/**
 * Warnings and errors of each message: ten lines in a minute at most. At the end of that minute one more line has the
 * number of those that were left out (`left_out`), with the fields of the last one. Messages have to be fixed texts.
 */
export function boundedLog(clock: Pick<Clock, 'timer'>, log: Logger): Logger {
  const windows = new Map<string, Window>()

  function bounded(level: 'warn' | 'error'): Logger['warn'] {
    return (fields, message) => {
      const window = windows.get(message) ?? begin(level, message)
      if (window.lines < LINES) {
        window.lines++
        log[level](fields, message)
      } else {
        window.left_out++
        window.fields = fields
      }
    }
  }

  function begin(level: 'warn' | 'error', message: string): Window {
    const window: Window = { lines: 0, left_out: 0, fields: {} }
    windows.set(message, window)
    const end = (): void => {
      windows.delete(message)
      const { left_out, fields } = window
      if (left_out > 0) log[level]({ ...fields, left_out }, message)
    }
    clock.timer(WINDOW_MS, end, { background: true })
    return window
  }

  return { ...log, warn: bounded('warn'), error: bounded('error') }
}
