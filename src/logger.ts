/**
 * Logging as an interface in the form of pino: fields first, then the message.
 *
 * @module
 */

type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

const nothing = (): void => undefined

/** Logs nothing: the meaning of `logger: false`. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** The default: an error is one line on stderr, everything else is silent. */
const defaultLogger: Logger = {
  ...silentLogger,
  error(fields, message) {
    // The only output outside src/cli: without it, a host that sets no logger would never see an error.
    // eslint-disable-next-line no-restricted-globals -- the default logger
    console.error(lineOf(fields, message))
  },
}

/** The logger for an option. Errors of the host's logger do not reach the caller. */
export function loggerOf(option: Logger | false | undefined): Logger {
  if (option === false) return silentLogger
  return option === undefined ? defaultLogger : guarded(option)
}

/** A throw or rejection of the logger is reported once, since a full log fails with every line. */
function guarded(logger: Logger): Logger {
  let told = false
  const failed = (err: unknown): void => {
    if (told) return
    told = true
    defaultLogger.error({ err }, 'the logger failed, and may go on failing; this is told once')
  }
  const called =
    (level: keyof Logger) =>
    (fields: LogFields, message: string): void => {
      try {
        // Some loggers write to a stream and return a promise.
        const result = (logger as Record<keyof Logger, (...line: unknown[]) => unknown>)[level](
          fields,
          message,
        )
        if (result instanceof Promise) result.catch(failed)
      } catch (error) {
        failed(error)
      }
    }
  return {
    debug: called('debug'),
    info: called('info'),
    warn: called('warn'),
    error: called('error'),
  }
}

const LONGEST_LINE = 2000
/** Also the separators that end a line in some viewers, and what turns the direction of writing. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu

function lineOf({ err, ...fields }: LogFields, message: string): string {
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`)
  const trouble = err === undefined ? '' : `: ${troubleOf(err)}`
  const line = `watchpost: ${message}${facts.join('')}${trouble}`.replaceAll(CONTROL, ' ')
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : typeof value
}

const CAUSES_LIMIT = 4

/** The error with its causes, and the source location of the first one. */
function troubleOf(err: unknown): string {
  const said: string[] = []
  let frame: string | undefined
  let each = err
  while (each instanceof Error && said.length < CAUSES_LIMIT) {
    const { name, message, stack, cause } = each
    said.push(`${name}: ${message}`)
    frame = stack?.split('\n').find((line) => /^\s+at /.test(line)) ?? frame
    each = cause
  }
  if (!(each instanceof Error) && each !== undefined && said.length < CAUSES_LIMIT) {
    said.push(typeof each === 'string' ? each : `a thrown ${typeof each}`)
  }
  return said.join(', caused by ') + (frame === undefined ? '' : ` (${frame.trim()})`)
}
