/**
 * Log lines on stderr: for a person on a terminal, JSON for whatever collects them elsewhere.
 *
 * @module
 */

import { iso, systemClock } from '../clock.ts'
import { isWatchpostError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { jsonText, printable } from './terminal.ts'

/** From most to least. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

type Level = (typeof LOG_LEVELS)[number]
type Fields = Readonly<Record<string, unknown>>

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export function lineLogger(level: Level, output: Output = process.stderr): Logger {
  const compose = output.isTTY === true ? readable : json
  const at = (own: Exclude<Level, 'silent'>) => {
    if (LOG_LEVELS.indexOf(own) < LOG_LEVELS.indexOf(level)) return () => undefined
    return (fields: Fields, message: string) => {
      output.write(`${compose(own, plain(fields) as Fields, message)}\n`)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function json(level: Level, fields: Fields, message: string): string {
  return jsonText({ time: iso(systemClock.now()), level, msg: message, ...fields })
}

function readable(level: Level, { err, ...fields }: Fields, message: string): string {
  const { stack, message: reason } = (err ?? {}) as { stack?: string; message?: string }
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const trouble = stack ?? reason
  // A line of a text of others is indented: it begins no line of the log.
  const text = `${message}${pairs.join('')}${trouble === undefined ? '' : `: ${trouble}`}`.replace(
    /\n(?! )/g,
    '\n    ',
  )
  return `${iso(systemClock.now())} ${level.padEnd(5)} ${printable(text)}`
}

/** An error as JSON; only an unexpected one has its stack. */
function plain(value: unknown): unknown {
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    const foreseen = isWatchpostError(value)
    return {
      name,
      message,
      ...(foreseen ? { code: value.code } : { stack }),
      ...(cause === undefined ? {} : { cause: plain(cause) }),
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]))
}
