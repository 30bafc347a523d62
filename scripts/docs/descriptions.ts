/**
 * The descriptions of settings and measurements as comments on the members of an interface. The types of inputs, views
 * and `details` map over these interfaces, so that editors show the comments. No code exists for them at run time.
 */

import type { AnyChecker } from '../../src/checkers/checker.ts'
import { describe } from '../../src/fields/describe.ts'
import type { AnyField, FieldTable } from '../../src/fields/field.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'

/** The folder with one file per checker and an index.ts that lists them; it has no other files. */
export const CHECKER_DESCRIPTIONS = 'src/checkers/descriptions'

/** Path to text of the files in {@link CHECKER_DESCRIPTIONS}. */
export function checkerDescriptions(checkers: readonly AnyChecker[]): readonly [string, string][] {
  const imports = checkers.map(({ type }) => `import type * as ${type} from './${type}.ts'`)
  const members = checkers.map(
    ({ type }) =>
      `readonly ${type}: { readonly settings: ${type}.Settings; readonly measurements: ${type}.Measurements }`,
  )
  const index = source('settings and measurements of every checker', [
    imports.join('\n'),
    exported('CheckerDescriptions', `{${members.join('\n')}}`),
  ])
  const each = checkers.map(({ type, fields, measurements }): [string, string] => {
    const figures = Object.entries(measurements).map(([name, text]) => member(name, text))
    const text = source(`settings and measurements of the type \`${type}\``, [
      exported('Settings', settings(fields)),
      exported('Measurements', `{${figures.join('\n')}}`),
    ])
    return [`${CHECKER_DESCRIPTIONS}/${type}.ts`, text]
  })
  return [[`${CHECKER_DESCRIPTIONS}/index.ts`, index], ...each]
}

/** Text of src/contacts/descriptions.ts. */
export function contactDescriptions(kinds: readonly AnyContactKind[]): string {
  const members = kinds.map(({ kind, fields }) => `readonly ${kind}: ${settings(fields)}`)
  return source('settings of every contact kind', [
    exported('ContactDescriptions', `{${members.join('\n')}}`),
  ])
}

/** The description of a setting with its bounds and its default. */
export function descriptionOf(field: AnyField): string {
  // An @ after a space begins a JSDoc tag.
  const description = field.info.description.replace(/(?<=^|\s)@\w+/g, '`$&`')
  const facts = [boundsOf(field), defaultOf(field)].filter((fact) => fact !== '').join('; ')
  return facts === '' ? description : `${description} (${facts})`
}

function source(what: string, declarations: readonly string[]): string {
  return `/**
 * Descriptions of the ${what}, for editors.
 * Made by \`npm run docs\` from the sources. Change those, not this.
 *
 * @module
 */

${declarations.join('\n\n')}
`
}

function exported(name: string, members: string): string {
  return `export interface ${name} ${members}`
}

function settings(fields: FieldTable): string {
  const members = Object.entries(fields).map(([name, field]) => {
    const nested = field.info.fields
    return member(name, descriptionOf(field), nested === undefined ? 'unknown' : group(nested))
  })
  return `{${members.join('\n')}}`
}

function group(fields: FieldTable): string {
  const members = Object.entries(fields).map(([name, field]) =>
    member(field.presence === 'required' ? name : `${name}?`, descriptionOf(field)),
  )
  return `{${members.join('\n')}}`
}

function member(name: string, text: string, type = 'unknown'): string {
  return `/** ${text.replaceAll('*/', '*\\/')} */\nreadonly ${name}: ${type}`
}

const COUNTED: Readonly<Record<string, string>> = {
  string: ' characters',
  regex: ' characters',
  array: ' items',
  scalar: ' characters',
}

function boundsOf({ info: { kind, min, max, unit } }: AnyField): string {
  const counted = COUNTED[kind] ?? (unit === undefined ? '' : ` ${unit}`)
  if (min !== undefined && max !== undefined) return `${min} to ${max}${counted}`
  if (max !== undefined) return `at most ${max}${counted}`
  return min === undefined ? (unit ?? '') : `at least ${min}${counted}`
}

function defaultOf(field: AnyField): string {
  const [row] = describe({ field })
  const value = row?.default ?? null
  return value === null ? '' : `default \`${JSON.stringify(value)}\``
}
