/**
 * The readable form of an event, from which every contact kind builds its message.
 *
 * @module
 */

/** `down` and `up` are about incidents; `warning` needs action in time, `info` none. */
export type Severity = 'down' | 'up' | 'warning' | 'info'

export interface Fact {
  readonly label: string
  /** At most 600 characters; only an excerpt has several lines. */
  readonly text: string
}

export interface Message {
  readonly event: string
  readonly notification_id: number
  readonly severity: Severity
  /** One line of at most 200 characters. */
  readonly title: string
  /** At most 12. */
  readonly facts: readonly Fact[]
  /** The checked address as a link; `null` if it is not a URL. */
  readonly link: string | null
  /** The checked address in its short form, or the name of the monitor. */
  readonly source: string
  /** Time of the first attempt, ISO 8601. */
  readonly sent_at: string
  /**
   * Equal for all events of one incident, and distinct from any other incident, also of another
   * installation with the same ids; `null` for events without an incident.
   */
  readonly incident_key: string | null
}
