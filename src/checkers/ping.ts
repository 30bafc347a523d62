/**
 * `ping`: ICMP echo requests, evaluated by loss and round-trip time.
 *
 * @module watchpost/checkers/ping
 */

import { field } from '../fields/vocabulary.ts'
import { defineChecker, down, unknown, up } from './checker.ts'
import type { JsonObject } from '../model.ts'
import type { PingResult } from '../net/net.ts'
import type { Judgement } from './checker.ts'

const PING_CAUSES = {
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

interface PingLimits {
  readonly host: string
  readonly max_loss_pct: number
  readonly max_avg_ms?: number | undefined
}

interface Statistics {
  readonly min: number
  readonly avg: number
  readonly max: number
  readonly stddev: number
  readonly jitter: number
}

/** Interval between packets, unless the deadline requires a shorter one. */
const INTERVAL_MS = 1000

export const ping = () =>
  defineChecker({
    type: 'ping',
    title: 'ICMP ping',
    description: 'Sends ICMP echo requests and evaluates loss and round-trip time.',
    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      count: field
        .integer({
          min: 1,
          max: 50,
          description:
            'Packets to send, at most one second apart; fewer where the deadline does not allow for them',
        })
        .default(5),
      max_loss_pct: field
        .number({
          min: 0,
          max: 100,
          unit: '%',
          description: 'Largest loss that is right; no reply at all is always a failure',
        })
        .default(20),
      max_avg_ms: field.number({
        min: 0.01,
        max: 60_000,
        unit: 'ms',
        description: 'Longest average round-trip time',
      }),
      ip_family: field.ipFamily().default('auto'),
    },
    causes: PING_CAUSES,
    figures: [
      'loss_pct',
      'rtt_min_ms',
      'rtt_avg_ms',
      'rtt_max_ms',
      'rtt_stddev_ms',
      'jitter_ms',
      'received',
      'ttl',
      'duplicates',
    ],
    measurements: {
      sent: 'Packets sent',
      received: 'Packets that were answered',
      loss_pct: 'Packets that were not answered, in percent',
      rtt_min_ms: 'Shortest round-trip time; this and the following only where there was a reply',
      rtt_avg_ms: 'Average round-trip time, in ms',
      rtt_max_ms: 'Longest round-trip time, in ms',
      rtt_stddev_ms: 'Standard deviation of the round-trip times, in ms',
      jitter_ms: 'Average difference between the times of one reply and the next, in ms',
      ttl: 'Hops left in the last reply (TTL, hop limit)',
      duplicates: 'Replies beyond the first one to a packet; only where there were any',
      packets: 'Round-trip time of each packet in order, in ms; null for no reply',
      icmp_error:
        'kind, from and text of what a host on the way answered instead; only where one did',
      attempts:
        'Every address that was tried, with cause_code and duration_ms; only where there were several',
      fallback: 'true: the first address did not answer, a later one did',
    },
    response: 'rtt_avg_ms',
    highlights: {
      loss_pct: { title: 'Packet loss', format: 'percent' },
      rtt_avg_ms: { title: 'Round trip', format: 'ms' },
      jitter_ms: { title: 'Jitter', format: 'ms' },
    },
    charts: [{ title: 'Packet loss', unit: 'percent', figures: { loss_pct: 'Packet loss' } }],
    target: ({ host }) => host,

    async run(ctx, settings) {
      const { host, count, ip_family } = settings
      const interval_ms = Math.min(INTERVAL_MS, ctx.remaining() / count)
      const result = await ctx.net.ping({ host, count, interval_ms, ip_family })
      ctx.measure(measurementsOf(result))
      return judge(result, settings)
    },
  })

function judge(
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

function measurementsOf(result: PingResult): JsonObject {
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
