/**
 * What the incident machine takes and gives: events, policy, effects.
 *
 * @module
 */

import type {
  Availability,
  ClosedReason,
  Degraded,
  DegradedEnd,
  EpochMs,
  MachineState,
} from '../model.ts'

export interface Cause {
  readonly cause_code: string
  readonly cause_text: string
}

export type RoundEvent = {
  readonly kind: 'round'
  readonly at: EpochMs
  /** When the condition began, if that was before the round (a missed deadline). */
  readonly since?: EpochMs | undefined
  /** Silent locations with their consecutive rounds. */
  readonly silent?: MachineState['silent']
  /** Decided without locations that have been silent for too long. */
  readonly reduced?: boolean
  /** When the last check of the round ended, `null` if none started; absent for push types. */
  readonly last_check_ended_at?: EpochMs | null
} & (
  | {
      readonly verdict: 'ok' | 'late' | 'inconclusive'
      /** A threshold of `warn` is crossed; absent: none is. `unclear`: too few locations say so, or not. */
      readonly warned?: Cause | 'unclear'
    }
  | {
      readonly verdict: 'fail'
      readonly cause: Cause
      readonly locations_failed: readonly number[]
    }
)

export type MachineEvent =
  | RoundEvent
  | {
      readonly kind:
        'pause' | 'resume' | 'reconfigure' | 'remove' | 'maintenance_start' | 'maintenance_end'
      readonly at: EpochMs
    }

export interface Policy {
  readonly fail_threshold: number
  readonly recover_threshold: number
  /** A longer time between two rounds means that no check ran; `null` for push types. */
  readonly gap_ms: number | null
}

export type Effect =
  | {
      readonly kind: 'open_incident'
      readonly started_at: EpochMs
      readonly detected_at: EpochMs
      readonly cause: Cause
      readonly locations_failed: readonly number[]
    }
  | {
      readonly kind: 'close_incident'
      readonly id: number
      readonly ended_at: EpochMs
      readonly reason: ClosedReason
    }
  | {
      readonly kind: 'cause_changed'
      readonly id: number
      readonly at: EpochMs
      readonly cause: Cause
      readonly locations_failed: readonly number[]
    }
  | { readonly kind: 'availability'; readonly at: EpochMs; readonly availability: Availability }
  | { readonly kind: 'degraded'; readonly since: EpochMs; readonly cause: Cause }
  | {
      readonly kind: 'restored'
      readonly degraded: Degraded
      readonly ended_at: EpochMs
      readonly reason: DegradedEnd
    }

export interface Transition {
  readonly state: MachineState
  readonly effects: readonly Effect[]
}
