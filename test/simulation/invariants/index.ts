/** Everything that must hold of every history. */
import { ledgerOf } from '../ledger.ts'
import type { Ledger } from '../ledger.ts'
import type { History } from '../simulate.ts'
import { ATTEMPT_INVARIANTS } from './attempts.ts'
import { AUDIT_INVARIANTS } from './audit.ts'
import { DIGEST_INVARIANTS } from './digests.ts'
import { ENDING_INVARIANTS } from './endings.ts'
import { ENGINE_INVARIANTS } from './engine.ts'
import { FAIRNESS_INVARIANTS } from './fairness.ts'
import { HEARTBEAT_INVARIANTS } from './heartbeats.ts'
import { INCIDENT_INVARIANTS } from './incidents.ts'
import type { Invariant } from './invariant.ts'
import { NOTIFICATION_INVARIANTS } from './notifications.ts'
import { PLANNED_WORK_INVARIANTS } from './planned-work.ts'
import { QUIET_INVARIANTS } from './quiet.ts'
import { ROUND_INVARIANTS } from './rounds.ts'
import { STALENESS_INVARIANTS } from './staleness.ts'
import { TIME_INVARIANTS } from './time.ts'

export const INVARIANTS: readonly Invariant[] = [
  ...ROUND_INVARIANTS,
  ...INCIDENT_INVARIANTS,
  ...NOTIFICATION_INVARIANTS,
  ...PLANNED_WORK_INVARIANTS,
  ...ENDING_INVARIANTS,
  ...ATTEMPT_INVARIANTS,
  ...QUIET_INVARIANTS,
  ...DIGEST_INVARIANTS,
  ...HEARTBEAT_INVARIANTS,
  ...TIME_INVARIANTS,
  ...FAIRNESS_INVARIANTS,
  ...STALENESS_INVARIANTS,
  ...ENGINE_INVARIANTS,
  ...AUDIT_INVARIANTS,
]

/** Where a history breaks what. */
export interface Breach {
  readonly sentence: string
  /** The first places, and how many there are. */
  readonly places: readonly string[]
  readonly count: number
}

const SHOWN = 5

export function breachesOf(history: History): { ledger: Ledger; breaches: Breach[] } {
  const ledger = ledgerOf(history)
  const breaches: Breach[] = []
  for (const { sentence, broken } of INVARIANTS) {
    const places = [...broken(ledger)]
    if (places.length > 0)
      breaches.push({ sentence, places: places.slice(0, SHOWN), count: places.length })
  }
  return { ledger, breaches }
}
