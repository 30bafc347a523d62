import type { Change } from '../../change.ts'

/** A change that is accepted, with what has been derived from it so far. */
export interface Accepted {
  readonly change: Change
  readonly account_id: number
  /** The id of the incident that the change opens. */
  opened: number | null
  result_ids: readonly number[]
  notification_ids: readonly number[]
}
