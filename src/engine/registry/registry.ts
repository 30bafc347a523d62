/**
 * The registered types, and the fields of a monitor of each.
 *
 * @module
 */

import { checkerFrom, DEFAULT_INTERVAL_SEC, DEFAULT_TIMEOUT_MS } from '../../checkers/checker.ts'
import type { AnyChecker, CheckerSource, CauseTable } from '../../checkers/checker.ts'
import { SHARED_CAUSES } from '../../checkers/causes.ts'
import { isUntimed } from '../../checkers/response-time.ts'
import { ConfigurationError, UnknownTypeError, ValidationError } from '../../errors.ts'
import { describe } from '../../fields/describe.ts'
import type { FieldRow } from '../../fields/describe.ts'
import type { FieldTable, Stored } from '../../fields/field.ts'
import { parse } from '../../fields/parse.ts'
import type { Problems } from '../../fields/parse.ts'
import type { CommonSettings, JsonObject } from '../../model.ts'
import { isInstalled } from '../../optional-packages.ts'
import type { TypeView } from '../api/engine.ts'
import { withDefaults } from './defaults-table.ts'
import { commonFields } from './monitor-fields.ts'
import { warnFiguresOf } from './warn-field.ts'
import type { CommonFields } from './monitor-fields.ts'
import type { SettingWarning } from '../api/views.ts'

export interface MonitorType {
  readonly checker: AnyChecker
  readonly common: CommonFields
  /** Common and type-specific fields in one table, as a user writes them. */
  readonly all: FieldTable
}

export interface ParsedMonitor {
  readonly common: Stored<CommonFields>
  readonly settings: JsonObject
  readonly target: string
}

export interface Registry {
  get(type: string): MonitorType | undefined
  /** @throws ConfigurationError for a type that is not registered */
  getOrThrow(type: string): MonitorType
  /**
   * Reports every problem at once; the caller validates ids of locations and contacts. `defaults` go over those of the
   * type, where it takes them.
   */
  parse(
    type: MonitorType,
    input: JsonObject,
    defaults?: JsonObject,
  ):
    | { readonly ok: true; readonly value: ParsedMonitor }
    | { readonly ok: false; readonly fields: Problems }
  readonly names: readonly string[]
  views(): readonly TypeView[]
  readonly types: ReadonlyMap<string, MonitorType>
}

export function createRegistry(sources: readonly CheckerSource[]): Registry {
  const types = new Map<string, MonitorType>()
  for (const checker of sources.map(checkerFrom)) {
    if (types.has(checker.type))
      throw new ConfigurationError(`Two checkers have the type "${checker.type}"`)
    types.set(checker.type, typeOf(checker))
  }
  return {
    types,
    names: [...types.keys()],
    get: (name) => types.get(name),
    getOrThrow(name) {
      const type = types.get(name)
      if (type !== undefined) return type
      const problem = `No checker of the type "${name}" is registered with this engine`
      throw new ConfigurationError(problem, { cause: unknownType(name, [...types.keys()]) })
    },
    parse: parseMonitor,
    views: () => [...types.values()].map(view),
  }
}

const MAX_SHOWN_CHARACTERS = 40

/** For a type that no checker of the engine has. */
export function unknownType(given: unknown, names: readonly string[]): ValidationError {
  const expected = `one of ${names.join(', ')} is expected`
  if (typeof given !== 'string' || given.length > MAX_SHOWN_CHARACTERS)
    return new ValidationError({ type: `invalid: ${expected}` })
  const type = `invalid: there is no type ${JSON.stringify(given)}; ${expected}`
  return new UnknownTypeError({ type }, [given])
}

function typeOf(checker: AnyChecker): MonitorType {
  const common = commonFields(checker.common, warnFiguresOf(checker))
  const own: FieldTable = checker.fields
  const twice = Object.keys(own).filter((name) => name in common || name === 'type')
  if (twice.length > 0) {
    throw new ConfigurationError(
      `The checker "${checker.type}" redefines the common field ${twice.join(', ')}`,
    )
  }
  return { checker, common, all: { ...common, ...own } }
}

function parseMonitor(
  type: MonitorType,
  input: JsonObject,
  defaults: JsonObject = {},
): ReturnType<Registry['parse']> {
  const { checker, common, all } = type
  const parsed = parse(all, withDefaults(type, input, defaults))
  if (!parsed.ok) return parsed
  const own: Record<string, unknown> = {}
  const shared: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parsed.value))
    (name in common ? shared : own)[name] = value
  if ((input['timeout_ms'] ?? null) === null)
    shared['timeout_ms'] = fittingTimeout(shared as Stored<CommonFields>)
  const refined = checker.refine?.(own) ?? { settings: own }
  const problems = {
    ...('fields' in refined ? refined.fields : {}),
    ...commonProblems(shared as Stored<CommonFields>),
  }
  if ('fields' in refined || Object.keys(problems).length > 0)
    return { ok: false, fields: problems }
  const settings = refined.settings as JsonObject
  return {
    ok: true,
    value: {
      common: shared as Stored<CommonFields>,
      settings,
      target: checker.target(settings as Stored<FieldTable>),
    },
  }
}

/** The default timeout must not make a short interval invalid. */
function fittingTimeout({ interval_sec, timeout_ms }: Stored<CommonFields>): number {
  const interval_ms = interval_sec * 1000
  return timeout_ms < interval_ms ? timeout_ms : interval_ms * 0.8
}

function commonProblems({ interval_sec, timeout_ms }: Stored<CommonFields>): Problems {
  return timeout_ms < interval_sec * 1000
    ? {}
    : { timeout_ms: 'out_of_range: must be less than interval_sec' }
}

/** Warnings for given settings that have no effect beside the stored ones. */
export function warningsOf(
  { all, checker }: MonitorType,
  settings: JsonObject,
  given: JsonObject,
): SettingWarning[] {
  const unused = checker.unused?.(settings as Stored<FieldTable>) ?? {}
  return Object.entries(all).flatMap(([field, { info }]) => {
    const reason = info.no_effect ?? unused[field]
    if (reason === undefined || (given[field] ?? null) === null) return []
    return [{ field, text: `has no effect: ${reason}` }]
  })
}

const USUAL: ReadonlyMap<string, string> = new Map(
  describe(commonFields()).map((row) => [row.name, JSON.stringify(row)]),
)

function isUsual(row: FieldRow): boolean {
  return USUAL.get(row.name) === JSON.stringify(row)
}

/** The settings by the rules of the type: one location, or one failure, may be sufficient. */
export function effectiveSettings(type: MonitorType, common: CommonSettings): CommonSettings {
  const rules = type.checker.common ?? {}
  if (rules.singleLocation !== true && rules.certain !== true) return common
  return {
    ...common,
    ...(rules.singleLocation === true
      ? { location_ids: common.location_ids.slice(0, 1), confirm_locations: 1 }
      : {}),
    ...(rules.certain === true ? { fail_threshold: 1, recover_threshold: 1 } : {}),
  }
}

function view({ checker, common }: MonitorType): TypeView {
  const causes: CauseTable = {
    ...checker.causes,
    ...(isUntimed(checker) ? {} : SHARED_CAUSES),
  }
  const { figures } = warnFiguresOf(checker)
  const available = checker.driver === undefined || isInstalled(checker.driver)
  return {
    type: checker.type,
    name: checker.title,
    description: checker.description,
    fields: describe(checker.fields),
    causes: Object.entries(causes).map(([code, { text, verdict = 'fail', phase = null }]) => ({
      code,
      text,
      verdict,
      phase,
    })),
    measurements: Object.entries(checker.measurements).map(([name, description]) => ({
      name,
      description,
      figure: figures.includes(name),
    })),
    highlights: Object.entries(checker.highlights ?? {}).map(([name, shown]) => ({
      name,
      ...shown,
    })),
    charts: (checker.charts ?? []).map(({ figures, ...chart }) => ({
      ...chart,
      figures: Object.entries(figures).map(([name, label]) => ({ name, label })),
    })),
    common_fields: describe(common).filter((row) => !isUsual(row)),
    response: checker.response ?? (isUntimed(checker) ? null : 'duration_ms'),
    events: [
      ...(checker.events ?? []),
      ...(checker.downEvent !== undefined ? [checker.downEvent] : []),
    ],
    defaults: {
      interval_sec: common.interval_sec.fallback ?? DEFAULT_INTERVAL_SEC,
      timeout_ms: common.timeout_ms.fallback ?? DEFAULT_TIMEOUT_MS,
    },
    available,
    ...(available ? {} : { install: `npm install ${checker.driver}` }),
  }
}
