/**
 * Executes check orders in this process, for the engine itself or on a probe for other engines. Both execute a check
 * in exactly the same way.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../logger.ts'
import { targetPolicy } from '../../net/guard/guard.ts'
import type { TargetRule } from '../../net/guard/guard.ts'
import { createNetwork } from '../../net/create-net.ts'
import { createStallWatch } from '../../net/timing/deadline.ts'
import { unmeasured } from '../../probes/transport.ts'
import type { CheckReport } from '../../model.ts'
import type { CheckOrder, ProbeHost } from '../../probes/transport.ts'
import { executeCheck } from './execute-check.ts'
import type { DecodedSettings } from './prepared-settings.ts'
import { createSharedState } from './shared-state.ts'
import type { Connectivity } from './connectivity.ts'

export interface OrderRunnerOptions {
  readonly checkerOf: (type: string) => AnyChecker | undefined
  readonly clock: Clock
  readonly log: Logger
  /** The addresses that may be connected to; default `open`: all but the metadata services of clouds. */
  readonly targets?: TargetRule | undefined
  /** Certificates (PEM) trusted in addition to the default ones. */
  readonly ca?: string | readonly string[] | undefined
  /** Called before a failure is accepted. */
  readonly connectivity?: Pick<Connectivity, 'verify'>
}

export function orderRunner({
  checkerOf,
  clock,
  log,
  targets = 'open',
  ca,
  connectivity,
}: OrderRunnerOptions): ProbeHost['run'] {
  const policy = targetPolicy(targets)
  const network = createNetwork({
    clock,
    policy,
    strangers: targets !== 'open',
    ...(ca === undefined ? {} : { ca }),
  })
  const decoded: DecodedSettings = new WeakMap()
  const shared = createSharedState()
  const stalls = createStallWatch(clock)

  function once(checker: AnyChecker, order: CheckOrder, signal: AbortSignal): Promise<CheckReport> {
    return executeCheck(checker, order.settings, {
      clock,
      network,
      timeout_ms: order.timeout_ms,
      account_id: order.account_id,
      period_ms: order.interval_sec * 1000,
      missed_limit: order.missed_limit,
      location: order.location,
      log,
      decoded,
      shared,
      signal,
      ...(order.memo === null ? {} : { memo: order.memo }),
    })
  }

  /** Repeats a check during which this process was suspended; if it is suspended again, a failure becomes `unknown`. */
  async function onceUndisturbed(
    checker: AnyChecker,
    order: CheckOrder,
    signal: AbortSignal,
  ): Promise<CheckReport> {
    for (let isFirst = true; ; isFirst = false) {
      const stalled = stalls.begin()
      const report = await once(checker, order, signal)
      const stalled_ms = stalled()
      if (stalled_ms === 0 || signal.aborted) return report
      if (!isFirst) return report.outcome.verdict === 'fail' ? overloaded(report) : report
      log.warn(
        { monitor_id: order.monitor_id, stalled_ms: Math.round(stalled_ms) },
        'the process was suspended during a check; the check is repeated',
      )
    }
  }

  return async (order, signal) => {
    const checker = checkerOf(order.type)
    if (checker === undefined) {
      // A probe of an older version than its engine.
      const text = `This location has no checker of the type "${order.type}"`
      return unmeasured(clock.now(), 'probe_unsupported', text)
    }
    // A push type: nothing is measured here.
    if (checker.push !== undefined) return once(checker, order, signal)
    const began = clock.monotonic()
    const report = await onceUndisturbed(checker, order, signal)
    return connectivity === undefined ? report : connectivity.verify(report, began)
  }
}

function overloaded({ outcome }: CheckReport): CheckReport {
  return {
    outcome: {
      ...outcome,
      verdict: 'unknown',
      cause_code: 'probe_overloaded',
      cause_text: 'The machine was too busy to measure',
    },
  }
}
