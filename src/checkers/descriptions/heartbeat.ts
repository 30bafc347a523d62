/**
 * Descriptions of the settings and measurements of the type `heartbeat`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Time after the period before silence counts as down; default a fifth of the period, 60 to 3600 (0 to 2678400 seconds) */
  readonly grace_sec: unknown
  /** Time for the first signal of a new monitor, or of one resumed before any signal; without one it is then down. Default: no limit (60 to 2678400 seconds) */
  readonly first_signal_sec: unknown
  /** When the job runs, instead of interval_sec: minute, hour, day of month, month, day of week (1 to 100 characters) */
  readonly cron: unknown
  /** Time zone of cron; default UTC (1 to 64 characters) */
  readonly time_zone: unknown
}

export interface Measurements {
  /** Kind of the last signal: success, start, fail or log */
  readonly last_signal: unknown
  /** When it came (ISO 8601 UTC) */
  readonly last_signal_at: unknown
  /** End of the period (ISO 8601 UTC) */
  readonly next_expected_at: unknown
  /** Exit code the job reported */
  readonly exit_code: unknown
  /** Length of the run that has just ended in ms, from start to end or as the job said; only in the result of its signal */
  readonly run_ms: unknown
  /** What the job said, at most 1000 characters */
  readonly message: unknown
}
