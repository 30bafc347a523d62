/**
 * Settings of a monitor without storing them: what would be stored, for monitors as code, which report every problem
 * and every difference before changing anything; and one check of them, for people who write them.
 *
 * @module
 */

import { responseOf } from '../../checkers/response-time.ts'
import { ClosedError, ConflictError, ValidationError } from '../../errors.ts'
import { mask } from '../../fields/secrets.ts'
import type { JsonObject } from '../../model.ts'
import { sameJson } from '../../model/json.ts'
import type { MonitorPreview, TimedOutcome } from '../api/views.ts'
import { checkOrder } from '../checks/check-order.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { warningsOf } from '../registry/registry.ts'
import type { MonitorType } from '../registry/registry.ts'
import { applyPatch } from './monitor-update.ts'
import type { ServiceContext } from './service-context.ts'
import { validateMonitor } from './validate-input.ts'
import type { ValidMonitor } from './validate-input.ts'

export interface Previewing {
  readonly account_id: number
  readonly type: MonitorType
  /** As for `create`, without `type`. */
  readonly input: JsonObject
  /** The monitor to compare with. */
  readonly against?: CachedMonitor
  /** The monitor of which the input is a patch. */
  readonly update?: CachedMonitor
}

/** @throws ValidationError with every problem at once */
export async function previewOf(
  context: ServiceContext,
  previewing: Previewing,
): Promise<MonitorPreview> {
  const { type, input, update, against = update } = previewing
  const valid = await validOf(context, previewing)
  const fields = type.checker.fields
  const warnings = warningsOf(type, valid.settings, input)
  const after = { ...asJson(valid.common), ...valid.settings }
  const shown = { ...after, ...mask(fields, valid.settings) }
  if (against === undefined) return { settings: shown, changes: [], warnings }
  const before = { ...asJson(against.record.common), ...against.settings }
  const shownBefore = { ...before, ...mask(fields, against.settings) }
  const names = Object.keys(type.all).filter((name) => !sameJson(before[name], after[name]))
  return {
    settings: shown,
    warnings,
    changes: names.map((field) => ({
      field,
      from: shownBefore[field] ?? null,
      to: shown[field] ?? null,
      secret: sameJson(shownBefore[field], shown[field]),
    })),
  }
}

/** The settings that would be stored. @throws ValidationError with every problem at once */
async function validOf(
  context: ServiceContext,
  { account_id, type, input, against, update }: Previewing,
): Promise<ValidMonitor> {
  if (update !== undefined) return applyPatch(context, update, input)
  if (against !== undefined && against.type !== type)
    throw new ValidationError({ type: 'immutable' })
  return validateMonitor(context.core, {
    account_id,
    ...(against === undefined
      ? {}
      : { id: against.record.id, interval_before: against.record.common.interval_sec }),
    type,
    input,
  })
}

function asJson(value: object): JsonObject {
  return value as JsonObject
}

/** Tests of one account at a time: they take no check slot. */
const MAX_RUNNING = 2

export type TestCheck = (testing: Previewing) => Promise<TimedOutcome>

/** Runs in this process, with the address guard of its checks. @throws ClosedError if the engine stops meanwhile */
export function createTestCheck(context: ServiceContext): TestCheck {
  const { core, run, runningTests } = context

  return async (input) => {
    const { account_id, type } = input
    const { checker } = type
    if (checker.push !== undefined)
      throw new ConflictError('not_testable', 'This type waits for signals and checks nothing')
    const { common, settings, target } = await validOf(context, input)
    const running = runningTests.get(account_id) ?? 0
    if (running >= MAX_RUNNING)
      throw new ConflictError('test_running', 'Other tests of this account are running')
    runningTests.set(account_id, running + 1)
    const abort = new AbortController()
    const onStop = (): void => abort.abort(new ClosedError('The engine stops'))
    core.events.on('stop', onStop)
    try {
      const now = core.clock.now()
      const [first] = core.locations
      const record = { id: 0, version: 0, account_id, type: checker.type, common, target }
      const order = checkOrder(
        { record, settings },
        {
          location: first ?? { id: 0, name: 'local' },
          round: now,
          expires_at: now + common.timeout_ms,
          memo: null,
        },
      )
      const { outcome } = await run(order, abort.signal)
      abort.signal.throwIfAborted()
      return { ...outcome, response_ms: responseOf(checker, outcome) }
    } finally {
      core.events.off('stop', onStop)
      const left = (runningTests.get(account_id) ?? 1) - 1
      if (left === 0) runningTests.delete(account_id)
      else runningTests.set(account_id, left)
    }
  }
}
