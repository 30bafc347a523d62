/**
 * Turns the replies into statistics and a verdict. Pure.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import type { PingResult } from '../../net/net.ts'
import { down, unknown, up } from '../checker.ts'
import type { Judgement } from '../checker.ts'

export const PING_CAUSES = {
  /**
   * network: Compare locations, then `mtr` to the host: a line, a router or a limit on ICMP.
   * `details.icmp_error` contains the ICMP error.
   */
  ping_no_reply: { text: 'No packet was answered' },
  /** network: As `ping_no_reply`. */
  ping_loss: { text: 'Too many packets were not answered' },
  /** network: As `ping_no_reply`. */
  ping_slow: { text: 'The replies took longer than allowed' },
  /** network: As `connect_timeout`. */
  host_unreachable: { text: 'There is no way to the host' },
  /** network: As `ping_no_reply`. */
  ttl_exceeded: { text: 'The packets went round in a circle, or through too many routers' },
} as const

export interface PingLimits {
  readonly host: string
  readonly max_loss_pct: number
  readonly max_avg_ms?: number | undefined
}

export function judge(
  result: PingResult,
  { host, max_loss_pct, max_avg_ms }: PingLimits,
): Judgement<keyof typeof PING_CAUSES | 'probe_overloaded'> {
  const { sent, received, error } = result
  if (sent === 0) {
    return unknown('probe_overloaded', 'This machine did not get to send a packet in time')
  }
  const packets = sent === 1 ? '1 packet' : `${sent} packets`
  if (received === 0 && error !== null) {
    const by = error.from === null ? '' : `${error.from} says `
    return down(error.kind, `No reply from ${host} to ${packets}: ${by}"${error.text}"`)
  }
  if (received === 0) return down('ping_no_reply', `No reply from ${host} to ${packets}`)

  const loss = lossPct(result)
  if (loss > max_loss_pct) {
    const text = `${sent - received} of ${packets} were not answered (${loss} %, allowed ${max_loss_pct} %)`
    return down('ping_loss', text)
  }
  const { avg } = statisticsOf(result.rtts_ms)
  if (max_avg_ms === undefined || avg <= max_avg_ms) return up()
  return down('ping_slow', `The replies took ${avg} ms on average, allowed are ${max_avg_ms} ms`)
}

export function measurementsOf(result: PingResult): JsonObject {
  const { sent, received, rtts_ms, ttl, duplicates, error, attempts, address } = result
  const fallback = received > 0 && attempts[0]?.address !== address.address
  return {
    sent,
    received,
    loss_pct: lossPct(result),
    ...(received > 0 ? times(rtts_ms) : {}),
    ...(ttl !== null ? { ttl } : {}),
    ...(duplicates > 0 ? { duplicates } : {}),
    packets: [...rtts_ms],
    ...(error !== null ? { icmp_error: { ...error } } : {}),
    ...(attempts.length > 1 ? { attempts: attempts.map((attempt) => ({ ...attempt })) } : {}),
    ...(fallback ? { fallback } : {}),
  }
}

function lossPct({ sent, received }: PingResult): number {
  return sent === 0 ? 0 : Math.round(((sent - received) / sent) * 10_000) / 100
}

function times(rtts_ms: PingResult['rtts_ms']): JsonObject {
  const { min, avg, max, stddev, jitter } = statisticsOf(rtts_ms)
  return {
    rtt_min_ms: min,
    rtt_avg_ms: avg,
    rtt_max_ms: max,
    rtt_stddev_ms: stddev,
    jitter_ms: jitter,
  }
}

interface Statistics {
  readonly min: number
  readonly avg: number
  readonly max: number
  readonly stddev: number
  readonly jitter: number
}

/** Requires at least one reply. */
function statisticsOf(rtts_ms: PingResult['rtts_ms']): Statistics {
  const known = rtts_ms.filter((rtt) => rtt !== null)
  const avg = mean(known)
  const steps = known.slice(1).map((rtt, index) => Math.abs(rtt - (known[index] ?? rtt)))
  return {
    min: Math.min(...known),
    avg: micro(avg),
    max: Math.max(...known),
    stddev: micro(Math.sqrt(mean(known.map((rtt) => (rtt - avg) ** 2)))),
    jitter: steps.length === 0 ? 0 : micro(mean(steps)),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Rounds to thousandths of a millisecond, as ping programs print. */
function micro(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
