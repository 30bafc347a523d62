/**
 * Descriptions of the settings and measurements of the type `ping`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name or IP address (1 to 253 characters) */
  readonly host: unknown
  /** Packets to send, at most one second apart; fewer where the deadline does not allow for them (1 to 50; default `5`) */
  readonly count: unknown
  /** Largest loss that is right; no reply at all is always a failure (0 to 100 %; default `20`) */
  readonly max_loss_pct: unknown
  /** Longest average round-trip time (0.01 to 60000 ms) */
  readonly max_avg_ms: unknown
  /** Address family; auto takes the first address that answers (default `"auto"`) */
  readonly ip_family: unknown
}

export interface Measurements {
  /** Packets sent */
  readonly sent: unknown
  /** Packets that were answered */
  readonly received: unknown
  /** Packets that were not answered, in percent */
  readonly loss_pct: unknown
  /** Shortest round-trip time; this and the following only where there was a reply */
  readonly rtt_min_ms: unknown
  /** Average round-trip time, in ms */
  readonly rtt_avg_ms: unknown
  /** Longest round-trip time, in ms */
  readonly rtt_max_ms: unknown
  /** Standard deviation of the round-trip times, in ms */
  readonly rtt_stddev_ms: unknown
  /** Average difference between the times of one reply and the next, in ms */
  readonly jitter_ms: unknown
  /** Hops left in the last reply (TTL, hop limit) */
  readonly ttl: unknown
  /** Replies beyond the first one to a packet; only where there were any */
  readonly duplicates: unknown
  /** Round-trip time of each packet in order, in ms; null for no reply */
  readonly packets: unknown
  /** kind, from and text of what a host on the way answered instead; only where one did */
  readonly icmp_error: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
