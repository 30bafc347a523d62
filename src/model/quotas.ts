/** The quotas of an account. Absent: those of the engine's options. `null`: unlimited. */
export interface AccountQuotas {
  readonly monitors?: number | null | undefined
  readonly contacts?: number | null | undefined
  /** The shortest interval of a monitor, in seconds. */
  readonly min_interval_sec?: number | null | undefined
  /** Of all monitors that are checked and not paused: locations × 60 / interval. */
  readonly checks_per_min?: number | null | undefined
  /** Maintenance windows of the account, besides those of single monitors; at most 1000. */
  readonly maintenance_windows?: number | null | undefined
  /** Public pages made at run time; default 20, at most 1000. */
  readonly public_pages?: number | null | undefined
  /** Status reports, resolved ones as well; default 500, at most 1000. */
  readonly status_reports?: number | null | undefined
}
