/**
 * The settings that every monitor has (spec 2.1), with the bounds and defaults of its type.
 *
 * @module
 */

import * as v from 'valibot'
import { DEFAULT_INTERVAL_SEC, DEFAULT_TIMEOUT_MS } from '../../checkers/checker.ts'
import type { CommonRules } from '../../checkers/checker.ts'
import { defineField, fieldNamed } from '../../fields/field.ts'
import type { AnyField, FieldBuilder, FieldTable } from '../../fields/field.ts'
import { idField, tagField } from '../../fields/references.ts'
import { field } from '../../fields/vocabulary.ts'
import { maintenanceWindow } from './window-field.ts'
import { metadataField } from './metadata-field.ts'
import { warnField, warnFiguresOf } from './warn-field.ts'
import type { WarnFigures } from './warn-field.ts'
import { isJsonObject } from '../../model/json.ts'
import { DAY_MIN } from '../../model/time.ts'

const MONTH_SEC = 31 * 86_400
/** Tags of one monitor. */
export const MAX_TAGS = 50

/**
 * `warned`: what `warn` may name. The defaults of `location_ids` and `name` depend on the engine and on the target; they
 * are filled in at creation.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the table is its own type
export function commonFields(rules: CommonRules = {}, warned: WarnFigures = warnFiguresOf()) {
  const fields = usualFields(rules, warned)
  const withoutEffect = Object.entries(rules.noEffect ?? {}).flatMap(([name, no_effect]) => {
    const each: AnyField | undefined = fieldNamed(fields, name)
    return each === undefined ? [] : [[name, { ...each, info: { ...each.info, no_effect } }]]
  })
  return { ...fields, ...(Object.fromEntries(withoutEffect) as object) }
}

function usualFields(rules: CommonRules, warned: WarnFigures) {
  const interval = rules.interval_sec ?? { default: DEFAULT_INTERVAL_SEC }
  const timeout = rules.timeout_ms ?? { default: DEFAULT_TIMEOUT_MS }
  return {
    name: field.text({ description: 'Name; default is the checked address', max: 200, trim: true }),
    interval_sec: field
      .integer({
        description: 'Time between checks',
        unit: 'seconds',
        min: interval.min ?? 10,
        max: MONTH_SEC,
      })
      .default(interval.default),
    timeout_ms: field
      .integer({
        description:
          'Total deadline of one check; less than the interval. By default four fifths of an interval that is no longer than the default',
        unit: 'milliseconds',
        min: 500,
        max: timeout.max ?? 60_000,
      })
      .default(timeout.default),
    location_ids: field.list(idField(), {
      description: 'Locations to check from; default all',
      min: 1,
      max: 100,
    }),
    confirm_locations: field.integer({
      description:
        'Locations that must agree on a failure; default 2, or 1 where there is only one',
      min: 1,
      max: 100,
    }),
    fail_threshold: field
      .integer({
        description:
          rules.fail_threshold?.description ?? 'Failed rounds in a row that open an incident',
        min: 1,
        max: 20,
      })
      .default(rules.fail_threshold?.default ?? 2),
    recover_threshold: field
      .integer({ description: 'Good rounds in a row that close it', min: 1, max: 20 })
      .default(1),
    notify_repeat_min: field
      .integer({
        description: 'Repeat the notification while down; 0: no repeats',
        unit: 'minutes',
        min: 0,
        max: 7 * DAY_MIN,
      })
      .default(0),
    notify_repeat_max: field
      .integer({ description: 'Maximum number of repeats; 0: no limit', min: 0, max: 1000 })
      .default(0),
    notify_recovery: field.flag({ description: 'Notify when it is up again' }).default(true),
    tags: field
      .list(tagField(), {
        description: 'Tags; a string with commas is accepted as well',
        max: MAX_TAGS,
        commas: true,
      })
      .default([]),
    contact_ids: field
      .list(idField(), { description: 'Contacts, in addition to those for all monitors', max: 100 })
      .default([]),
    contact_delay: delays().default({}),
    maintenance: field
      .list(maintenanceWindow(), {
        description: 'Maintenance windows, in which no notification is sent',
        max: 20,
        format: 'maintenance_windows',
      })
      .default([]),
    depends_on: field
      .list(idField(), {
        description: "Parent monitors; while one is down, this monitor's alerts are suppressed",
        max: 20,
      })
      .default([]),
    flap_detection: field
      .flag({ description: 'Send one `flapping` event for many outages in twenty rounds' })
      .default(false),
    metadata: metadataField().default({}),
    warn: warnField(warned).default({}),
  } satisfies FieldTable
}

export type CommonFields = ReturnType<typeof commonFields>

/** As many as `contact_ids`. */
const MAX_DELAYS = 100

/** Contact id to minutes. Keys are strings in JSON; a problem names the key. */
function delays(): FieldBuilder<Readonly<Record<string, number>>> {
  const max = 7 * DAY_MIN
  const schema = v.pipe(
    v.custom<Record<string, unknown>>(isJsonObject, 'invalid: an object is expected'),
    v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const input = dataset.value
      const entries = Object.entries(input)
      if (entries.length > MAX_DELAYS)
        return addIssue({ message: `out_of_range: 0..${MAX_DELAYS} entries` })
      for (const [key, value] of entries) {
        const path = [
          { type: 'object' as const, origin: 'value' as const, input, key, value },
        ] as const
        const at = { path: [...path] as [(typeof path)[0]] }
        if (!/^[1-9]\d{0,15}$/.test(key))
          addIssue({ message: 'invalid: the key is a contact id', ...at })
        else if (!Number.isInteger(value))
          addIssue({ message: 'invalid: an integer is expected', ...at })
        else if ((value as number) < 0 || (value as number) > max)
          addIssue({ message: `out_of_range: 0..${max}`, ...at })
      }
    }),
    v.transform((checked) => checked as Readonly<Record<string, number>>),
  )
  return defineField(
    {
      kind: 'object',
      description: `Contact id to minutes, at most ${MAX_DELAYS}: notify only if it is still down then`,
      unit: 'minutes',
      format: 'delays',
    },
    schema,
  )
}
