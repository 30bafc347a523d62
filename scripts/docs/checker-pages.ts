/** The parts of docs/checkers/<type>.md that come from the checker itself. */

import type { AnyChecker, CauseTable } from '../../src/checkers/checker.ts'
import { commonFields } from '../../src/engine/registry/monitor-fields.ts'
import { describe } from '../../src/fields/describe.ts'
import type { FieldRow } from '../../src/fields/describe.ts'
import type { FieldTable } from '../../src/fields/field.ts'
import { code, fill, plain, table } from './markdown.ts'

/** A page by hand, with its generated parts brought up to date. */
export function checkerPage(text: string, checker: AnyChecker): string {
  return fill(fill(text, 'fields', fieldsPart(checker)), 'causes', causesPart(checker))
}

/** Every type with its page, for docs/README.md. */
export function checkerIndex(checkers: readonly AnyChecker[]): string {
  const rows = checkers.map(({ type, title, description }) => [
    `[${type}](checkers/${type}.md)`,
    plain(title),
    plain(description),
  ])
  return table(['Type', 'Name', 'What it checks'], rows)
}

/** One row per field, as people read it. */
export function fieldTable(fields: FieldTable): string {
  const rows = describe(fields).map((row) => [
    code(row.name) + (row.required ? ' \\*' : ''),
    valueOf(row),
    defaultOf(row),
    plain(row.description) + (row.secret === true ? ' (write-only)' : ''),
  ])
  return table(['Field', 'Value', 'Default', 'Meaning'], rows)
}

export function causeTable(causes: CauseTable): string {
  const rows = Object.entries(causes).map(([name, { text, verdict = 'fail', phase }]) => [
    code(name),
    code(verdict),
    phase === undefined ? '' : code(phase),
    plain(text),
  ])
  return table(['Cause', 'Verdict', 'Phase', 'Text'], rows)
}

function fieldsPart(checker: AnyChecker): string {
  const own = Object.keys(checker.fields).length === 0 ? 'None of its own.' : ownFields(checker)
  return [own, ...commonNotes(checker)].join('\n\n')
}

function ownFields({ fields }: AnyChecker): string {
  const required = describe(fields).some((row) => row.required)
  return fieldTable(fields) + (required ? '\n\n\\* required' : '')
}

/** What of the common fields is different for this type. */
function commonNotes({ common = {}, push }: AnyChecker): string[] {
  const usual = new Map(describe(commonFields()).map((row) => [row.name, row]))
  const different = describe(commonFields(common))
    .filter((row) => row.no_effect !== true)
    .filter((row) => JSON.stringify(row) !== JSON.stringify(usual.get(row.name)))
    .map((row) => {
      const own =
        row.description === usual.get(row.name)?.description ? '' : `: ${plain(row.description)}`
      return `${code(row.name)} ${defaultOf(row)} (${valueOf(row)})${own}`
    })
  const idle = describe(commonFields(common)).filter((row) => row.no_effect === true)
  return [
    different.length === 0
      ? 'The [common settings](../reference/settings.md) have their usual defaults.'
      : `[Common settings](../reference/settings.md) with a default of this type: ${different.join(', ')}.`,
    ...(common.singleLocation === true && push === undefined
      ? ['It is checked from one location, the first of `location_ids`.']
      : []),
    ...(idle.length === 0
      ? []
      : [
          `Without effect for this type, with a warning in the response: ${idle.map(({ name, reason = '' }) => `${code(name)} (${reason})`).join('; ')}.`,
        ]),
  ]
}

function causesPart(checker: AnyChecker): string {
  const { causes, measurements, events = [], downEvent, push } = checker
  const shared =
    push === undefined
      ? 'It can also report every [shared cause](../reference/causes.md#shared-causes): names, connections, TLS and deadlines.'
      : 'It opens no connection, so the shared causes do not apply.'
  const all = [...events, ...(downEvent === undefined ? [] : [downEvent])]
  return [
    ...(Object.keys(causes).length === 0 ? ['None of its own.'] : [causeTable(causes)]),
    shared,
    ...(Object.keys(measurements).length === 0
      ? []
      : [
          '**Measurements** (`details` of a result)',
          table(
            ['Name', 'Meaning'],
            Object.entries(measurements).map(([name, meaning]) => [code(name), plain(meaning)]),
          ),
        ]),
    ...(all.length === 0
      ? []
      : [`**Events**: ${all.map((event) => eventLink(event)).join(', ')}.`]),
  ].join('\n\n')
}

function eventLink(event: string): string {
  return `[${code(event)}](../reference/events.md#${event})`
}

function valueOf({ kind, min, max, format, unit, enum: words }: FieldRow): string {
  if (words !== undefined) return words.map((word) => code(String(word))).join(', ')
  const counted = {
    string: ' characters',
    regex: ' characters',
    scalar: ' characters',
    array: ' items',
  }[kind as string]
  return [
    KINDS[format ?? kind] ?? kind,
    boundsOf(min, max) + (boundsOf(min, max) === '' ? '' : (counted ?? '')),
    unit ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'list',
  boolean: 'true or false',
  delays: 'object of ids and numbers',
  maintenance_windows: 'list of windows',
  host: 'host name or IP address',
  object: 'object of names and values',
  port: 'port',
  regex: 'pattern (RE2)',
  url: 'URL',
}

function boundsOf(min: number | undefined, max: number | undefined): string {
  const low = min !== undefined && Math.abs(min) < Number.MAX_SAFE_INTEGER ? min : undefined
  const high = max !== undefined && max < Number.MAX_SAFE_INTEGER ? max : undefined
  if (low !== undefined && high !== undefined) return `${low} to ${high}`
  if (low !== undefined) return `at least ${low}`
  return high === undefined ? '' : `at most ${high}`
}

function defaultOf({ default: value, required }: FieldRow): string {
  if (required || value === null) return ''
  return code(typeof value === 'string' ? value : JSON.stringify(value))
}
