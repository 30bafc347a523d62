import type { Change } from '../../change.ts'

/** A change that may be made, with what it turned into so far. */
export interface Accepted {
  readonly change: Change
  readonly account_id: number
  /** Of the incident that the change opens. */
  opened: number | null
  result_ids: readonly number[]
  notification_ids: readonly number[]
}
