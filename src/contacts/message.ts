/**
 * An event as people read it: what every contact kind makes its own message of.
 *
 * @module
 */

/** `down` and `up` are about incidents; `warning` will need somebody, `info` may be read later. */
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
  /** What was checked, as an address that can be opened; `null` where it is none. */
  readonly link: string | null
  /** The checked address in its short form, the name of the monitor where there is none. */
  readonly source: string
  /** Time of the first attempt, ISO 8601. */
  readonly sent_at: string
  /**
   * The same for all events of one incident, and another one for every other incident, also of another
   * installation with the same ids; `null` for news.
   */
  readonly incident_key: string | null
}
