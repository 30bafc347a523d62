/**
 * Computes how many packets fit into the time, and their interval. Pure.
 *
 * @module
 */

/**
 * Unprivileged users may not send faster (iputils before 2021), and networks should not be flooded.
 */
const MIN_INTERVAL_MS = 200
const MIN_INTERVAL_ROOT_MS = 20

const DEFAULT_INTERVAL_MS = 1000

export interface PingWishes {
  readonly count: number
  /** Maximum interval between packets. Default 1000. */
  readonly interval_ms?: number
  /** Time until the deadline. */
  readonly time_ms: number
  /** Default: whether this process runs as root. */
  readonly privileged?: boolean
}

export interface PingPlan {
  /** As many of the requested packets as the time allows, at least 1. */
  readonly count: number
  readonly interval_ms: number
  readonly reply_wait_ms: number
  readonly budget_ms: number
}

/**
 * Reserves a quarter of the time, at most a second, for the reply to the last packet: a reply still
 * in transit at the deadline would count as lost.
 */
export function planPing({
  count,
  interval_ms = DEFAULT_INTERVAL_MS,
  ...wishes
}: PingWishes): PingPlan {
  const { time_ms, privileged = process.getuid?.() === 0 } = wishes
  const margin_ms = Math.min(Math.max(time_ms / 10, 50), 500)
  const budget_ms = Math.max(1, time_ms - margin_ms)
  const last_ms = Math.max(budget_ms / 4, Math.min(1000, budget_ms / 2))
  const sending_ms = budget_ms - last_ms
  const fitting_ms = count === 1 ? interval_ms : Math.min(interval_ms, sending_ms / (count - 1))
  const between_ms = Math.max(fitting_ms, privileged ? MIN_INTERVAL_ROOT_MS : MIN_INTERVAL_MS)
  const packets = Math.min(count, Math.floor(sending_ms / between_ms) + 1)
  return {
    count: packets,
    interval_ms: Math.round(between_ms),
    reply_wait_ms: Math.round(budget_ms - (packets - 1) * between_ms),
    budget_ms: Math.round(budget_ms),
  }
}
