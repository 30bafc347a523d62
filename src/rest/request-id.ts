/**
 * The id of a request: in `X-Request-Id` of its response, in errors and in the log.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

/** The client's own id if it consists of safe characters, so that log lines correlate with those of a proxy. */
export function requestId(request: Request, clock: Pick<Clock, 'random'>): string {
  const given = request.headers.get('x-request-id')
  if (given !== null && /^[\w.-]{1,64}$/.test(given)) return given
  const part = () =>
    Math.floor(clock.random() * 36 ** 6)
      .toString(36)
      .padStart(6, '0')
  return part() + part()
}
