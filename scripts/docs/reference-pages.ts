/** Pages of docs/reference that are made of the tables in src. */

import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import type { AnyChecker, CauseInfo, CauseTable } from '../../src/checkers/checker.ts'
import { commonFields } from '../../src/engine/registry/monitor-fields.ts'
import { adviceRows } from './cause-advice.ts'
import { SIDES } from './cause-sides.ts'
import { causeTable, fieldTable } from './checker-pages.ts'
import { code, page, plain, table } from './markdown.ts'

export function settingsPage(checkers: readonly AnyChecker[]): string {
  const own = checkers.filter(({ common }) => common !== undefined)
  return page(
    'Common settings',
    'Every monitor has these, whatever its type. `null` resets a field to its default. The settings of a type are on the page of the type.',
    fieldTable(commonFields()),
    `Some types have defaults or bounds of their own for these: ${own.map(typeLink).join(', ')}.`,
    '`timeout_ms` must be less than `interval_sec`: an interval of 10 s needs a shorter one than the default. `location_ids` defaults to the locations that there are when it is set: one that is added later is asked by monitors made before once `location_ids` is set again (`null` is all). `confirm_locations` above their number is refused; where a location goes away later, it is taken as at most those that are left. What the thresholds and locations do is told in [locations and confirmation](../guide/locations-and-confirmation.md), what the contacts do in [notifications](../guide/notifications.md).',
    '## Types',
    table(
      ['Type', 'What it checks', 'Package'],
      checkers.map((checker) => [
        typeLink(checker),
        plain(checker.description),
        checker.driver === undefined ? '' : code(checker.driver),
      ]),
    ),
    'A package named here is loaded on the first check of its type, for `smtp` and `ftp` on the first that logs in. Where it is not installed, `GET /types` says `available: false` and how to install it.',
  )
}

export function causesPage(checkers: readonly AnyChecker[]): string {
  return page(
    'Causes',
    'A result, an incident and a webhook name why something failed in `cause_code`. Codes are stable: they are added to, never changed, so that a receiver may match them whole or by their prefix. `cause_text` says the same with what was seen; its wording may change.',
    'A cause with the verdict `unknown` says that nothing could be measured, mostly for a reason on our side. It never opens an incident. Where to begin when one wakes you stands in [what to look at](#what-to-look-at).',
    '## Shared causes',
    'Every type that opens a connection can name these.',
    causeTable(SHARED_CAUSES),
    '## Causes of types',
    table(['Cause', 'Types', 'Verdict', 'Phase', 'Text'], ownCauses(checkers)),
    '## What to look at',
    'First of all `cause_text`, which has what was seen, and `details` of the result. Whose side a cause is on says where to go first:',
    Object.entries(SIDES)
      .map(([side, meaning]) => `- **${side}**: ${meaning}.`)
      .join('\n'),
    'What is on the side of watchpost is `unknown`, never `fail`: a failure is what was seen to be wrong.',
    table(['Cause', 'Verdict', 'Side', 'Look at'], adviceRows(verdicts(checkers))),
    '## Prefixes',
    'What the first word of a code says:',
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

function verdicts(checkers: readonly AnyChecker[]): ReadonlyMap<string, string> {
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
