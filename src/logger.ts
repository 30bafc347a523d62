/**
 * Logging as a port in the form that pino and its kin have: fields first, then the message.
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

/** Says nothing; the default of the library. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
