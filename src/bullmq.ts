/**
 * Probes in many places over BullMQ on Redis: the transport for `createEngine`, and the probe that
 * makes the checks far away. The packages bullmq and ioredis are loaded on first use.
 *
 * @module watchpost/probes/bullmq
 */

import { checkerFrom } from './checkers/checker.ts'
import type { AnyChecker, CheckerSource } from './checkers/checker.ts'
import { systemClock } from './clock.ts'
import { createConnectivity } from './engine/connectivity.ts'
import { orderRunner } from './engine/order-runner.ts'
import { silentLogger } from './logger.ts'
import type { TargetRule } from './net/guard.ts'
import { bullmqProbe } from './probes/bullmq/probe.ts'
import type { BullmqProbeOptions, Probe } from './probes/bullmq/probe.ts'

export { bullmqProbes } from './probes/bullmq/transport.ts'
export type { BullmqProbesOptions } from './probes/bullmq/transport.ts'
export type { Probe, ProbeStatus } from './probes/bullmq/probe.ts'
export type { QueueOptions, RedisAddress, RedisParts } from './probes/bullmq/options.ts'

export interface ProbeOptions extends Omit<BullmqProbeOptions, 'run'> {
  /** The types it can check; others are answered with `unknown`. */
  readonly checkers: readonly CheckerSource[]
  /** Which addresses it may dial; default `open`: all but the metadata services of clouds. */
  readonly targets?: TargetRule
  /** Certificates (PEM) trusted besides the default ones. */
  readonly ca?: string | readonly string[]
  /** Addresses (`host:port`) that answer whenever this place has a network: a failure is believed only while one does. */
  readonly anchors?: readonly string[]
}

/**
 * A probe: takes the orders of one location from Redis, makes the checks here, and answers. It needs
 * nothing but Redis: no store, no port.
 *
 * @throws ConfigurationError
 */
export function createProbe(options: ProbeOptions): Probe {
  const { checkers, targets, ca, anchors = [] } = options
  const { clock = systemClock, logger: log = silentLogger } = options
  const known = new Map<string, AnyChecker>(
    checkers.map(checkerFrom).map((checker) => [checker.type, checker]),
  )
  const checkerOf = (type: string) => known.get(type)
  const connectivity = createConnectivity({ clock, log, anchors })
  const run = orderRunner({ checkerOf, clock, log, targets, ca, connectivity })
  return bullmqProbe({ selfCheck: connectivity.check, ...options, run })
}
