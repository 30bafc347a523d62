/**
 * Remote probes over BullMQ on Redis: the transport for `createEngine`, and the probe that runs the checks. The
 * packages bullmq and ioredis are loaded on first use.
 *
 * @module watchpost/probes/bullmq
 */

import { checkerFrom } from './checkers/checker.ts'
import type { AnyChecker, CheckerSource } from './checkers/checker.ts'
import { systemClock } from './clock.ts'
import { createConnectivity } from './engine/checks/connectivity.ts'
import { orderRunner } from './engine/checks/order-runner.ts'
import { loggerOf } from './logger.ts'
import type { TargetRule } from './net/guard/guard.ts'
import * as option from './options.ts'
import { checkOptions } from './options.ts'
import type { OptionTable } from './options.ts'
import { queueOptions } from './probes/bullmq/options.ts'
import { bullmqProbe } from './probes/bullmq/probe.ts'
import type { BullmqProbeOptions, Probe } from './probes/bullmq/probe.ts'

export { bullmqProbes } from './probes/bullmq/transport.ts'
export type { BullmqProbesOptions } from './probes/bullmq/transport.ts'
export type { Probe, ProbeStatus } from './probes/bullmq/probe.ts'
export type { QueueOptions, RedisAddress, RedisParts } from './probes/bullmq/options.ts'

export interface ProbeOptions extends Omit<BullmqProbeOptions, 'run'> {
  /** The types it can check; others are answered with `unknown`. */
  readonly checkers: readonly CheckerSource[]
  /** The addresses that it may connect to; default `open`: all but the metadata services of clouds. */
  readonly targets?: TargetRule | undefined
  /** Certificates (PEM) trusted in addition to the default ones. */
  readonly ca?: string | readonly string[] | undefined
  /**
   * Addresses (`host:port`) that answer whenever this location has a network: a failure counts only while one
   * answers.
   */
  readonly anchors?: readonly string[] | undefined
}

const OPTIONS: OptionTable<ProbeOptions> = {
  ...queueOptions,
  location: option.eitherOf('a name, or an id,', option.text, option.wholeNumber(1, 2 ** 31 - 1)),
  concurrency: option.anything,
  perHost: option.wholeNumber(1, 1000),
  selfCheck: option.callback,
  checkers: option.listOf(option.eitherOf('a checker', option.object, option.callback)),
  // Validated where the policy is created.
  targets: option.anything,
  ca: option.authority,
  anchors: option.listOf(option.text),
}

/**
 * A probe: takes the orders of one location from Redis, runs the checks in this process, and answers. It needs only
 * Redis: no store, no port.
 *
 * @throws ConfigurationError
 */
export function createProbe(options: ProbeOptions): Probe {
  checkOptions('createProbe', options, OPTIONS)
  const { checkers, targets, ca, anchors = [], clock = systemClock } = options
  const log = loggerOf(options.logger)
  const known = new Map<string, AnyChecker>(
    checkers.map(checkerFrom).map((checker) => [checker.type, checker]),
  )
  const checkerOf = (type: string) => known.get(type)
  const connectivity = createConnectivity({ clock, log, anchors })
  const run = orderRunner({ checkerOf, clock, log, targets, ca, connectivity })
  return bullmqProbe({ ...options, selfCheck: options.selfCheck ?? connectivity.check, run })
}
