/** Pages of docs/reference that are made of the tables in src. */

import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import type { AnyChecker, CauseTable } from '../../src/checkers/checker.ts'
import type { CauseInfo } from '../../src/checkers/causes.ts'
import { commonFields } from '../../src/engine/registry/monitor-fields.ts'
import { adviceRows, SIDES } from './cause-advice.ts'
import { causeTable, fieldTable } from './checker-pages.ts'
import { code, page, plain, table } from './markdown.ts'

export function settingsPage(checkers: readonly AnyChecker[]): string {
  const own = checkers.filter(({ common }) => common !== undefined)
  return page(
    'Common settings',
    'Every monitor has these settings, whatever its type. `null` resets a field to its default. The page of a type describes its own settings.',
    fieldTable(commonFields()),
    `Some types have their own defaults or bounds for these: ${own.map(typeLink).join(', ')}.`,
    '`timeout_ms` must be less than `interval_sec`: an interval of 10 s needs a shorter one than the default. `location_ids` defaults to all locations that exist when it is set; to add later ones, set it again (`null` is all). `confirm_locations` above their number is refused; if a location is removed later, the number of remaining ones is the maximum. [Locations and confirmation](../guide/locations-and-confirmation.md) describes thresholds and locations, [notifications](../guide/notifications.md) the contacts.',
    '## Types',
    table(
      ['Type', 'What it checks', 'Package'],
      checkers.map((checker) => [
        typeLink(checker),
        plain(checker.description),
        checker.driver === undefined ? '' : code(checker.driver),
      ]),
    ),
    'A package listed here is loaded with the first check of its type, for `smtp` and `ftp` with the first that logs in. If it is not installed, `GET /types` has `available: false` and the install command.',
  )
}

export function causesPage(checkers: readonly AnyChecker[]): string {
  return page(
    'Causes',
    '`cause_code` of a result, an incident and a webhook is the reason of a failure. Codes are stable: new ones are added, existing ones never change, so that a receiver may match a code or its prefix. `cause_text` describes the same with the observed values; its wording may change.',
    'A cause with the verdict `unknown` means that the check could not measure, mostly for a reason on the side of watchpost. It never opens an incident. [What to check](#what-to-check) lists the first steps for each cause.',
    '## Shared causes',
    'Every type that opens a connection can report these.',
    causeTable(SHARED_CAUSES),
    '## Causes of types',
    table(['Cause', 'Types', 'Verdict', 'Phase', 'Text'], ownCauses(checkers)),
    '## What to check',
    'Start with `cause_text`, which contains the observed values, and `details` of the result. The side of a cause is where to look first:',
    Object.entries(SIDES)
      .map(([side, meaning]) => `- **${side}**: ${meaning}.`)
      .join('\n'),
    'A cause on the side of watchpost is `unknown`, never `fail`: a failure has been observed.',
    table(['Cause', 'Verdict', 'Side', 'Check'], adviceRows(verdicts(checkers))),
    '## Prefixes',
    'The first word of a code is its group:',
    table(['Prefix', 'Codes'], prefixes(checkers)),
  )
}

function ownCauses(checkers: readonly AnyChecker[]): string[][] {
  const found = new Map<
    string,
    { readonly info: CauseInfo; readonly types: AnyChecker[]; readonly texts: Set<string> }
  >()
  for (const checker of checkers) {
    for (const [name, info] of Object.entries(checker.causes)) {
      const known = found.get(name)
      if (known === undefined) {
        found.set(name, { info, types: [checker], texts: new Set([info.text]) })
      } else {
        known.types.push(checker)
        known.texts.add(info.text)
      }
    }
  }
  return [...found]
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, { info, types, texts }]) => [
      code(name),
      types.map(typeLink).join(', '),
      code(info.verdict ?? 'fail'),
      info.phase === undefined ? '' : code(info.phase),
      plain([...texts].join('; ')),
    ])
}

/** Of every cause, shared causes first. */
export function verdicts(checkers: readonly AnyChecker[]): ReadonlyMap<string, string> {
  const tables: readonly CauseTable[] = [SHARED_CAUSES, ...checkers.map(({ causes }) => causes)]
  return new Map(
    tables.flatMap((causes) =>
      Object.entries(causes).map(([name, { verdict = 'fail' }]) => [name, verdict] as const),
    ),
  )
}

function prefixes(checkers: readonly AnyChecker[]): string[][] {
  const names = verdicts(checkers).keys()
  const groups = new Map<string, string[]>()
  for (const name of [...names].sort()) {
    const prefix = `${name.split('_')[0] ?? name}_`
    groups.set(prefix, [...(groups.get(prefix) ?? []), name])
  }
  return [...groups]
    .filter(([, codes]) => codes.length > 1)
    .map(([prefix, codes]) => [code(prefix), codes.map(code).join(', ')])
}

function typeLink({ type }: AnyChecker): string {
  return `[${code(type)}](../checkers/${type}.md)`
}
