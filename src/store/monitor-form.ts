/**
 * Whether a stored monitor has the form that the engine computes with. A file that somebody else wrote, or a damaged
 * one, may have any JSON: a time that is none would end the process that shows it, long after the row was read.
 *
 * @module
 */

import type { CommonSettings, LocationState, MachineState, MonitorRecord } from '../model.ts'
import { isJsonObject } from '../model/json.ts'
import { LAST_MS } from '../model/time.ts'

type Fits = (value: unknown) => boolean
type Form<T> = Readonly<Partial<Record<keyof T, Fits>>>

/** Ten years. A time that lies so far ahead is a time still. */
const LONGEST_SEC = 315_360_000

const isText: Fits = (value) => typeof value === 'string'
const isNumber: Fits = (value) => typeof value === 'number' && Number.isFinite(value)
const isId: Fits = (value) => Number.isSafeInteger(value)
const isTime: Fits = (value) => typeof value === 'number' && Math.abs(value) <= LAST_MS
const isObject: Fits = (value) => isJsonObject(value)
const upTo =
  (most: number): Fits =>
  (value) =>
    typeof value === 'number' && value > 0 && value <= most
const listOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits)
const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null || fits(value)
/** For what an older version did not store. */
const optional =
  (fits: Fits): Fits =>
  (value) =>
    value === undefined || fits(value)

const RECORD: Form<MonitorRecord> = {
  id: isId,
  account_id: isId,
  type: isText,
  target: isText,
  version: isId,
  revision: isId,
  created_at: isTime,
  updated_at: isTime,
}

const COMMON: Form<CommonSettings> = {
  name: isText,
  interval_sec: (value) => isTime(value) && Number(value) >= 1 && Number(value) <= LONGEST_SEC,
  timeout_ms: upTo(LONGEST_SEC * 1000),
  location_ids: listOf(isId),
  confirm_locations: isNumber,
  fail_threshold: isNumber,
  recover_threshold: isNumber,
  notify_repeat_min: isNumber,
  notify_repeat_max: isNumber,
  tags: listOf(isText),
  contact_ids: listOf(isId),
  contact_delay: isObject,
  maintenance: optional(listOf(isObject)),
  depends_on: optional(listOf(isId)),
  metadata: optional(isObject),
  warn: optional(isObject),
}

const MACHINE: Form<MachineState> = {
  since: isTime,
  fails: isNumber,
  oks: isNumber,
  inconclusive: isNumber,
  first_fail_at: orNull(isTime),
  first_ok_at: orNull(isTime),
  last_round_at: orNull(isTime),
  last_check_ended_at: optional(isTime),
  known_since: isTime,
  incident: orNull(
    (value) => isJsonObject(value) && isId(value['id']) && isTime(value['started_at']),
  ),
  sent_notice_keys: listOf(isText),
  availability: isText,
  silent: optional(isObject),
  degraded: optional((value) => isJsonObject(value) && isTime(value['since'])),
  checked_since: optional(isTime),
  hour: optional(isObject),
}

/** The first part that does not fit; `undefined` for none. */
export function unfitPart(record: MonitorRecord): string | undefined {
  return (
    firstUnfit(record, RECORD) ??
    firstUnfit(record.common, COMMON, 'common.') ??
    firstUnfit(record.machine, MACHINE, 'machine.')
  )
}

/** Whether a state of a location has a last outcome that can be shown, or none. */
export function isOutcomeFit({ last, consecutive_fails }: LocationState): boolean {
  if (!isNumber(consecutive_fails)) return false
  if (last === null) return true
  const { started_at, duration_ms, phases, details } = last as Partial<typeof last>
  return (
    !Number.isNaN(Date.parse(String(started_at))) &&
    isNumber(duration_ms) &&
    isObject(phases) &&
    isObject(details)
  )
}

function firstUnfit<T extends object>(value: T, form: Form<T>, of = ''): string | undefined {
  for (const name in form) if (form[name]?.(value[name]) === false) return `${of}${name}`
  return undefined
}
