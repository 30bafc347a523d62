/**
 * Shows the progress of long operations; nothing for short ones.
 *
 * @module
 */

import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import { printable } from './terminal.ts'

export interface Progress {
  /** What is done now, and how far it is; shown when the next moment for it comes. */
  update(text: string): void
  end(): void
}

/** Where it is shown. */
export interface Display {
  readonly first_ms: number
  readonly every_ms: number
  show(text: string, sec: number): void
  clear(): void
}

export function progress(
  text: string,
  display: Display = displayOn(process.stderr),
  clock: Clock = systemClock,
): Progress {
  const began = clock.monotonic()
  let latest = text
  let due_at = began + display.first_ms
  const show = (): void => {
    timer.cancel()
    display.show(latest, Math.floor((clock.monotonic() - began) / 1000))
    due_at = clock.monotonic() + display.every_ms
    timer = clock.timer(display.every_ms, show, { background: true })
  }
  let timer = clock.timer(display.first_ms, show, { background: true })
  return {
    update(next) {
      latest = next
      // Work that never awaits, such as reading a file, lets no timer fire.
      if (clock.monotonic() >= due_at) show()
    },
    end() {
      timer.cancel()
      display.clear()
    },
  }
}

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const CLEAR_LINE = '\r\u001b[K'

/** One line that is written over on a terminal; elsewhere lines, few of them. */
export function displayOn(output: Output): Display {
  if (output.isTTY !== true) {
    return {
      first_ms: 5000,
      every_ms: 30_000,
      show: (text, sec) => void output.write(`watchpost: ${printable(text)} (${sec} s)\n`),
      clear: () => undefined,
    }
  }
  let written = false
  return {
    first_ms: 1000,
    every_ms: 500,
    show(text, sec) {
      written = true
      output.write(`${CLEAR_LINE}${printable(text)} (${sec} s)`)
    },
    clear: () => void (written && output.write(CLEAR_LINE)),
  }
}

/** Among the lines of a server. */
export function displayIn(log: Logger): Display {
  return {
    first_ms: 3000,
    every_ms: 10_000,
    show: (text, sec) => log.info({ sec }, text),
    clear: () => undefined,
  }
}
