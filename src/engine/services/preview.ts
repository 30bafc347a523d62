/**
 * What would be stored of the settings of a monitor, for monitors as code, which report every problem and every
 * difference before changing anything.
 *
 * @module
 */

import { ValidationError } from '../../errors.ts'
import { mask } from '../../fields/secrets.ts'
import type { JsonObject } from '../../model.ts'
import { sameJson } from '../../model/json.ts'
import type { MonitorPreview } from '../api/views.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { warningsOf } from '../registry/registry.ts'
import type { MonitorType } from '../registry/registry.ts'
import { applyPatch } from './monitor-update.ts'
import type { ServiceContext } from './service-context.ts'
import { validateMonitor } from './validate-input.ts'
import type { ValidMonitor } from './validate-input.ts'

/** Settings that somebody wrote, for a new monitor or as a patch of one. */
export interface GivenSettings {
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
  given: GivenSettings,
): Promise<MonitorPreview> {
  const { type, input, update, against = update } = given
  const valid = await validSettingsOf(context, given)
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
export async function validSettingsOf(
  context: ServiceContext,
  { account_id, type, input, against, update }: GivenSettings,
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
