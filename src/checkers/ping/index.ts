/**
 * `ping`: ICMP echo requests, evaluated by loss and round-trip time.
 *
 * @module watchpost/checkers/ping
 */

import { field } from '../../fields/vocabulary.ts'
import { defineChecker } from '../checker.ts'
import { judge, measurementsOf, PING_CAUSES } from './judge.ts'

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
    target: ({ host }) => host,

    async run(ctx, settings) {
      const { host, count, ip_family } = settings
      const interval_ms = Math.min(INTERVAL_MS, ctx.remaining() / count)
      const result = await ctx.net.ping({ host, count, interval_ms, ip_family })
      ctx.measure(measurementsOf(result))
      return judge(result, settings)
    },
  })
