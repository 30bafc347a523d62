/**
 * Descriptions of the settings and measurements of the type `group`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Members by id, of the same account; groups as well (0 to 200 items; default `[]`) */
  readonly monitor_ids: unknown
  /** Members by tag: every monitor with one of these, but no group (0 to 20 items; default `[]`) */
  readonly member_tags: unknown
  /** How many members must be up (default `"all"`) */
  readonly up_when: unknown
  /** Number of members that must be up, in place of up_when (1 to 1000) */
  readonly min_up: unknown
  /** Share of the members that must be up, in place of up_when (1 to 100 %) */
  readonly min_up_pct: unknown
}

export interface Measurements {
  /** Members that are up */
  readonly members_up: unknown
  /** Members that are down */
  readonly members_down: unknown
  /** Members whose state is unknown: without a result yet, or stale */
  readonly members_unknown: unknown
  /** Members that are paused or in maintenance, which count for nothing */
  readonly members_left_out: unknown
  /** Share of the counted members that are up, in percent */
  readonly up_pct: unknown
  /** Names of the members that are down, at most 50 */
  readonly down: unknown
  /** Names of the members whose state is unknown, at most 50 */
  readonly unknown: unknown
}
