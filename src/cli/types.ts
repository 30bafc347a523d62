/**
 * `watchpost types`: lists the types of checks and their settings.
 *
 * @module
 */

import { CHECKER_TYPES, EXTRA_TYPES } from '../checkers/by-type.ts'
import { builtinCheckers } from '../checkers/index.ts'
import type { TypeView } from '../engine/api/engine.ts'
import { createEngine } from '../engine/engine.ts'
import { ConfigurationError } from '../errors.ts'
import type { FieldRow } from '../fields/describe.ts'
import { memoryStore } from '../store/memory.ts'
import type { Call, Command } from './command.ts'
import { EXIT } from './command.ts'
import { readSettings, settingFlags, settingsHelp } from './environment.ts'
import { builtinOptions, PROVIDER_SETTINGS } from './providers.ts'
import { say, sayJson, table, wrapped } from './terminal.ts'

export const command: Command = {
  help: `watchpost types [type …] [--json]

The types of checks, as a table with the fields that each requires. serve knows
types with a + only with WATCHPOST_EXTRA_CHECKERS=true. With names of types, all
their fields, * for required ones; of the fields that every type has, those that
have other defaults or bounds in the type, or no effect.

  watchpost types            a table
  watchpost types http dns   the fields of these
  watchpost types --json     an array, as in GET /api/v1/types

  --json           As one JSON document
${settingsHelp(PROVIDER_SETTINGS)}

Exit code: 0 printed, 64 wrong usage.`,
  options: { json: { type: 'boolean' }, ...settingFlags(PROVIDER_SETTINGS) },
  words: () => ({
    known: Object.fromEntries(CHECKER_TYPES.map((type) => [type, []])),
    repeated: true,
  }),
  run,
}

async function run({ flags, words, env }: Call): Promise<number> {
  const options = await builtinOptions(readSettings(PROVIDER_SETTINGS, { flags, env }))
  const all = createEngine({
    store: memoryStore(),
    checkers: builtinCheckers({ ...options, extra: true }),
  }).types.list()
  const stranger = words.find((word) => all.every(({ type }) => type !== word))
  if (stranger !== undefined) {
    const types = all.map(({ type }) => type).join(', ')
    throw new ConfigurationError(`there is no type "${stranger}"; there are ${types}`)
  }
  const views = words.length === 0 ? all : all.filter(({ type }) => words.includes(type))
  if (flags['json'] === true) sayJson(views)
  else if (words.length === 0) for (const line of overview(all)) say(line)
  else say(views.map((view) => describe(view).join('\n')).join('\n\n'))
  return EXIT.ok
}

/** A row for each type, in 80 columns. */
function overview(all: readonly TypeView[]): string[] {
  const rows = all.map(({ type, name, available, fields }) => {
    const required = fields.filter((field) => field.required).map((field) => field.name)
    const missing = available ? '' : 'not installed'
    const mark = EXTRA_TYPES.includes(type) ? ' +' : ''
    return [type + mark, name, required.join(', ') || '-', missing]
  })
  return table([['TYPE', 'WHAT IT CHECKS', 'REQUIRED', ''], ...rows])
}

function describe({ type, name, available, install, fields, common_fields }: TypeView): string[] {
  const missing = available ? '' : ` (not installed: ${install ?? ''})`
  const rows = [...fields, ...common_fields].map(rowOf)
  const heads = table(rows.map(([field, kind]) => [field, kind]))
  const lines = rows.flatMap(([, , about], at) => [heads[at] ?? '', ...wrapped(about, '      ')])
  return [`${type}: ${name}${missing}`, ...lines]
}

function rowOf(field: FieldRow): readonly [field: string, kind: string, about: string] {
  const { name, required, kind, description, min, max, unit } = field
  const bounds = min === undefined && max === undefined ? '' : ` ${min ?? ''}..${max ?? ''}`
  const measure = unit === undefined ? '' : ` ${unit}`
  const choice = field.enum === undefined ? '' : `; one of ${field.enum.join(', ')}`
  const why = field.no_effect === true ? 'no effect' : 'not available'
  const absent = field.reason === undefined ? '' : `; ${why}: ${field.reason}`
  const fallback = field.default === null ? '' : `; default ${JSON.stringify(field.default)}`
  return [
    `  ${name}${required ? '*' : ''}`,
    kind === 'enum' ? 'one of' : `${kind}${bounds}${measure}`,
    `${description}${choice}${fallback}${absent}`,
  ]
}
