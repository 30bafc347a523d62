/**
 * A monitor that is up and beyond a threshold of its setting `warn`.
 *
 * @module
 */

export interface Degraded {
  /** The first round beyond it, epoch milliseconds. */
  readonly since: number
  readonly cause_code: string
  readonly cause_text: string
}

/** What ended it: the figure came back, or the monitor is no longer up or checked. */
export type DegradedEnd =
  'recovered' | 'down' | 'maintenance' | 'paused' | 'reconfigured' | 'deleted'

/** Events of a monitor that is up: a contact is notified of those that it asks for. */
export const SOFT_EVENTS = ['degraded', 'restored'] as const
export type SoftEvent = (typeof SOFT_EVENTS)[number]
