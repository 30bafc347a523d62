/**
 * Which locations have a probe, as of the engine's last beat.
 *
 * @module
 */

import type { Logger } from '../../logger.ts'
import type { ProbeBeat } from './presence.ts'

export interface ProbePresence {
  /** Stores the probes that a beat found. */
  note(found: ReadonlyMap<string, readonly ProbeBeat[]>): void
  /** Whether a probe accepts orders and has a network. */
  online(location: string): boolean
  /** Whether a probe is alive, even if it only finishes its orders. */
  present(location: string): boolean
}

export function createProbePresence(log: Logger): ProbePresence {
  let seen: ReadonlyMap<string, readonly ProbeBeat[]> = new Map()
  const wasOnline = new Map<string, boolean>()

  const online = (location: string): boolean =>
    seen.get(location)?.some(({ connected, leaving }) => connected && !leaving) === true

  return {
    note(found) {
      seen = found
      for (const [location, probes] of found) {
        const now = online(location)
        if (wasOnline.get(location) === now) continue
        wasOnline.set(location, now)
        const about = { location, probes: probes.map(({ id }) => id) }
        if (now) log.info(about, 'a location is there')
        else log.warn(about, 'a location has no probe that could check')
      }
    },
    online,
    present: (location) => (seen.get(location)?.length ?? 0) > 0,
  }
}
