/**
 * `watchpost probe`: a name that is taken for the remote probe.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import type { Command } from './command.ts'

const NOT_YET =
  'probe comes with the BullMQ transport, which is not part of this version; ' +
  'locations of one process are set with WATCHPOST_LOCATIONS of serve'

export const command: Command = {
  help: `watchpost probe: ${NOT_YET}.`,
  options: { location: { type: 'string' } },
  run: () => Promise.reject(new ConfigurationError(NOT_YET)),
}
